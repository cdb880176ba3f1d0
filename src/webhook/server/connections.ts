import type { Server, Socket } from 'node:net';

/** Which connections may be closed for others. */
export interface Connections {
  /** What was asked on it is being answered: it is not closed for another. */
  answering(socket: Socket): void;
  answered(socket: Socket): void;
}

/**
 * Closes the connection that has waited for the longest when there are too many: an API server opens few, and asks often. So connections
 * that others open, and on which they ask nothing or slowly, keep no API server out.
 */
export function boundConnections(server: Server, most: number): Connections {
  /** The longest first. The connection of a handshake and the TLS connection on it have one key. */
  const waiting = new Map<string, Socket>();
  let open = 0;
  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket);
    open++;
    waiting.set(key, socket);
    socket.once('close', () => {
      open--;
      waiting.delete(key);
    });
    const [longest] = open > most ? waiting : [];
    if (!longest) return;
    waiting.delete(longest[0]);
    longest[1].destroy();
  });
  server.on('secureConnection', (socket: Socket) => {
    if (waiting.has(keyOf(socket))) waiting.set(keyOf(socket), socket);
  });
  return {
    answering: (socket) => void waiting.delete(keyOf(socket)),
    answered(socket) {
      if (!socket.destroyed) waiting.set(keyOf(socket), socket);
    },
  };
}

const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
