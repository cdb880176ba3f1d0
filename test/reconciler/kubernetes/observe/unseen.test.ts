import { expect, test } from 'vitest';
import cache from '../../../../runtimes/cache/index.ts';
import { replacedWorkloads } from '../../../../src/reconciler/kubernetes/observe/unseen.ts';

const owner = { uid: 'own', namespace: 'ml', name: 'demo' };
const set = (name: string) => ({
  apiVersion: 'workload.fluid.io/v1alpha1',
  kind: 'AdvancedStatefulSet',
  metadata: {
    name,
    namespace: 'ml',
    uid: `uid-${name}`,
    ownerReferences: [{ apiVersion: 'v1', kind: 'CacheRuntime', name: 'demo', uid: 'own' }],
  },
});

/** The AdvancedStatefulSets that are found, if StatefulSets of these names exist. */
async function found(status: 'True' | 'False' | undefined, existing: readonly string[] = []) {
  const asked: string[] = [];
  const where = {
    client: { get: async (_: unknown, { name }: { name: string }) => (asked.push(name), set(name)) },
    store: { live: (_: string, __: string, name: string) => (existing.includes(name) ? {} : undefined), isOwner: () => true },
  };
  const conditions = status === undefined ? [] : [{ type: 'Synced', status }];
  const replaced = await replacedWorkloads(where as never, owner, cache, true, { conditions });
  return { asked, names: replaced.map(({ object }) => object.metadata.name) };
}

test('they are looked for until the runtime is as its spec says, also after a first try that failed', async () => {
  const names = ['demo-master', 'demo-worker'];
  expect((await found(undefined)).names).toEqual(names);
  expect((await found('False')).names).toEqual(names);
  expect((await found('False', ['demo-master'])).names).toEqual(['demo-worker']);
  expect((await found('True')).asked).toEqual([]);
});
