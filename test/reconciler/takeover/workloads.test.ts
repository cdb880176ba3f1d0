import { expect, test } from 'vitest';
import cache from '../../../runtimes/cache/index.ts';
import thin from '../../../runtimes/thin/index.ts';
import type { RuntimeStatus } from '../../../src/api/index.ts';
import { ApiError } from '../../../src/kube/errors.ts';
import type { ResourceType } from '../../../src/kube/types.ts';
import { createWorkloadTakeover } from '../../../src/reconciler/takeover/workloads.ts';

const owner = { uid: 'own', namespace: 'ml', name: 'demo' };
const object = (kind: string, name: string) => ({
  kind,
  metadata: {
    name,
    namespace: 'ml',
    uid: `uid-${name}`,
    ownerReferences: [{ apiVersion: 'v1', kind: 'CacheRuntime', name: 'demo', uid: 'own' }],
  },
});
const synced = (status: 'True' | 'False'): Pick<RuntimeStatus, 'conditions'> => ({ conditions: [{ type: 'Synced', status }] });

/** A cluster with these objects, of which the watches show those with our label. */
function cluster(existing: readonly string[]) {
  const asked: string[] = [];
  const labelled = new Set<string>();
  /** StatefulSets that have fewer pods than they are to have. */
  const lacking = new Set<string>();
  const deleted: string[] = [];
  const client = {
    get: async ({ kind }: ResourceType, { name }: { name: string }) => {
      asked.push(`${kind}/${name}`);
      if (!existing.includes(`${kind}/${name}`)) throw new ApiError({ method: 'GET', path: name }, 404, 'none');
      return object(kind, name);
    },
    delete: async ({ kind }: ResourceType, { name }: { name: string }) => void deleted.push(`${kind}/${name}`),
  };
  const store = {
    live: (kind: string, _: string, name: string) =>
      labelled.has(`${kind}/${name}`)
        ? { ...object(kind, name), spec: { replicas: 1 }, status: { replicas: lacking.has(name) ? 0 : 1 } }
        : undefined,
    isOwner: () => true,
    pods: () => [],
    strays: () => [],
  };
  const takeover = createWorkloadTakeover(client as never, store as never, async () => {});
  return {
    takeover,
    labelled,
    lacking,
    deleted,
    /** The names of what a pass sees, and what it asked. */
    async pass(status?: Pick<RuntimeStatus, 'conditions'>, runtime = cache, isBound = true) {
      const workload = await takeover.workloads(owner, runtime, isBound, status);
      const seen = (['master', 'worker', 'fuse'] as const).map((role) => workload(role)?.metadata.name);
      return { seen, asked: asked.splice(0) };
    },
    release: (...names: readonly string[]) =>
      takeover.release({ runtime: { metadata: { uid: 'own' } } } as never, names.map((name) => ({ kind: 'StatefulSet', name })) as never),
  };
}

const FLUIDS = ['StatefulSet/demo-worker', 'DaemonSet/demo-client'];

test('workloads are read until watches show them, and what does not exist is looked for once', async () => {
  const { pass, labelled } = cluster(FLUIDS);
  expect((await pass()).seen).toEqual([undefined, 'demo-worker', 'demo-client']);
  expect(await pass(synced('False'))).toEqual({ seen: [undefined, 'demo-worker', 'demo-client'], asked: FLUIDS });
  for (const each of FLUIDS) labelled.add(each);
  for (let n = 0; n < 3; n++) expect((await pass(synced('False'))).asked).toEqual([]);
});

test('a runtime whose spec was followed and whose StatefulSets have their pods, or that is not bound, costs no request', async () => {
  const { pass, labelled } = cluster(FLUIDS);
  for (let n = 0; n < 3; n++) expect((await pass(synced('True'), thin)).asked).toEqual([]);
  expect((await pass(undefined, cache, false)).asked).toEqual([]);
  for (const each of ['StatefulSet/demo-master', ...FLUIDS]) labelled.add(each);
  expect((await pass(synced('True'))).asked).toEqual([]);
});

test('a workload of Fluid is looked for, once, while a StatefulSet is missing or lacks pods, though the spec was followed before', async () => {
  const sets = ['AdvancedStatefulSet/demo-master', 'AdvancedStatefulSet/demo-worker'];
  const { pass, release, deleted, labelled, lacking } = cluster(sets);
  labelled.add('StatefulSet/demo-worker');
  lacking.add('demo-worker');
  expect((await pass(synced('True'))).asked).toEqual(sets);
  await release('demo-master', 'demo-worker');
  expect(deleted).toEqual(sets);
  const nothing = cluster([]);
  expect((await nothing.pass(synced('True'))).asked).toEqual(sets);
  for (let n = 0; n < 3; n++) expect((await nothing.pass(synced('True'))).asked).toEqual([]);
});

test('a workload of Fluid in place of a StatefulSet is deleted before that is created, also after a first try that failed', async () => {
  const sets = ['AdvancedStatefulSet/demo-master', 'AdvancedStatefulSet/demo-worker'];
  const { pass, release, deleted, labelled } = cluster(sets);
  expect((await pass()).seen).toEqual([undefined, undefined, undefined]);
  await release('demo-master');
  expect(deleted).toEqual([sets[0]]);
  labelled.add('StatefulSet/demo-master');
  expect((await pass(synced('False'))).asked).toEqual(['StatefulSet/demo-worker', sets[1]]);
  await release('demo-master', 'demo-worker');
  expect(deleted).toEqual(sets);
});

test('of a kind whose workloads are StatefulSets nothing else is looked for', async () => {
  const { asked } = await cluster([]).pass(undefined, thin);
  expect(asked.filter((each) => each.startsWith('Advanced'))).toEqual([]);
});
