import { afterEach, expect, test } from 'vitest';
import type { Fleet } from '../../src/ui/wire.ts';
import { ask, signIn, stream } from './requests.ts';
import { apiServer, localUi, pair } from './scene.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const SINCE = '2026-01-02T03:04:05Z';
const BOUND = {
  phase: 'Bound',
  conditions: [{ type: 'Ready', status: 'True', reason: 'DatasetReady' }],
  cacheStates: { cached: '1.00GiB', cacheCapacity: '4.00GiB', cacheHitRatio: '50.0%' },
  ufsTotal: '2.00GiB',
  fileNum: '12',
  runtimes: [{ type: 'alluxio' }],
};
const SYNCED = { conditions: [{ type: 'Synced', status: 'True', reason: 'Synced' }] };

async function viewing(api = apiServer()) {
  const ui = await localUi(api);
  ends.push(ui.stop);
  const headers = await signIn(ui.port, ui.token);
  const fleet = async () => (await ask(ui.port, '/api/fleet', { headers: { ...headers, 'accept-encoding': 'gzip' } })).json<Fleet>();
  return { api, ui, headers, fleet };
}

test('a row has figures of the Dataset, the kind of its runtime, and the gravest condition of both', async () => {
  const { api, ui, fleet } = await viewing();
  const crash = {
    type: 'PodsCrashing',
    status: 'True',
    reason: 'CrashLoop',
    message: 'pod demo-worker-0 ends with 1',
    lastTransitionTime: SINCE,
  };
  for (const object of pair('ml', 'demo', BOUND, { conditions: [...SYNCED.conditions, crash] })) api.put(object);
  for (const object of pair('vision', 'well', BOUND, SYNCED)) api.put(object);
  await ui.ready;
  await expect.poll(async () => (await fleet()).datasets.length).toBe(2);
  const { datasets, viewer } = await fleet();
  expect(viewer).toEqual({ name: 'ada', cluster: 'test', hidden: [] });
  const figures = { cached: 2 ** 30, capacity: 2 ** 32, hits: 0.5, data: 2 ** 31, files: 12 };
  expect(datasets.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
    {
      namespace: 'ml',
      name: 'demo',
      kind: 'AlluxioRuntime',
      phase: 'Bound',
      healthy: false,
      trouble: { type: 'PodsCrashing', reason: 'CrashLoop', message: 'pod demo-worker-0 ends with 1', since: Date.parse(SINCE) },
      ...figures,
      created: expect.any(Number),
    },
    { namespace: 'vision', name: 'well', kind: 'AlluxioRuntime', phase: 'Bound', healthy: true, ...figures, created: expect.any(Number) },
  ]);
});

test('credentials in a message of a condition are redacted, and a long one is cut', async () => {
  const { api, fleet } = await viewing();
  const message = `mount redis://:hunter2@db:6379/1 failed ${'x'.repeat(2000)}`;
  for (const object of pair('ml', 'demo', { phase: 'Failed', conditions: [{ type: 'NotReady', status: 'True', reason: 'R', message }] }))
    api.put(object);
  await expect.poll(async () => (await fleet()).datasets[0]?.trouble?.message).toHaveLength(400);
  expect((await fleet()).datasets[0]?.trouble?.message).not.toContain('hunter2');
});

test('an operation says what it works on, how far it is, what it runs after and what it waits for', async () => {
  const { api, fleet } = await viewing();
  const apiVersion = 'data.fluid.io/v1alpha1';
  const load = (name: string, spec: object, status: object) =>
    api.put({
      apiVersion,
      kind: 'DataLoad',
      metadata: { namespace: 'ml', name },
      spec: { dataset: { name: 'demo', namespace: 'ml' }, ...spec },
      status,
    });
  load('runs', {}, { phase: 'Executing', duration: 'Unfinished', conditions: [], infos: { Progress: '3 of 12 files' } });
  load('done', {}, { phase: 'Complete', duration: '1m3s', conditions: [] });
  load(
    'nightly',
    { policy: 'Cron', schedule: '0 3 * * *' },
    { phase: 'Complete', duration: '5s', conditions: [], lastScheduleTime: SINCE },
  );
  const waiting = [{ type: 'Complete', status: 'False', reason: 'DataOperationWaiting', message: 'waits for DataLoad ml/runs' }];
  load('next', { runAfter: { kind: 'DataLoad', name: 'runs' } }, { phase: 'Pending', duration: 'Unfinished', conditions: waiting });
  await expect.poll(async () => (await fleet()).operations.length).toBe(4);
  const rows = Object.fromEntries((await fleet()).operations.map((row) => [row.name, row]));
  expect(rows).toMatchObject({
    runs: { kind: 'DataLoad', datasets: ['ml/demo'], phase: 'Executing', progress: 0.25, seconds: expect.any(Number) },
    done: { phase: 'Complete', seconds: 63 },
    nightly: { schedule: '0 3 * * *', lastRun: Date.parse(SINCE), seconds: 5 },
    next: { phase: 'Pending', after: 'DataLoad/ml/runs', message: 'waits for DataLoad ml/runs' },
  });
});

test('a stream sends rows that change and keys of those that are gone, and goes on after the last that was read', async () => {
  const { api, ui, headers, fleet } = await viewing();
  await ui.ready;
  const { version } = await fleet();
  const first = stream(ui.port, `/api/changes?from=${version}`, headers);
  for (const object of pair('ml', 'demo', BOUND, SYNCED)) api.put(object);
  await expect.poll(() => first.messages.at(-1)?.datasets?.[0]).toMatchObject({ namespace: 'ml', name: 'demo', healthy: true });
  const last = first.messages.at(-1)?.version ?? '';
  first.request.destroy();
  api.delete('Dataset', 'ml', 'demo');
  const second = stream(ui.port, `/api/changes?from=${version}`, { ...headers, 'last-event-id': last });
  await expect.poll(() => second.messages.at(-1)?.gone).toEqual({ datasets: ['ml/demo'] });
  expect(second.messages.every((change) => change.again === undefined)).toBe(true);
  second.request.destroy();
});

test('a stream from a version of another start, or from none, says that the fleet is to be read again', async () => {
  const { ui, headers } = await viewing();
  for (const path of ['/api/changes?from=0123456789ab.3', '/api/changes', '/api/changes?from=%00']) {
    const changes = stream(ui.port, path, headers);
    await expect.poll(() => changes.messages).toMatchObject([{ again: true }]);
    await expect.poll(changes.isOver).toBe(true);
  }
});

test('a Dataset whose status is of any shape has a row, or none, and the others have theirs', async () => {
  const { api, fleet } = await viewing();
  const odd = [
    { conditions: 'none' },
    { conditions: [{ type: 1 }], phase: 7 },
    { cacheStates: [1, 2], runtimes: {} },
    { ufsTotal: { a: 1 } },
  ];
  odd.forEach((status, i) => pair('ml', `odd-${i}`, status).forEach((object) => api.put(object)));
  for (const object of pair('ml', 'well', BOUND, SYNCED)) api.put(object);
  await expect.poll(async () => (await fleet()).datasets.some(({ name, healthy }) => name === 'well' && healthy)).toBe(true);
});
