/** A scrape of the whole controller, on the API server in memory. */
import { expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/types.ts';
import { defaultAnswer } from '../../../src/playground/engines/juicefs.ts';
import { createMetrics, type Metrics } from '../../../src/reconciler/metrics.ts';
import type { WatchedFleet } from '../../../src/reconciler/metrics/exposition.ts';
import { seriesOf } from '../../support/exposition.ts';
import { jfsDataset, jfsRuntime, jfsSecret } from '../../support/objects.ts';
import { boundHarness } from '../harness.ts';
import { shown } from './given.ts';

const MINUTE = 60_000;
const LABELS = 'namespace=ml,dataset=demo,kind=JuiceFSRuntime';

test('a Dataset with a reader shows its cache, its fuse pods and what readers got; deleted, it shows nothing', async () => {
  const client = { started: 100.5, hit: 1000, miss: 500, asked: 0 };
  let fleet: WatchedFleet | undefined;
  const metrics: Metrics = createMetrics({ host: 'host', fleet: () => fleet, datasetLimit: 10 });
  const at = await boundHarness([jfsSecret(), jfsDataset('demo'), jfsRuntime('demo')], {
    probeMs: MINUTE,
    onRead: metrics.read,
    async exec(where, argv) {
      client.asked++;
      const call = { ...where, argv, stdin: false, tty: false } as unknown as Parameters<typeof defaultAnswer>[0];
      return (defaultAnswer(call)?.stdout ?? '')
        .replace(/^(juicefs_blockcache_hit_bytes) .*$/m, (_, name) => `${name} ${client.hit}`)
        .replace(/^(juicefs_blockcache_miss_bytes) .*$/m, (_, name) => `${name} ${client.miss}`)
        .replace(/^(juicefs_process_start_time_seconds) .*$/m, (_, name) => `${name} ${client.started}`);
    },
  });
  fleet = at.store;
  const read = async () => {
    const requests = at.server.requests.length;
    const { asked } = client;
    let text = '';
    for await (const chunk of metrics.fleet()) text += chunk;
    expect([at.server.requests.length, client.asked], 'a scrape asks no API server and no pod').toEqual([requests, asked]);
    return seriesOf(text);
  };
  const node = at.get('Node', 'node-1') as KubeObject;
  at.put({ ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, 'fluid.io/f-ml-demo': 'true' } } });
  await at.advance(2 * MINUTE);
  const series = await read();
  expect(shown(series, 'sluice_dataset_fuse_pods_')).toEqual([`desired{${LABELS}} 1`, `ready{${LABELS}} 1`, `outdated{${LABELS}} 0`]);
  expect(shown(series, 'sluice_dataset_phase')).toEqual([`{${LABELS},phase=Bound} 1`]);
  const cached = series.find(({ name }) => name === 'sluice_dataset_cached_bytes');
  expect(cached?.value).toBeGreaterThan(0);
  const reads = async () => shown(await read(), 'sluice_dataset_read_bytes_total');
  expect(await reads()).toEqual([`{${LABELS},source=cache} 0`, `{${LABELS},source=store} 0`]);
  Object.assign(client, { hit: 1700, miss: 600 });
  await at.advance(2 * MINUTE);
  expect(await reads()).toEqual([`{${LABELS},source=cache} 700`, `{${LABELS},source=store} 100`]);
  // The client was started again.
  Object.assign(client, { started: 200.5, hit: 30, miss: 20 });
  await at.advance(2 * MINUTE);
  expect(await reads()).toEqual([`{${LABELS},source=cache} 730`, `{${LABELS},source=store} 120`]);

  at.delete('Dataset');
  at.delete('JuiceFSRuntime');
  await at.advance(5 * MINUTE);
  expect((await read()).filter(({ labels }) => 'dataset' in labels)).toEqual([]);
});
