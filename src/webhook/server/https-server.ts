import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { systemClock } from '../../kube/clock.ts';
import { createListener } from '../../kube/listen/listener.ts';
import type { Log } from '../../kube/types.ts';
import type { HttpAnswer } from './request.ts';
import { createBodies, refusal, SMALL } from './bodies.ts';
import { namespaceIn } from './caller.ts';
import { createShares } from './shares.ts';
import { createTurns } from './turns.ts';

export interface Pair {
  readonly certificate: string;
  readonly key: string;
}
export interface WebhookServer {
  readonly port: number;
  /** Connections from now on are served with this certificate. */
  use(pair: Pair): void;
  /** From now on each answer ends its connection, so that clients ask another replica. */
  drain(): void;
  /** Takes no further connections, answers what was asked, and closes all connections. */
  stop(): Promise<void>;
}

/** API servers keep a connection for 90 s without a request. One that we closed meanwhile could cost an admission. */
const KEEP_MS = 120_000;
/** Answers are there within 10 s. */
const DRAIN_MS = 12_000;
/** Each may hold a body of 256 KiB. */
const MOST_CONNECTIONS = 500;
/** All API servers may have one address, and one that is no API server may not have all connections. */
const SHARE_OF_PEER = 0.8;
/** A Go duration of whole seconds, as API servers write it. */
const TIMEOUT = /^(\d{1,3})s$/;

/**
 * @param withinMs the timeout of the API server that asks, if it says so
 * @param turn resolves when the request may compute again, after it has waited for something; false if its client is gone
 */
export type Admit = (text: string, withinMs?: number, turn?: () => Promise<boolean>) => Promise<HttpAnswer>;
/** The functions that answer, by path. */
export type Routes = ReadonlyMap<string, Admit>;

/**
 * Serves admissions.
 * @param most connections at once
 */
export async function serveWebhook(port: number, first: Pair, routes: Routes, log: Log, most = MOST_CONNECTIONS): Promise<WebhookServer> {
  const textOf = createBodies();
  const turns = createTurns();
  const mostOfPeer = Math.ceil(most * SHARE_OF_PEER);
  const shares = createShares(mostOfPeer);
  let isStopping = false;
  let isClosed = false;
  const idle = new Set<Socket>();
  const { server, connections, use, listen } = createListener({
    tls: { cert: first.certificate, key: first.key, minVersion: 'TLSv1.2' },
    most,
    mostOfPeer,
    headerBytes: 16 << 10,
    headersMs: 5_000,
    requestMs: 10_000,
    idleMs: KEEP_MS,
  });
  server.on('request', (request, response) => {
    idle.delete(request.socket);
    response.once('close', () => {
      connections.answered(request.socket);
      if (!request.socket.destroyed) idle.add(request.socket);
    });
    const reply = ({ status, body }: HttpAnswer): void => {
      const type = status === 200 ? 'application/json' : 'text/plain';
      // A connection whose request was not read to its end has no next one.
      const closes = isStopping || !request.complete;
      // With its length an answer is one write, and is not sent in chunks.
      const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body) };
      response.writeHead(status, { ...headers, ...(closes && { connection: 'close' }) }).end(body);
    };
    answer(request, response).then(reply, (error: unknown) => {
      log.error({ err: error }, 'a request for an admission could not be answered; this is a defect of Sluice');
      reply({ status: 500, body: 'the webhook met a defect, which its log describes\n' });
    });
  });
  server.on('secureConnection', (socket) => {
    // The handshake was under way when the webhook stopped.
    if (isClosed) return void socket.destroy();
    idle.add(socket);
    socket.once('close', () => idle.delete(socket));
  });
  // Clients that speak no TLS, or close early, are no event of ours.
  server.on('tlsClientError', (error) => log.debug({ error: error.message }, 'a TLS handshake failed'));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<HttpAnswer> {
    const [path = '', query] = (request.url ?? '').split('?');
    const admit = routes.get(path);
    if (!admit) return refusal(404, `expected ${[...routes.keys()].join(' or ')} as path`);
    if (request.method !== 'POST') return refusal(405, `expected POST, found ${request.method}`);
    const text = await textOf(request, response);
    if (typeof text !== 'string') return text;
    connections.answering(request.socket);
    const caller = { peer: request.socket.remoteAddress ?? '', namespace: namespaceIn(text) };
    if (!shares.take(caller, 1)) return refusal(503, 'expected fewer requests of this namespace at once; retry');
    response.once('close', () => shares.give(caller, 1));
    const turn = () => turns.take(caller, text.length > SMALL, () => response.destroyed);
    // Nobody would read the answer of one that is gone.
    if (!(await turn())) return refusal(400, 'expected a client that waits');
    const seconds = TIMEOUT.exec(new URLSearchParams(query).get('timeout') ?? '')?.[1];
    return admit(text, seconds === undefined ? undefined : Number(seconds) * 1000, turn);
  }

  const bound = await listen(port);
  return {
    port: bound,
    use: ({ certificate, key }) => use({ cert: certificate, key, minVersion: 'TLSv1.2' }),
    drain() {
      isStopping = true;
    },
    async stop() {
      isStopping = true;
      isClosed = true;
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      // Node counts a connection that has not asked anything yet as one that is about to.
      for (const socket of idle) socket.destroy();
      const cancel = systemClock.after(DRAIN_MS, () => server.closeAllConnections());
      await closed;
      cancel();
    },
  };
}
