import type { Server, Socket } from 'node:net';

/** Which connections may be closed for others. */
export interface Connections {
  /** A request on this connection is being answered: it is not closed for another one. */
  answering(socket: Socket): void;
  answered(socket: Socket): void;
}
/** Connections at once: in all, and from one address. */
export interface ConnectionLimits {
  readonly most: number;
  readonly mostOfPeer: number;
}

/**
 * Closes a connection that waits when there are too many: of the address that has the most, the one that has waited for the longest. An API
 * server, a kubelet or a Prometheus opens few, and asks often. So connections that others open, and on which they ask nothing or slowly, keep
 * none of these out.
 */
export function boundConnections(server: Server, { most, mostOfPeer }: ConnectionLimits): Connections {
  /** By address; the one that has waited for the longest is first. A TCP connection and the TLS connection on it have one key. */
  const waiting = new Map<string, Map<number, Socket>>();
  const open = new Map<string, number>();
  let total = 0;

  function wait(socket: Socket): void {
    const { peer, port } = keyOf(socket);
    const ofPeer = waiting.get(peer) ?? new Map<number, Socket>();
    waiting.set(peer, ofPeer.set(port, socket));
  }
  function leave(peer: string, port: number): void {
    const ofPeer = waiting.get(peer);
    ofPeer?.delete(port);
    if (ofPeer?.size === 0) waiting.delete(peer);
  }
  /** Of these addresses, the one with the most that wait; of several, the one whose first has waited for the longest. */
  function closeOne(peers: Iterable<string>, last: Socket): void {
    let heaviest: Map<number, Socket> | undefined;
    for (const peer of peers) {
      const ofPeer = waiting.get(peer);
      if (ofPeer && ofPeer.size > (heaviest?.size ?? 0)) heaviest = ofPeer;
    }
    // If none waits, the newest is closed.
    const [longest = last] = heaviest?.values() ?? [];
    const { peer, port } = keyOf(longest);
    leave(peer, port);
    longest.destroy();
  }

  server.on('connection', (socket: Socket) => {
    const { peer, port } = keyOf(socket);
    total++;
    open.set(peer, (open.get(peer) ?? 0) + 1);
    wait(socket);
    socket.once('close', () => {
      total--;
      const left = (open.get(peer) ?? 1) - 1;
      if (left > 0) open.set(peer, left);
      else open.delete(peer);
      leave(peer, port);
    });
    if ((open.get(peer) ?? 0) > mostOfPeer) closeOne([peer], socket);
    else if (total > most) closeOne(waiting.keys(), socket);
  });
  server.on('secureConnection', (socket: Socket) => {
    const { peer, port } = keyOf(socket);
    if (waiting.get(peer)?.has(port)) wait(socket);
  });
  return {
    answering(socket) {
      const { peer, port } = keyOf(socket);
      leave(peer, port);
    },
    answered(socket) {
      if (!socket.destroyed) wait(socket);
    },
  };
}

/** A socket that is closed has no address any more. */
const keys = new WeakMap<Socket, Key>();
interface Key {
  readonly peer: string;
  readonly port: number;
}
function keyOf(socket: Socket): Key {
  const known = keys.get(socket) ?? { peer: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 };
  keys.set(socket, known);
  return known;
}
