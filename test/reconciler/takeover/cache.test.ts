/** A CacheRuntime of Fluid: its pods are those of AdvancedStatefulSets, and none has the label by which pods are watched. */
import { expect, test } from 'vitest';
import cache from '../../../runtimes/cache/index.ts';
import thin from '../../../runtimes/thin/index.ts';
import type { ApiServer } from '../../../src/api-server/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { memoryExec } from '../../support/memory-exec.ts';
import { cacheRuntime, datasetObject } from '../../support/objects.ts';
import { cacheClass } from '../../support/plainfs.ts';
import { demo, type Harness, harness } from '../harness.ts';

const ID = 'fluid.io/dataset-id';
const { group, version, kind } = cache.fluidsWorkloads!;

/** As Fluid's controller of that kind would create it, with its pods. */
function putAdvanced(server: ApiServer, runtime: KubeObject, component: 'master' | 'worker', replicas: number): void {
  const name = `demo-${component}`;
  const labels = { 'cacheruntime.fluid.io/component-name': name, 'cacheruntime.fluid.io/name': 'demo' };
  const owner = { apiVersion: runtime.apiVersion, kind: 'CacheRuntime', name: 'demo', uid: runtime.metadata.uid ?? '', controller: true };
  const containers = [{ name: component, image: 'registry.example/plainfs:1' }];
  const template = { metadata: { labels }, spec: { containers } };
  const set = server.put({
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name, namespace: demo.namespace, labels, ownerReferences: [owner] },
    spec: { replicas, selector: { matchLabels: labels }, serviceName: `svc-${name}`, template },
  } as KubeObject);
  for (let i = 0; i < replicas; i++)
    server.put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `${name}-${i}`,
        namespace: demo.namespace,
        labels,
        ownerReferences: [
          { apiVersion: set.apiVersion, kind, name, uid: set.metadata.uid ?? '', controller: true, blockOwnerDeletion: true },
        ],
      },
      spec: { containers, nodeName: `node-${i + 1}` },
    } as KubeObject);
}

/** A Cache that Fluid has set up. Its controller is stopped, and ours has not begun. */
async function fluidsCache() {
  const exec = memoryExec();
  const at = await harness({ runtimes: [cache, thin], probeMs: 60_000, fluidsWorkloads: true, exec: exec.exec });
  at.put(cacheClass('plain'));
  const conditions = [{ type: 'Ready', status: 'True', reason: 'DatasetReady' }];
  const mounts = [{ mountPoint: 's3://data', name: 'data' }];
  at.put({
    ...datasetObject('demo', { placement: 'Exclusive', mounts }),
    status: {
      phase: 'Bound',
      mounts,
      conditions,
      runtimes: [{ name: 'demo', namespace: demo.namespace, type: 'cache', category: 'Accelerate' }],
    },
  } as KubeObject);
  const runtime = at.put({
    ...cacheRuntime('demo', { runtimeClassName: 'plain', worker: { replicas: 2 } }),
    status: { mountTime: '2026-01-02T03:04:05Z' },
  } as KubeObject);
  putAdvanced(at.server, runtime, 'master', 1);
  putAdvanced(at.server, runtime, 'worker', 2);
  await at.settle();
  return { at, exec };
}
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
  expect(at.server.all(kind)).toEqual([]);
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
  expect(at.server.all(kind)).toEqual([]);
  expect(at.dataset()).toMatchObject({ phase: 'Bound' });
});
