import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { boundConnections, type ConnectionLimits, type Connections } from './connections.ts';

// Not imported: the ES modules load Node's own fetch too, which takes 14 MB.
const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');

export interface ListenerOptions extends ConnectionLimits {
  /** Absent: no TLS. */
  readonly tls?: TlsOptions;
  /** Bytes of the headers of a request; more are answered with 431. */
  readonly headerBytes: number;
  /** For the handshake, and for the headers of a request. */
  readonly headersMs: number;
  /** For a whole request. */
  readonly requestMs: number;
  /** How long a connection stays on which nothing is sent. */
  readonly idleMs: number;
}
export interface Listener {
  readonly server: Server;
  readonly connections: Connections;
  /** Connections from now on are served with this. */
  use(tls: TlsOptions): void;
  /** Port 0 picks a free one. @returns the port; throws what Node does */
  listen(port: number, host?: string): Promise<number>;
}

/**
 * A server that any pod of the cluster may reach, and that none can make grow: all that a client can have it hold is bounded, in number, in
 * bytes and in time. Every listener of the project is made here; a lint rule sees to it.
 */
export function createListener({ tls, most, mostOfPeer, headerBytes, headersMs, requestMs, idleMs }: ListenerOptions): Listener {
  const options = {
    maxHeaderSize: headerBytes,
    keepAliveTimeout: idleMs,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    // How often these times are checked.
    connectionsCheckingInterval: Math.min(2_000, headersMs),
  };
  const secure = tls && https.createServer({ ...tls, ...options, handshakeTimeout: headersMs });
  const server: Server = secure ?? http.createServer(options);
  const connections = boundConnections(server, { most, mostOfPeer });
  // A client that never asks anything, and one that does not read its answer.
  server.setTimeout(idleMs);
  const last = new WeakMap<Socket, ServerResponse>();
  server.on('request', ({ socket }, response) => {
    // Node would read requests without bound that come before the answer to the one before. No client of ours sends any.
    if (last.get(socket)?.writableEnded === false) socket.destroy();
    last.set(socket, response);
  });
  return {
    server,
    connections,
    use: (next) => secure?.setSecureContext(next),
    async listen(port, host) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, resolve);
      });
      return (server.address() as AddressInfo).port;
    },
  };
}
