import { systemClock } from '../clock.ts';
import type { ClusterConnection } from './connection.ts';
import type { CallOptions, ClientOptions } from '../contract.ts';
import { createLimiter } from '../turns/limiter.ts';
import { openStream, type Request, type Wire } from './attempt.ts';
import { createPools } from './pools.ts';
import { send } from './send.ts';
import { REQUESTS, shareOf } from '../turns/fair-queue.ts';

/** The part of a request that one call of a client decides. */
export type Asked = Pick<Request, 'method' | 'path'> & Partial<Request>;

/**
 * The requests of one client: they share its limit and its connections, get its defaults, and are reported to `onRequest` when they have
 * ended. `resource` is a plural with its subresource, such as `datasets/status`.
 */
export interface Requests {
  /** Sends, and retries where that is harmless. Returns the body of the answer. @throws as `send` in send.ts */
  send(resource: string, request: Asked, call?: CallOptions): Promise<string>;
  /** Opens a watch, which counts as ended when it is open. */
  open(resource: string, request: Asked, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  close(): Promise<void>;
}

const RETRIES = 5;

export function createRequests(connection: ClusterConnection, options: ClientOptions): Requests {
  const { fieldManager, userAgent = fieldManager, timeoutMs = 15_000, maxConnections = REQUESTS, onRequest, deadline } = options;
  const clock = options.clock ?? systemClock;
  const limiter = createLimiter(maxConnections, clock, shareOf(maxConnections));
  const pools = (connection.pools ?? ((most) => createPools(connection, most)))(maxConnections);
  const prefix = new URL(connection.server).pathname.replace(/\/$/, '');
  const wire: Wire = { connection, pools, prefix, userAgent, clock, limiter, deadline };

  return {
    async send(resource, request, call = {}) {
      const began = clock.monotonic();
      const whole: Request = {
        ...request,
        timeoutMs: call.timeoutMs ?? timeoutMs,
        retries: call.retries ?? RETRIES,
        signal: call.signal,
        confidential: isConfidential(resource),
      };
      return send(wire, whole, (status, retries) =>
        onRequest?.({ method: request.method, resource, status, durationMs: clock.monotonic() - began, retries }),
      );
    },

    async open(resource, request, signal) {
      const began = clock.monotonic();
      const report = (status: number) =>
        onRequest?.({ method: 'WATCH', resource, status, durationMs: clock.monotonic() - began, retries: 0 });
      return openStream(wire, { ...request, timeoutMs: 0, retries: 0, confidential: isConfidential(resource), signal }).then(
        (body) => (report(200), body),
        (error) => {
          report(error?.status ?? 0);
          throw error;
        },
      );
    },

    close: () => pools.close(),
  };
}

/** Answers about these may quote what is in them. */
export const isConfidential = (resource: string): boolean => resource === 'secrets';
