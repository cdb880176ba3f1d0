/** Vineyard on a real API server. Its pods are simulated; test/node has its own server on a real node. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { VineyardRuntimeSpec } from '../../../runtimes/vineyard/spec.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { datasetObject, vineyardRuntime } from '../../support/objects.ts';
import { condition, eventually, type Sluice, type Space, says, startSluice } from '../../support/sluice.ts';
import { sharedControlPlane, simulated } from '../../support/test-cluster.ts';

const levels = (quota: string) => ({ levels: [{ mediumtype: 'MEM' as const, quota }] });
const memory: VineyardRuntimeSpec = { replicas: 1, tieredstore: levels('1Gi') };
const WORKLOADS = [
  ['StatefulSet', 'demo-master'],
  ['StatefulSet', 'demo-worker'],
  ['DaemonSet', 'demo-fuse'],
] as const;
const STATELESS = [
  ['ConfigMap', 'demo-rpc-conf'],
  ['Service', 'demo-master'],
  ['Service', 'demo-worker'],
] as const;

describe.skipIf(!simulated).concurrent('a Vineyard', () => {
  let sluice: Sluice;
  beforeAll(async () => {
    sluice = await startSluice(sharedControlPlane(), { probeMs: 60_000 });
  });
  afterAll(() => sluice?.stop());

  /** Shared, so that a few nodes hold the workers of many. */
  async function bound(spec: VineyardRuntimeSpec = memory): Promise<Space> {
    const space = await sluice.space('vineyard');
    await space.create(datasetObject('demo', { placement: 'Shared' }), vineyardRuntime('demo', spec));
    await space.bound('VineyardRuntime', 'demo');
    return space;
  }
  const labels = async ({ namespace, list }: Space) =>
    (await list('Node')).flatMap(({ metadata }) => Object.entries(metadata.labels ?? {}).filter(([key]) => key.includes(namespace)));
  async function leavesNothing(space: Space): Promise<void> {
    await space.delete('Dataset', 'demo');
    await space.gone('Dataset', 'demo');
    await eventually(async () => expect(await space.made()).toEqual([]));
    await eventually(async () => expect(await labels(space)).toEqual([]));
  }
  /** What clients on nodes without a worker read: `demo-worker-0`, … */
  async function listsWorkers(space: Space, count: number): Promise<void> {
    const names = Array.from({ length: count }, (_, i) => `demo-worker-${i}`);
    await eventually(async () => {
      const { data } = (await space.get('ConfigMap', 'demo-rpc-conf')) as KubeObject & { data: Record<string, string> };
      expect((data['VINEYARD_RPC_ENDPOINT'] ?? '').split(',').flatMap((each) => each.split('.')[0] || [])).toEqual(names);
    });
  }

  test('is Bound, is left alone then, and leaves nothing', async () => {
    const space = await bound({ ...memory, fuse: { env: { EMPTY: '' } } });
    const { namespace } = space;
    await space.becomes('Dataset', 'demo', {
      status: { cacheStates: { cacheCapacity: '1.00GiB' }, runtimes: [{ type: 'vineyard', masterReplicas: 1 }] },
    });
    const { status } = await space.becomes('VineyardRuntime', 'demo', {
      status: { masterPhase: 'Ready', workerPhase: 'Ready', fusePhase: 'Ready', cacheStates: { cacheCapacity: '1.00GiB' } },
    });
    expect(status).toMatchObject({ selector: 'app=vineyard,release=demo,role=vineyard-worker' });
    expect(await space.made()).toEqual([
      'ConfigMap/demo-rpc-conf',
      'DaemonSet/demo-fuse',
      `PersistentVolume/${namespace}-demo`,
      'PersistentVolumeClaim/demo',
      'Service/demo-master',
      'Service/demo-worker',
      'StatefulSet/demo-master',
      'StatefulSet/demo-worker',
    ]);
    await eventually(async () =>
      expect(Object.fromEntries(await labels(space))).toMatchObject({
        [`fluid.io/s-vineyard-${namespace}-demo`]: 'true',
        [`fluid.io/s-h-vineyard-m-${namespace}-demo`]: '1GiB',
      }),
    );
    await listsWorkers(space, 1);
    // Its objects are as the API server prints them: they were not written a second time.
    // A later pass, which an edit without effect asks for, finds nothing to do.
    const versions = () => Promise.all(STATELESS.map(async ([kind, name]) => (await space.get(kind, name)).metadata.resourceVersion));
    const before = await versions();
    await space.patch('Dataset', 'demo', { spec: { sharedOptions: { x: '1' } } });
    await space.becomes('VineyardRuntime', 'demo', condition('SpecWarning', { message: says('spec.sharedOptions: has no effect') }));
    expect(await versions()).toEqual(before);
    for (const [kind, name] of WORKLOADS) expect((await space.get(kind, name)).metadata.generation, name).toBe(1);
    expect(await sluice.plane.exec.calls({ namespace })).toEqual([]);
    await leavesNothing(space);
  });

  test('is scaled out and in, and the addresses of workers follow for clients that run', async () => {
    const space = await bound();
    await space.kubectl('scale', 'v6d/demo', '--replicas=3');
    await listsWorkers(space, 3);
    await space.becomes('StatefulSet', 'demo-worker', { spec: { replicas: 3 }, status: { readyReplicas: 3 } });
    // Two servers on one node would listen at one socket.
    const pods = (await space.list('Pod')) as readonly (KubeObject & { spec: { nodeName?: string } })[];
    const workers = pods.filter(({ metadata }) => metadata.name.startsWith('demo-worker-'));
    expect(new Set(workers.map(({ spec }) => spec.nodeName)).size).toBe(3);
    const scale = JSON.parse(
      await space.kubectl('get', '--raw', `/apis/data.fluid.io/v1alpha1/namespaces/${space.namespace}/vineyardruntimes/demo/scale`),
    ) as { status: { replicas: number; selector: string } };
    expect(scale.status.replicas).toBe(3);
    const selected = await space.kubectl('get', 'pods', '-l', scale.status.selector, '-o', 'name');
    expect(selected.trim().split('\n')).toEqual([0, 1, 2].map((i) => `pod/demo-worker-${i}`));
    await space.kubectl('scale', 'v6d/demo', '--replicas=0');
    await listsWorkers(space, 0);
    await space.becomes('VineyardRuntime', 'demo', { status: { desiredWorkerNumberScheduled: 0, currentWorkerNumberScheduled: 0 } });
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound', cacheStates: { cacheCapacity: '0.00B' } } });
  });

  test('has what others delete or edit again', async () => {
    const space = await bound();
    for (const [kind, name] of [...WORKLOADS, ...STATELESS]) {
      const { uid } = (await space.get(kind, name)).metadata;
      await space.delete(kind, name);
      await eventually(async () => expect((await space.find(kind, name))?.metadata.uid).not.toBeOneOf([uid, undefined]));
    }
    // A second member that etcd was not told of would wait for ever.
    await space.kubectl('scale', 'statefulset/demo-master', '--replicas=2');
    await space.becomes('StatefulSet', 'demo-master', { spec: { replicas: 1 }, metadata: { generation: expect.toSatisfy((n) => n >= 3) } });
    await space.patch('ConfigMap', 'demo-rpc-conf', { data: { VINEYARD_RPC_ENDPOINT: '' } });
    await listsWorkers(space, 1);
    await space.bound('VineyardRuntime', 'demo');
  });
});
