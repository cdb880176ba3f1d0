/** The API server in memory's own documents, for programs that ask by HTTP. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Served } from '../../src/api-server/wire/served.ts';
import { discovery } from '../../src/api-server/wire/discovery.ts';
import { createOpenApi } from '../../src/api-server/wire/openapi/index.ts';

/** Serves discovery and OpenAPI on this machine, until it is disposed of. */
export async function publish(served: readonly Served[], crds: readonly object[]): Promise<AsyncDisposable & { readonly url: string }> {
  const openApi = createOpenApi(served, crds);
  const server = createServer(({ url = '', headers }, response) => {
    const [path = ''] = url.split('?');
    const answer = discovery(path, headers.accept, served) ?? openApi(path, headers.accept);
    response.writeHead(answer ? 200 : 404, { 'content-type': answer?.contentType ?? 'text/plain' });
    response.end(answer ? JSON.stringify(answer.body) : '404 page not found');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
