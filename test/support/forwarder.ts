/** A TCP forwarder before a real server, so that a test can break connections without touching the server. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Forwarder {
  readonly port: number;
  /** Connections that are open. */
  readonly open: number;
  /** Breaks every connection (RST). New ones are welcome. */
  cut(): void;
  /** Breaks every connection and refuses new ones. */
  block(): Promise<void>;
  unblock(): Promise<void>;
  close(): Promise<void>;
}

export async function forwardTo(target: string): Promise<Forwarder> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.pipe(other);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(near);
        other.destroy();
      });
    }
    sockets.add(near);
  });
  const listen = (at: number) => new Promise<void>((listening) => server.listen(at, '127.0.0.1', listening));
  await listen(0);
  const own = (server.address() as AddressInfo).port;
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
    sockets.clear();
  };
  const block = () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
      cut();
    });
  return {
    port: own,
    get open() {
      return sockets.size;
    },
    cut,
    block,
    unblock: () => listen(own),
    close: () => (server.listening ? block() : Promise.resolve()),
  };
}
