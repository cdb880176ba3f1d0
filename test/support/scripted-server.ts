/**
 * A wire-level fixture: an HTTP server that answers the n-th request with the n-th line of a script, for faults that a real API server
 * cannot be asked for. It knows nothing of Kubernetes; behaviour is tested in test/cluster.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type Step = (response: ServerResponse) => void;

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface ScriptedServer {
  readonly url: string;
  readonly port: number;
  /** Requests, in order. */
  readonly requests: readonly Received[];
  /** How many connections were opened in all. */
  readonly connections: number;
  /** Adds to the script. A request beyond its end hangs. */
  play(...steps: readonly Step[]): void;
  /** A script of its own for watches, where these and other requests come in either order. */
  playWatch(...steps: readonly Step[]): void;
  close(): Promise<void>;
}

export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Step =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

export const text =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Step =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body);
  };

/** The connection breaks (RST) after the request was read. */
export const reset: Step = (response) => {
  (response.socket as Socket).resetAndDestroy();
};

/** Never answered. */
export const hang: Step = () => {};

/** Lines of a watch, then left open. */
export const lines =
  (...events: readonly unknown[]): Step =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    for (const event of events) response.write(`${JSON.stringify(event)}\n`);
  };

/** A step, and then `end` after its bytes have left. */
export const and =
  (step: Step, end: 'close' | 'reset'): Step =>
  (response) => {
    step(response);
    response.write('', () => setTimeout(() => (end === 'close' ? response.end() : reset(response)), 5));
  };

/** Raw pieces, written one at a time. */
export const pieces =
  (...parts: readonly (string | Uint8Array)[]): Step =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    for (const part of parts) await new Promise((written) => response.write(part, () => setTimeout(written, 2)));
    response.end();
  };

/** @param otherwise what is answered to a request beyond the end of the script, which hangs without it */
export async function scriptedServer(
  script: readonly Step[] = [],
  port = 0,
  otherwise: (request: Received) => Step = () => hang,
): Promise<ScriptedServer> {
  const steps = [...script];
  const watchSteps: Step[] = [];
  const requests: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const received = { method, path: url, headers, body: Buffer.concat(parts).toString() };
      requests.push(received);
      const script = watchSteps.length > 0 && url.includes('watch=true') ? watchSteps : steps;
      (script.shift() ?? otherwise(received))(response);
    });
  });
  server.on('connection', (socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    requests,
    get connections() {
      return connections;
    },
    play: (...more) => {
      steps.push(...more);
    },
    playWatch: (...more) => {
      watchSteps.push(...more);
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
