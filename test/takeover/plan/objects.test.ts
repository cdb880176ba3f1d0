/** The fate of an object in a take-over, from the change that `sluice diff` computes. */
import { expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/types.ts';
import type { Change } from '../../../src/planning/diff/change.ts';
import { planOf } from '../../../src/takeover/plan/objects.ts';

const workload = (kind: string, template: object = {}, more: object = {}, labels: object = {}): KubeObject =>
  ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'demo-worker', namespace: 'ml', resourceVersion: '1', labels },
    spec: { template: { metadata: { labels: { app: 'x' } }, spec: { containers: [], ...template } }, ...more },
  }) as KubeObject;
const change = (before: KubeObject | undefined, after: KubeObject | undefined, more: Partial<Change> = {}): Change => ({
  object: `${(before ?? after)?.kind} ml/demo-worker`,
  action: before ? 'change' : 'add',
  ...(before && { before }),
  ...(after && { after }),
  immutable: [],
  stale: [],
  restarting: [],
  ...more,
});

test('an object of which only labels and owners change is adopted as it is', () => {
  const after = workload('StatefulSet', {}, {}, { 'data.fluid.io/owner-uid': '1' });
  const found = planOf(change(workload('StatefulSet'), { ...after, metadata: { ...after.metadata, resourceVersion: '2' } }));
  expect(found).toEqual({ object: 'StatefulSet ml/demo-worker', fate: 'adopted', fields: ['labels'], notes: [], harm: [] });
});

test('the order of keys is no change', () => {
  const before = workload('StatefulSet', { a: 1, b: { c: 1, d: 2 } });
  const after = workload('StatefulSet', { b: { d: 2, c: 1 }, a: 1 }, {}, { owner: 'x' });
  expect(planOf(change(before, after)).fields).toEqual(['labels']);
});

test('pods keep the template of Fluid where the workload waits for their deletion', () => {
  const after = workload('StatefulSet', { priority: 1 }, {}, { owner: 'x' });
  expect(planOf(change(workload('StatefulSet'), after, { stale: ['demo-worker-0', 'demo-worker-1'] }))).toMatchObject({
    fate: 'changed',
    fields: ['template'],
    notes: ['2 pods keep the template of Fluid until deleted'],
    harm: [],
  });
});

test.each<[name: string, change: Change, harm: string]>([
  [
    'pods that restart',
    change(workload('StatefulSet'), workload('StatefulSet', { a: 1 }), { restarting: ['demo-worker-0'] }),
    'would restart: demo-worker-0',
  ],
  [
    'pods of a StatefulSet that gets fewer',
    change(workload('StatefulSet', {}, { replicas: 3 }), workload('StatefulSet', {}, { replicas: 1 })),
    'would end: demo-worker-1, demo-worker-2',
  ],
  [
    'host ports that become others',
    change(
      workload('StatefulSet', { hostNetwork: true, containers: [{ ports: [{ containerPort: 20_001 }, { containerPort: 20_002 }] }] }),
      workload('StatefulSet', { hostNetwork: true, containers: [{ ports: [{ containerPort: 20_001 }, { containerPort: 20_003 }] }] }),
    ),
    'host ports would change: 20002',
  ],
  [
    'a claim that is deleted',
    { ...change(undefined, undefined), object: 'PersistentVolumeClaim ml/demo', action: 'prune' },
    'pods that mount it would lose their data',
  ],
  [
    'a workload that is deleted',
    { ...change(undefined, undefined), object: 'DaemonSet ml/demo-fuse', action: 'prune' },
    'its pods would end',
  ],
])('%s are harm', (_, of, harm) => {
  expect(planOf(of).harm).toEqual([harm]);
});

test('a ConfigMap that is deleted harms nobody', () => {
  expect(planOf({ ...change(undefined, undefined), object: 'ConfigMap ml/x', action: 'prune' })).toMatchObject({
    fate: 'deleted',
    harm: [],
  });
});

test('host ports that stay are named, with the network of the host and without', () => {
  const ports = { containers: [{ ports: [{ containerPort: 1, hostPort: 30_000 }, { containerPort: 2 }] }] };
  expect(planOf(change(workload('StatefulSet', ports), workload('StatefulSet', ports, {}, { a: 'b' }))).notes).toEqual([
    'host ports stay: 30000',
  ]);
  const host = { ...ports, hostNetwork: true };
  expect(planOf(change(workload('StatefulSet', host), workload('StatefulSet', host, {}, { a: 'b' }))).notes).toEqual([
    'host ports stay: 30000, 2',
  ]);
});

test('nodes that fuse pods leave are named: the controller waits until no pod there reads', () => {
  const before = workload('DaemonSet', { nodeSelector: { 'fluid.io/f-ml-demo': 'true' } });
  const after = workload('DaemonSet', { nodeSelector: { 'fluid.io/f-ml-demo': 'true', disk: 'ssd' } });
  const nodes = [
    { name: 'node-1', labels: { 'fluid.io/f-ml-demo': 'true' } },
    { name: 'node-2', labels: { 'fluid.io/f-ml-demo': 'true', disk: 'ssd' } },
    { name: 'node-3', labels: {} },
  ];
  expect(planOf(change(before, after), nodes)).toMatchObject({
    notes: ['its pod leaves node-1 once no pod there reads the Dataset'],
    harm: [],
  });
});

test.each([
  ['add', 'created'],
  ['refuse', 'refused'],
  ['none', 'kept'],
  ['unknown', 'unknown'],
] as const)('%s is %s', (action, fate) => {
  const more = action === 'refuse' ? { problem: 'it exists and belongs to another' } : {};
  expect(planOf({ ...change(undefined, undefined), object: 'ConfigMap ml/x', action, ...more }).fate).toBe(fate);
});
