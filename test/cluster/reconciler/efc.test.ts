/** EFC on a real API server. Its software is not public: its pods are simulated, and no command of it is ever run. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EFCRuntimeSpec } from '../../../runtimes/efc/spec.ts';
import { annotation } from '../../../src/api/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import type { Kind } from '../../support/kinds.ts';
import { datasetObject, efcRuntime } from '../../support/objects.ts';
import { eventually, type Sluice, type Space, startSluice } from '../../support/sluice.ts';
import { sharedControlPlane, simulated } from '../../support/test-cluster.ts';

const nas = { mountPoint: 'nfs://0a0b0c0d-x.cn-hangzhou.nas.aliyuncs.com:/images', name: 'images' };
const NO_FIGURES = Object.fromEntries(
  ['cacheCapacity', 'cached', 'cachedPercentage', 'cacheHitRatio', 'cacheThroughputRatio']
    .concat(['localHitRatio', 'localThroughputRatio', 'remoteHitRatio', 'remoteThroughputRatio'])
    .map((name) => [name, '']),
);
const disk: EFCRuntimeSpec = { replicas: 1, tieredstore: { levels: [{ mediumtype: 'SSD', path: '/cache', quota: '2Gi' }] } };
const WORKLOADS = [
  ['StatefulSet', 'demo-master'],
  ['StatefulSet', 'demo-worker'],
  ['DaemonSet', 'demo-fuse'],
] as const;

describe.skipIf(!simulated).concurrent('an EFC', () => {
  let sluice: Sluice;
  beforeAll(async () => {
    sluice = await startSluice(sharedControlPlane(), { probeMs: 60_000 });
  });
  afterAll(() => sluice?.stop());

  /** Shared, so that a few nodes hold the workers of many. */
  async function bound(spec: EFCRuntimeSpec = disk): Promise<Space> {
    const space = await sluice.space('efc');
    await space.create(datasetObject('demo', { placement: 'Shared', mounts: [nas] }), efcRuntime('demo', spec));
    await space.bound('EFCRuntime', 'demo');
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
  async function endpoints(space: Space): Promise<readonly string[]> {
    const { data } = (await space.get('ConfigMap', 'demo-worker-endpoints')) as KubeObject & { data: Record<string, string> };
    return (JSON.parse(data['efc-worker-endpoints.json'] ?? '') as { containerendpoints: readonly string[] }).containerendpoints;
  }
  /** The addresses of ready workers, at the port that their template has. */
  async function served(space: Space): Promise<readonly string[]> {
    const worker = (await space.get('StatefulSet', 'demo-worker'))['spec'] as {
      template: { spec: { containers: readonly [{ ports: readonly [{ containerPort: number }] }] } };
    };
    const { containerPort } = worker.template.spec.containers[0].ports[0];
    const pods = (await space.list('Pod')) as readonly (KubeObject & { status?: { podIP?: string } })[];
    return pods
      .filter(({ metadata, status }) => metadata.name.startsWith('demo-worker-') && status?.podIP)
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
      .map(({ status }) => `${status?.podIP}:${containerPort}`);
  }
  async function listsWorkers(space: Space, count: number): Promise<void> {
    await eventually(async () => {
      const found = await endpoints(space);
      expect(found).toHaveLength(count);
      expect(found).toEqual(await served(space));
    });
  }

  test('is Bound, is left alone then, and leaves nothing', async () => {
    const space = await bound();
    const { namespace } = space;
    await space.becomes('Dataset', 'demo', {
      status: { mounts: [nas], cacheStates: NO_FIGURES, runtimes: [{ type: 'efc', masterReplicas: 1 }] },
    });
    const { status } = await space.becomes('EFCRuntime', 'demo', {
      status: { valueFile: 'demo-efc-values', masterPhase: 'Ready', workerPhase: 'Ready', fusePhase: 'Ready', cacheStates: NO_FIGURES },
    });
    expect(status).toMatchObject({ selector: 'app=efc,release=demo,role=efc-worker' });
    expect(await space.made()).toEqual([
      'ConfigMap/demo-worker-endpoints',
      'DaemonSet/demo-fuse',
      `PersistentVolume/${namespace}-demo`,
      'PersistentVolumeClaim/demo',
      'StatefulSet/demo-master',
      'StatefulSet/demo-worker',
    ]);
    await eventually(async () =>
      expect(Object.fromEntries(await labels(space))).toMatchObject({
        [`fluid.io/s-efc-${namespace}-demo`]: 'true',
        [`fluid.io/s-h-efc-d-${namespace}-demo`]: '2GiB',
      }),
    );
    await listsWorkers(space, 1);
    expect((await endpoints(space))[0]).toMatch(/:1[67]\d{3}$/);
    // Its templates are as the API server prints them: they were not written a second time.
    for (const [kind, name] of WORKLOADS) expect((await space.get(kind, name)).metadata.generation, name).toBe(1);
    expect(await sluice.plane.exec.calls({ namespace })).toEqual([]);
    await leavesNothing(space);
    expect((await sluice.plane.exec.calls({ namespace })).map(({ pod, argv }) => [pod, ...argv])).toEqual([
      ['demo-worker-0', 'rm', '-rf', '--', `/cache/${namespace}/demo/tier_dadi`],
    ]);
  });

  test('is scaled out and in, and the list of workers follows for masters and clients that run', async () => {
    const space = await bound();
    const updates = async () => Number((await space.get('Pod', 'demo-master-0')).metadata.annotations?.[annotation.fuseConfigUpdate] ?? 0);
    await listsWorkers(space, 1);
    await eventually(async () => expect(await updates()).toBeGreaterThan(0));
    const before = await updates();
    await space.kubectl('scale', 'efc/demo', '--replicas=3');
    await listsWorkers(space, 3);
    await eventually(async () => expect(await updates()).toBeGreaterThan(before));
    const scale = JSON.parse(
      await space.kubectl('get', '--raw', `/apis/data.fluid.io/v1alpha1/namespaces/${space.namespace}/efcruntimes/demo/scale`),
    ) as { status: { replicas: number; selector: string } };
    expect(scale.status.replicas).toBe(3);
    const selected = await space.kubectl('get', 'pods', '-l', scale.status.selector, '-o', 'name');
    expect(selected.trim().split('\n')).toEqual([0, 1, 2].map((i) => `pod/demo-worker-${i}`));
    await space.kubectl('scale', 'efc/demo', '--replicas=0');
    await listsWorkers(space, 0);
    await space.becomes('EFCRuntime', 'demo', { status: { desiredWorkerNumberScheduled: 0, currentWorkerNumberScheduled: 0 } });
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound' } });
  });

  test('has what others delete or edit again', async () => {
    const space = await bound();
    const objects = [...WORKLOADS, ['ConfigMap', 'demo-worker-endpoints']] as const satisfies readonly (readonly [Kind, string])[];
    for (const [kind, name] of objects) {
      const { uid } = (await space.get(kind, name)).metadata;
      await space.delete(kind, name);
      await eventually(async () => expect((await space.find(kind, name))?.metadata.uid).not.toBeOneOf([uid, undefined]));
    }
    await space.kubectl('scale', 'statefulset/demo-worker', '--replicas=3');
    await space.becomes('StatefulSet', 'demo-worker', { spec: { replicas: 1 }, metadata: { generation: expect.toSatisfy((n) => n >= 3) } });
    await space.patch('ConfigMap', 'demo-worker-endpoints', { data: { 'efc-worker-endpoints.json': '{}' } });
    await listsWorkers(space, 1);
    await space.bound('EFCRuntime', 'demo');
  });
});
