/** A way to the API server that can be shut: what a broken network does to those behind it. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Gate {
  readonly port: number;
  /** Ends all connections, and refuses new ones until it is opened. */
  shut(): void;
  open(): void;
  close(): Promise<void>;
}

export async function startGate(to: { readonly host: string; readonly port: number }): Promise<Gate> {
  let isOpen = true;
  const sockets = new Set<Socket>();
  const server = createServer((from) => {
    if (!isOpen) return void from.destroy();
    const on = connect(to.port, to.host);
    for (const socket of [from, on]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => (sockets.delete(socket), from.destroy(), on.destroy()));
    }
    from.pipe(on);
    on.pipe(from);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const end = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    shut: () => ((isOpen = false), end()),
    open: () => void (isOpen = true),
    close: () => (end(), new Promise((resolve) => void server.close(() => resolve()))),
  };
}
