/** Serves the page with a fleet of fixture.ts: `node test/ui/page/fixture-server.ts [datasets] [port]`. Signs everybody in. */
import { createServer, type ServerResponse } from 'node:http';
import { assets as pageAssets } from '../../../src/cli/ui/assets.ts';
import { type DatasetRow, type FleetChange, paths } from '../../../src/ui/wire.ts';
import { fleetOf, nodesOf, rowOf, viewOf } from './fixture.ts';

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

export async function serveFixture(count: number, port = 0) {
  const now = Date.now();
  const assets = await pageAssets();
  const fleet = fleetOf(count, now);
  const rows = new Map(fleet.datasets.map((row) => [`${row.namespace}/${row.name}`, row]));
  const followers = new Set<ServerResponse>();
  let version = 1;
  const server = createServer((request, response) => {
    const [path = '', ...names] = (request.url ?? '').split('?')[0]?.split(/(?<=^\/api\/[a-z]+)\/|(?<!^)(?<!^\/api)\//) ?? [];
    const json = (value: unknown) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const asset = assets.get(path);
    if (asset) return void response.writeHead(200, { 'content-type': asset.type, 'content-security-policy': CSP }).end(asset.body);
    if (path === paths.fleet) return void json({ ...fleet, datasets: [...rows.values()], version: String(version) });
    if (path === paths.nodes) return void json(nodesOf([...rows.values()]));
    if (path === paths.session) return void json({});
    if (path === paths.changes) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
      followers.add(response);
      response.on('close', () => followers.delete(response));
      return;
    }
    const row = rows.get(names.map(decodeURIComponent).join('/'));
    if (path === paths.datasets && row) return void json(viewOf(row, now));
    if (path === paths.preview && row)
      return void json({
        faults: [],
        warnings: ['spec.mounts[0].mountPoint: no credentials'],
        changes: [
          {
            object: `StatefulSet ${row.namespace}/${row.name}-worker`,
            effect: 'replaces pods one by one',
            diff: '--- live\n+++ planned\n@@ -1,3 +1,3 @@\n spec:\n-  replicas: 3\n+  replicas: 5\n   serviceName: x\n',
          },
        ],
      });
    response.writeHead(404).end('no such path');
  });
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    rows,
    rowOf: (i: number): DatasetRow => rowOf(i, now),
    send(change: Omit<FleetChange, 'version'>) {
      version += 1;
      for (const row of change.datasets ?? []) rows.set(`${row.namespace}/${row.name}`, row);
      for (const key of change.gone?.datasets ?? []) rows.delete(key);
      for (const each of followers) each.write(`id: ${version}\ndata: ${JSON.stringify({ ...change, version: String(version) })}\n\n`);
    },
    stop: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

if (import.meta.main) {
  const { port } = await serveFixture(Number(process.argv[2] ?? 300), Number(process.argv[3] ?? 8765));
  console.log(`http://127.0.0.1:${port}/`);
}
