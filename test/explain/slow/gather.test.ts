/** A diagnosis of Datasets that the controller serves, on an API server in memory: what is asked of which pods, and what is said without answers. */
import { expect, test } from 'vitest';
import { runtimes } from '../../../runtimes/_all.gen.ts';
import { gather } from '../../../src/explain/gather.ts';
import { diagnose } from '../../../src/explain/slow/diagnose.ts';
import { gatherSlow } from '../../../src/explain/slow/gather.ts';
import { cpuPeriods } from '../../../src/explain/slow/pods.ts';
import type { PodExec } from '../../../src/kube/exec.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { createApiServer } from '../../../src/api-server/index.ts';
import { kinds } from '../../support/kinds.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { jfsDataset, jfsRuntime } from '../../support/objects.ts';
import { label } from '../../../src/api/index.ts';

const STATS = (hits: number, misses: number, evicts = 0) =>
  [
    'process_start_time_seconds 1795717436.77',
    'blockcache_bytes 15024576',
    `blockcache_hit_bytes ${hits}`,
    `blockcache_miss_bytes ${misses}`,
    `blockcache_evicts ${evicts}`,
    '',
  ]
    .map((line) => (line === '' ? '' : `juicefs_${line}`))
    .join('\n');

/** A Dataset that JuiceFS serves: a worker, and a client whose CPU is limited. */
async function given(more: { readonly pods?: number; readonly spec?: object } = {}) {
  const server = createApiServer({ kinds: Object.values(kinds), namespaces: ['ml'] });
  const client = server.client({ fieldManager: 'a-test' });
  const put = (object: KubeObject) => server.put({ ...object, metadata: { ...object.metadata, namespace: 'ml' } });
  const dataset = jfsDataset('demo');
  put({ ...dataset, status: { phase: 'Bound', conditions: [], ufsTotal: '10.00GiB' } } as KubeObject);
  put(jfsRuntime('demo', { fuse: { options: { 'attr-cache': '0' } }, ...more.spec }) as KubeObject);
  const runtime = await client.get(
    { group: 'data.fluid.io', version: 'v1alpha1', plural: 'juicefsruntimes', kind: 'JuiceFSRuntime', namespaced: true },
    { namespace: 'ml', name: 'demo' },
  );
  const owner = { apiVersion: runtime.apiVersion, kind: runtime.kind, name: 'demo', uid: runtime.metadata.uid ?? '', controller: true };
  const labels = (role: string) => ({ app: 'juicefs', release: 'demo', role });
  for (const [kind, role, status] of [
    ['StatefulSet', 'worker', { readyReplicas: 1, replicas: 1 }],
    ['DaemonSet', 'fuse', { desiredNumberScheduled: 1, numberReady: 1 }],
  ] as const)
    put({
      apiVersion: 'apps/v1',
      kind,
      metadata: { name: `demo-${role}`, labels: { [label.owner]: owner.uid }, ownerReferences: [owner] },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels(role) },
        template: { metadata: { labels: labels(role) }, spec: { containers: [] } },
      },
      status,
    } as unknown as KubeObject);
  const pod = (role: string, i: number) =>
    put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `demo-${role}-${i}`, labels: labels(role) },
      spec: { nodeName: `node-${i}`, containers: [{ name: `juicefs-${role}`, image: 'x', resources: { limits: { cpu: '500m' } } }] },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    } as unknown as KubeObject);
  pod('worker', 0);
  for (let i = 0; i < (more.pods ?? 1); i++) pod('fuse', i);
  const input = await gather(
    { ...client, list: (type, options) => client.list(type, { ...options, fieldSelector: undefined }) },
    runtimes,
    'ml',
    ['demo'],
  );
  const clock = manualClock();
  const calls: string[] = [];
  const ask = async (exec: PodExec) => {
    const counted: PodExec = (where, argv, timeout, most) => {
      calls.push(`${where.pod}/${where.container}: ${argv[2]?.includes('.stats') ? 'stats' : 'cpu'}, at most ${most}`);
      return exec(where, argv, timeout, most);
    };
    const asked = gatherSlow(input, { client, runtimes, exec: counted, seconds: 30, clock });
    for (let i = 0; i < 60; i++) {
      await new Promise(setImmediate);
      clock.advance(1000);
    }
    return (await asked).map(diagnose);
  };
  return { ask, calls };
}

