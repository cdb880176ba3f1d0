import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runtimes } from '../../runtimes/_all.gen.ts';
import { silent } from '../../src/kube/types.ts';
import { type Controller, startController } from '../../src/reconciler/controller.ts';
import { createMetrics, type Metrics } from '../../src/reconciler/metrics.ts';
import { until } from '../support/manual-clock.ts';

/** A cluster that has nothing in it but the lease, and what `items` says, by plural. */
let items: Record<string, readonly object[]>;
let server: ReturnType<typeof createServer>;
let holders: string[];
let controller: Controller | undefined;
beforeEach(async () => {
  holders = [];
  items = {};
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      if (request.url?.includes('watch=true')) return response.flushHeaders();
      if (request.method === 'GET')
        return response.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items: items[pluralOf(request.url)] ?? [] }));
      const lease = JSON.parse(Buffer.concat(parts).toString());
      holders.push(lease.spec.holderIdentity);
      return response.end(JSON.stringify({ ...lease, metadata: { ...lease.metadata, resourceVersion: String(holders.length + 1) } }));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});
afterEach(async () => {
  await controller?.stop();
  server.closeAllConnections();
  server.close();
});

const pluralOf = (url = ''): string => url.split('?')[0]?.split('/').at(-1) ?? '';
const start = (metrics?: Metrics, election = true): Controller =>
  startController({
    connection: { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    runtimes,
    settings: { mountRoot: '/runtime-mnt', criticalFusePod: true, imagePullSecrets: [], env: {}, portRanges: {} },
    ...(election && { election: { namespace: 'fluid-system', name: 'sluice', identity: 'me', alive: () => true } }),
    log: silent,
    ...(metrics && { metrics }),
  });
/** The last thing that is done when the lease is taken fails. */
const broken = {
  requested() {},
  led(isLeader: boolean) {
    if (isLeader) throw new Error('out of file descriptors');
  },
} as unknown as Metrics;

test('a controller leads when it has seen everything, and gives the lease back when it stops', async () => {
  controller = start();
  await until(() => controller?.isLeader === true, 'it does not lead');
  await controller.stop();
  expect(holders).toEqual(['me', '']);
});

test('a controller that cannot begin to lead gives the lease back and says why, rather than to hold it and do nothing', async () => {
  controller = start(broken);
  expect(await controller.failed).toMatchObject({ message: 'out of file descriptors' });
  expect(holders).toEqual(['me', '']);
  expect(controller.isLeader).toBe(false);
});

test('a controller without an election says so too when it cannot begin', async () => {
  controller = start(broken, false);
  expect(await controller.failed).toMatchObject({ message: 'out of file descriptors' });
});

test('a standby puts no key in line, and counts none', async () => {
  const spec = { holderIdentity: 'other', leaseDurationSeconds: 60 };
  items = {
    leases: [{ metadata: { name: 'sluice', namespace: 'fluid-system', uid: 'l', resourceVersion: '1' }, spec }],
    datasets: [{ metadata: { name: 'demo', namespace: 'ml', uid: 'd', resourceVersion: '1' }, spec: {} }],
  };
  const metrics = createMetrics({ host: 'host' });
  controller = start(metrics);
  await controller.synced;
  expect([...controller.store.datasets()]).toHaveLength(1);
  expect(controller.isLeader).toBe(false);
  // A counter begins at 0, so that its first event is an increase.
  expect(await metrics.registry.metrics()).toMatch(/^workqueue_adds_total\S* 0$/m);
  expect(await metrics.registry.metrics()).not.toMatch(/^workqueue_adds_total\S* [1-9]/m);
});

test('a controller that has stopped leaves no connection open', async () => {
  // Neither side closes an idle connection by itself.
  server.keepAliveTimeout = 600_000;
  controller = start();
  await until(() => controller?.isLeader === true, 'it does not lead');
  await controller.stop();
  await expect.poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count))), { timeout: 10_000 }).toBe(0);
});
