import type { Registry } from 'prom-client';
import { createListener } from '../kube/listen/listener.ts';
import { showBuild } from './build-info.ts';
import { createScrapes } from './scrapes.ts';

/** A kubelet and a Prometheus have a connection or two. Any pod may open others. */
const LIMITS = { most: 64, mostOfPeer: 16, headerBytes: 4096, headersMs: 5_000, requestMs: 5_000, idleMs: 60_000 };

export interface Health {
  /** Why the process should be restarted; undefined when it works. */
  alive(): string | undefined;
  /** Why it cannot do its work yet. */
  ready(): string | undefined;
}
export interface HealthServer {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Serves `/healthz`, `/readyz` and `/metrics`, for the kubelet and Prometheus. Port 0 picks a free one.
 *
 * @param more further metrics, in chunks
 */
export async function serveHealth(
  host: string,
  port: number,
  health: Health,
  registry: Registry,
  more?: () => AsyncIterable<string>,
): Promise<HealthServer> {
  showBuild(registry);
  const { server, listen } = createListener(LIMITS);
  const scrapes = createScrapes(registry.contentType, async function* () {
    yield await registry.metrics();
    if (more) yield* more();
  });
  server.on('request', (request, response) => {
    // Nothing here reads a body.
    if (!request.complete && hasBody(request.headers)) response.setHeader('connection', 'close');
    const answer = (problem: string | undefined) =>
      response.writeHead(problem ? 503 : 200, { 'content-type': 'text/plain' }).end(`${problem ?? 'ok'}\n`);
    switch (request.url?.split('?')[0]) {
      case '/healthz':
        answer(health.alive());
        return;
      case '/readyz':
        answer(health.ready());
        return;
      case '/metrics':
        scrapes.answer(request, response);
        return;
      default:
        response.writeHead(404, { 'content-type': 'text/plain' }).end('not found: try /healthz, /readyz or /metrics\n');
    }
  });
  const bound = await listen(port, host);
  return {
    port: bound,
    stop: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

const hasBody = (headers: Readonly<Record<string, unknown>>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