test('clients are asked twice, in the time that was said, and what lies between is told', async () => {
  const { ask, calls } = await given();
  let reading = 0;
  const [report] = await ask(async (_, argv) => {
    if (!argv[2]?.includes('.stats')) return 'nr_periods 0\nnr_throttled 0\n';
    return reading++ < 2 ? STATS(1e9, 1e9) : STATS(1.1e9, 1.3e9);
  });
  expect(report).toMatchObject({
    object: 'Dataset ml/demo',
    runtime: 'JuiceFSRuntime ml/demo',
    basis: 'now',
    bytes: { now: { local: 1e8, remote: 0, store: 3e8 }, total: { local: 1.1e9, store: 1.3e9 } },
    unknown: [],
  });
  expect(report?.causes.map(({ reason }) => reason)).toEqual(['Cold', 'CostlyOption']);
  expect(report?.causes[1]).toMatchObject({ field: 'spec.fuse.options.attr-cache' });
  // A worker of this edition counts nothing for readers, but is asked for its file all the same.
  const once = [
    'demo-worker-0/juicefs-worker: stats',
    'demo-worker-0/juicefs-worker: cpu',
    'demo-fuse-0/juicefs-fuse: stats',
    'demo-fuse-0/juicefs-fuse: cpu',
  ];
  expect(calls.toSorted()).toEqual([...once, ...once].map((call) => `${call}, at most 65536`).toSorted());
});

test('without the right to run commands it says so once, and goes on', async () => {
  const { ask } = await given({ pods: 5 });
  const [report] = await ask(async () => {
    throw new Error('sh in ml/demo-fuse-0 could not be started: Unexpected server response: 403');
  });
  expect(report?.unknown).toEqual([
    'counters of clients and caches: you may not run commands in pods of namespace ml (get and create pods/exec)',
  ]);
  expect(report?.causes.map(({ reason }) => reason)).toEqual(['CostlyOption']);
  expect(report).not.toHaveProperty('bytes');
});

test('pods that do not answer, or answer something else, are named; a few of many', async () => {
  const { ask } = await given({ pods: 5 });
  const [report] = await ask(async ({ pod }) => {
    if (pod.startsWith('demo-worker')) return `${STATS(0, 0)}nr_periods 1\nnr_throttled 0\n`;
    throw new Error(`\u001b[31mgone: secretKey=hunter2 ${'x'.repeat(1000)}`);
  });
  expect(report?.unknown).toHaveLength(4);
  expect(report?.unknown[0]).toMatch(/^pod demo-fuse-\d did not answer: /);
  expect(report?.unknown.at(-1)).toBe('2 more pods did not answer');
  for (const hostile of ['hunter2', '\u001b']) expect(report?.unknown.join('')).not.toContain(hostile);
});

test('of many clients some are asked, and it says how many not', async () => {
  const { ask, calls } = await given({ pods: 40 });
  const [report] = await ask(async (_, argv) => (argv[2]?.includes('.stats') ? STATS(1, 0) : 'nr_periods 1\nnr_throttled 0\n'));
  expect(report?.unknown).toContain('8 of 40 fuse pods were not asked');
  expect(new Set(calls.filter((call) => call.startsWith('demo-fuse'))).size).toBe(64);
});

test('no more than 16 commands run at a time', async () => {
  const { ask } = await given({ pods: 32 });
  let [running, most] = [0, 0];
  await ask(async () => {
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
    return STATS(1, 0);
  });
  expect(most).toBe(16);
});

test('cpu.stat is read strictly', () => {
  expect(cpuPeriods('usage_usec 1\nnr_periods 12\nnr_throttled 3\nthrottled_usec 9\n')).toEqual({ periods: 12, throttled: 3 });
  for (const answer of ['', 'nr_periods 12', 'nr_periods x\nnr_throttled 3', 'xnr_periods 1\nnr_throttled 1'])
    expect(() => cpuPeriods(answer)).toThrow('cpu.stat has no periods');
});
