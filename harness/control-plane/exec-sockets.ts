/** Commands asked for over WebSockets, which the API server hands on as they are: those of clients in other languages than Go. kwok loses them. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Replay } from './exec-replay.ts';
import { nonZeroExit } from './spdy.ts';

/** Has channels 1 (stdout), 2 (stderr) and 3 (how it ended). The API server translates newer versions into SPDY. */
const PROTOCOL = 'v4.channel.k8s.io';

export const asksBySocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket';

export function replayOnSocket(): (request: IncomingMessage, socket: Duplex, head: Buffer, replay: Replay) => void {
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => offered.has(PROTOCOL) && PROTOCOL });
  return (request, socket, head, replay) =>
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', () => webSocket.terminate());
      setTimeout(() => answer(webSocket, replay), replay.delayMs);
    });
}

function answer(socket: WebSocket, { stdoutFile, stderrFile, exitCode }: Replay): void {
  const send = (channel: number, bytes: Buffer) => bytes.length > 0 && socket.send(Buffer.concat([Buffer.from([channel]), bytes]));
  send(1, readFileSync(stdoutFile));
  send(2, readFileSync(stderrFile));
  send(3, Buffer.from(JSON.stringify(exitCode === 0 ? { metadata: {}, status: 'Success' } : nonZeroExit(exitCode))));
  socket.close(1000);
}
