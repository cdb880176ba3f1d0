import { type Busy, busy, retryAfter } from './busy.ts';
import type { Clock } from '../clock.ts';
import { type ClusterConnection, identityHeaders, type Pools } from './connection.ts';
import type { Method } from '../contract.ts';
import { ApiError, apiErrorFrom, NoAnswer, NotLeader, type RequestName } from '../errors.ts';
import { exchange } from './exchange.ts';
import type { Limiter } from '../turns/limiter.ts';
import { namespaceIn } from './paths.ts';

/** One request as it goes over the wire. */
export interface Request extends RequestName {
  readonly method: Method;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: string;
  /** For one attempt, from sending to the last byte. */
  readonly timeoutMs: number;
  readonly retries: number;
  /** Limit of the answer. */
  readonly mostBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** An error must not quote the answer. */
  readonly confidential: boolean;
}

/** The common parts of all requests of one client. */
export interface Wire {
  readonly connection: ClusterConnection;
  readonly pools: Pools;
  /** The path of the server itself, without a slash at its end; mostly empty. */
  readonly prefix: string;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly limiter: Limiter;
  /** ms since the epoch after which no write may be sent. */
  readonly deadline?: (() => number) | undefined;
}

export interface Attempt {
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs: number | undefined;
  /** Set where it may be asked again: what a 429 refused was not done, a 503 may come from half-way. */
  readonly later: Busy | undefined;
}

/** One try. Returns the answer, with any status. */
export async function attempt(wire: Wire, request: Request): Promise<Attempt> {
  const { clock, limiter, deadline } = wire;
  const { method, path, body = null, signal } = request;
  const namespace = namespaceIn(path);
  await limiter.acquire(signal, namespace);
  let giveUp: (() => void) | undefined;
  let cancelTimeout: (() => void) | undefined;
  try {
    const { token, headers: sent } = await identified(wire, request);
    // Last, with nothing awaited between this and the sending.
    const leftMs = () => (method === 'GET' || !deadline ? Number.POSITIVE_INFINITY : deadline() - clock.wall());
    const objection = () => (leftMs() <= 0 ? new NotLeader(request) : undefined);
    const left = leftMs();
    if (left <= 0) throw new NotLeader(request);
    signal?.throwIfAborted();
    const { answer, abort } = exchange(
      wire.pools.requests,
      { method, path: wire.prefix + path, headers: sent, body },
      { mostBytes: request.mostBytes, objection },
    );
    giveUp = () => abort(signal?.reason);
    signal?.addEventListener('abort', giveUp, { once: true });
    const patience = Math.min(request.timeoutMs, left);
    cancelTimeout = clock.after(patience, () => abort(new Timeout(patience)));
    const { status, text, headers: received } = await answer;
    const retryAfterMs = retryAfter(received['retry-after'], clock);
    const later = busy(status, text, retryAfterMs);
    if (later?.forAll) limiter.pause(later.waitMs);
    if (status === 401) wire.connection.refused?.(token);
    return { status, text, retryAfterMs, later: status === 429 || method === 'GET' ? later : undefined };
  } catch (error) {
    throw named(request, error, signal);
  } finally {
    cancelTimeout?.();
    if (giveUp) signal?.removeEventListener('abort', giveUp);
    limiter.release(namespace);
  }
}

/** Opens a stream on a connection of its own. Not limited, not retried. */
export async function openStream(wire: Wire, request: Request & { readonly signal: AbortSignal }): Promise<AsyncIterable<Uint8Array>> {
  const { method, path, signal } = request;
  const open = async () => {
    const { token, headers } = await identified(wire, request);
    signal.throwIfAborted();
    const answer = await wire.pools.streams.request({ method, path: wire.prefix + path, headers, signal });
    if (answer.statusCode === 401) wire.connection.refused?.(token);
    return answer;
  };
  try {
    let answer = await open();
    if (answer.statusCode === 401 && wire.connection.refused) {
      await answer.body.dump();
      answer = await open();
    }
    if (answer.statusCode === 200) return answer.body;
    const retryAfterMs = retryAfter(answer.headers['retry-after'], wire.clock);
    throw apiErrorFrom(request, answer.statusCode, await answer.body.text(), { confidential: request.confidential, retryAfterMs });
  } catch (error) {
    throw named(request, error, signal);
  }
}

async function identified({ connection, userAgent }: Wire, request: Request) {
  const { token, headers } = await identityHeaders(connection);
  return {
    token,
    headers: {
      accept: request.accept ?? 'application/json',
      'user-agent': userAgent,
      ...(request.contentType && { 'content-type': request.contentType }),
      ...headers,
    },
  };
}

/** The error of one try: answers and the caller's abort as they are, all else as NoAnswer. */
export function named(request: RequestName, error: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted && error === signal.reason) return error;
  if (error instanceof ApiError || error instanceof NoAnswer || error instanceof NotLeader) return error;
  const { code, syscall } = error as { code?: string; syscall?: string };
  const neverSent = syscall === 'connect' || (code !== undefined && (BEFORE_SENDING.has(code) || isDistrust(code)));
  return new NoAnswer(request, error, { code, mayHaveArrived: !neverSent });
}

const BEFORE_SENDING = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** The server's certificate was not accepted: OpenSSL's X509_V_ERR names as Node gives them, and Node's own. */
export const isDistrust = (code: string): boolean =>
  /^(ERR_TLS|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|INVALID_CA|HOSTNAME_MISMATCH)/.test(code);

export class Timeout extends Error {
  readonly code = 'TIMEOUT';

  constructor(ms: number) {
    super(`no answer within ${Math.round(ms)} ms`);
  }
}
