import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { showBuild } from './build-info.ts';

// Not imported: the ES module loads Node's own fetch too, which takes 14 MB.
const { createServer } = process.getBuiltinModule('node:http');

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

/** `/healthz`, `/readyz` and `/metrics`, for the kubelet and Prometheus. Port 0 picks a free one. */
export async function serveHealth(host: string, port: number, health: Health, registry: Registry): Promise<HealthServer> {
  showBuild(registry);
  const server = createServer((request, response) => {
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
        registry.metrics().then(
          (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
          (error: unknown) => response.writeHead(500).end(String(error)),
        );
        return;
      default:
        response.writeHead(404, { 'content-type': 'text/plain' }).end('not found: try /healthz, /readyz or /metrics\n');
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
