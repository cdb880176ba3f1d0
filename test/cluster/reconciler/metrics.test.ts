/** A scrape of a running controller on a real API server; the pods and what they answer are simulated. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HealthServer, serveHealth } from '../../../src/cli/health.ts';
import { createMetrics } from '../../../src/reconciler/metrics.ts';
import { type Series, seriesOf } from '../../support/exposition.ts';
import { jfsDataset, jfsRuntime, jfsSecret } from '../../support/objects.ts';
import { eventually, type Sluice, startSluice } from '../../support/sluice.ts';
import { sharedControlPlane, simulated } from '../../support/test-cluster.ts';

describe.skipIf(!simulated)('metrics of a Dataset', () => {
  let sluice: Sluice;
  let health: HealthServer;
  beforeAll(async () => {
    const metrics = createMetrics({ host: 'test', fleet: () => sluice?.controller.store, datasetLimit: 1000 });
    const well = { alive: () => undefined, ready: () => undefined };
    health = await serveHealth('127.0.0.1', 0, well, metrics.registry, metrics.fleet);
    sluice = await startSluice(sharedControlPlane(), { metrics, probeMs: 1000 });
  });
  afterAll(async () => {
    await sluice?.stop();
    await health?.stop();
  });

  test('are served from its first status to its end', async () => {
    const space = await sluice.space('metrics');
    const { namespace } = space;
    const scraped = async (): Promise<readonly Series[]> => {
      const answer = await fetch(`http://127.0.0.1:${health.port}/metrics`);
      // Fetch accepts gzip, and unpacks it.
      expect(answer.headers.get('content-encoding')).toBe('gzip');
      return seriesOf(await answer.text()).filter(({ labels }) => labels['namespace'] === namespace);
    };
    const valueOf = async (name: string, labels: object = {}) => {
      const found = (await scraped()).filter((each) => each.name === name);
      expect(found).toMatchObject([{ labels: { namespace, dataset: 'demo', kind: 'JuiceFSRuntime', ...labels } }]);
      return found[0]?.value;
    };
    await space.create(jfsSecret(), jfsDataset('demo'), jfsRuntime('demo'));
    await space.bound('JuiceFSRuntime', 'demo');
    await eventually(async () => expect(await valueOf('sluice_dataset_phase', { phase: 'Bound' })).toBe(1));
    await eventually(async () => expect(await valueOf('sluice_dataset_fuse_pods_outdated')).toBe(0));
    await eventually(async () => expect(await valueOf('sluice_dataset_data_bytes')).toBeGreaterThan(0));

    const held = await sluice.plane.pods.hold({ namespace, name: 'warm-loader-job-*' }, { as: 'Running' });
    await space.create({
      apiVersion: 'data.fluid.io/v1alpha1',
      kind: 'DataLoad',
      metadata: { name: 'warm' },
      spec: { dataset: { name: 'demo', namespace } },
    });
    await eventually(async () => {
      const created = await valueOf('sluice_dataset_operation_timestamp_seconds', { operation: 'DataLoad', phase: 'Executing' });
      expect(Math.abs(Date.now() / 1000 - (created ?? 0))).toBeLessThan(120);
    });
    await held.release();
    await eventually(async () =>
      expect((await scraped()).filter(({ name }) => name === 'sluice_dataset_operation_timestamp_seconds')).toEqual([]),
    );

    await space.delete('Dataset', 'demo');
    await space.gone('Dataset', 'demo');
    await eventually(async () => expect(await scraped()).toEqual([]));
  });
});
