/** A CacheRuntime of Fluid: its pods are those of AdvancedStatefulSets, and none has the label by which pods are watched. */
import { expect, test } from 'vitest';
import { demo, type Harness } from '../harness.ts';
import { ADVANCED, fluidsCache, putAdvanced } from './fluids-cache.ts';

const ID = 'fluid.io/dataset-id';
const workersOf = ({ server }: Harness) => server.all('Pod').filter(({ metadata }) => /-(master|worker)-\d+$/.test(metadata.name));
const uidsOf = (at: Harness) => workersOf(at).map(({ metadata }) => metadata.uid);
const labelsOf = ({ server }: Harness) =>
  server
    .all('Node')
    .map(
      ({ metadata }) =>
        Object.keys(metadata.labels ?? {}).filter((key) => key.startsWith('fluid.io/s-') || key === 'fluid_exclusive').length,
    );

test('pods of AdvancedStatefulSets get their label, become those of StatefulSets, and commands run in them', async () => {
  const { at, exec } = await fluidsCache();
  const before = uidsOf(at);
  await at.quiet();
  expect(at.server.all(ADVANCED)).toEqual([]);
  expect(uidsOf(at)).toEqual(before);
  expect(workersOf(at).map(({ metadata }) => [metadata.labels?.[ID], metadata.ownerReferences?.[0]?.kind])).toEqual(
    before.map(() => ['ml-demo', 'StatefulSet']),
  );
  expect(exec.calls.map(({ pod, argv }) => `${pod} ${argv.join(' ')}`)).toContain('demo-master-0 plainfs mount /data');
  expect(at.dataset()).toMatchObject({ phase: 'Bound' });
  expect(at.conditions('CacheRuntime')).toMatchObject({ Synced: expect.stringMatching(/^True/) as string });
});

test('nodes keep the labels of its workers while their pods have no controller', async () => {
  const { at } = await fluidsCache();
  await at.quiet();
  const labels = labelsOf(at);
  expect(labels.filter((count) => count > 0)).toHaveLength(2);
  at.kill();
  const runtime = at.get('CacheRuntime')!;
  // Back to Fluid, and forward again.
  for (const [component, replicas] of [
    ['master', 1],
    ['worker', 2],
  ] as const) {
    at.controllers.paused.add('statefulsets');
    const set = at.get('StatefulSet', `demo-${component}`)!;
    for (const pod of at.server.all('Pod').filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === set.metadata.uid))
      at.server.delete('Pod', demo.namespace, pod.metadata.name);
    at.server.delete('StatefulSet', demo.namespace, set.metadata.name);
    await at.settle();
    putAdvanced(at.server, runtime, component, replicas);
  }
  at.forget();
  await at.restart();
  // Kubernetes takes its time.
  await at.advance(5_000);
  at.controllers.paused.clear();
  await at.quiet();
  expect(labelsOf(at)).toEqual(labels);
  const removals = at.server
    .requestsThat({ kind: 'Node', verb: 'patch' })
    .filter(({ body }) => JSON.stringify(body).includes('fluid.io/s-'));
  expect(removals).toEqual([]);
  expect(at.server.all(ADVANCED)).toEqual([]);
  expect(at.dataset()).toMatchObject({ phase: 'Bound' });
});

test('an AdvancedStatefulSet that may not be deleted is reported, keeps its pods, and holds back only the StatefulSet of its name', async () => {
  const { at } = await fluidsCache();
  const before = uidsOf(at);
  const refused = at.server.rules.refuse(
    { verb: 'delete', kind: ADVANCED, name: 'demo-worker' },
    { status: 403, reason: 'Forbidden', message: 'a policy keeps it' },
  );
  at.start();
  await at.advance(60_000);
  expect(at.conditions('CacheRuntime')['Synced']).toMatch(/^False.*AdvancedStatefulSet\/demo-worker: .*a policy keeps it/);
  expect(at.server.all(ADVANCED).map(({ metadata }) => metadata.name)).toEqual(['demo-worker']);
  expect(at.server.all('StatefulSet').map(({ metadata }) => metadata.name)).toEqual(['demo-master']);
  expect(at.get('DaemonSet', 'demo-client')).toBeDefined();
  expect(uidsOf(at)).toEqual(before);
  refused.remove();
  await at.advance(120_000);
  expect(at.server.all(ADVANCED)).toEqual([]);
  expect(at.conditions('CacheRuntime')['Synced']).toMatch(/^True/);
  expect(uidsOf(at)).toEqual(before);
});
