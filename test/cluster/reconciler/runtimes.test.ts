/**
 * The claims of every runtime on a real API server, its scheduler and its controllers: objects that it prints as they were sent, repairs,
 * scaling by kubectl, and garbage collection. All other behaviour of the controller is tested in memory (test/reconciler).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/types.ts';
import { autoscaler } from '../../support/autoscaling.ts';
import { type Kind, kinds } from '../../support/kinds.ts';
import * as write from '../../support/objects.ts';
import { cacheClass } from '../../support/plainfs.ts';
import { condition, eventually, PROFILE, type RuntimeKind, type Sluice, type Space, says, startSluice } from '../../support/sluice.ts';
import { sharedControlPlane, simulated } from '../../support/test-cluster.ts';

interface Facts {
  readonly kind: RuntimeKind;
  /** As kubectl scales it; a ThinRuntime is not scaled. */
  readonly short?: string;
  readonly objects: (namespace: string) => readonly KubeObject[];
  /** Beside its volume and its claim, a word each. */
  readonly made: string;
  readonly worker: string;
  /** Status of its Dataset after the pods' answers. */
  readonly status?: object;
  /** Pods whose caches are emptied at last. */
  readonly cleaned: readonly string[];
  /** Kept apart by the scheduler, since two on one node would listen at one socket. */
  readonly isSpread?: true;
}

const dataset = (...mounts: readonly object[]) => write.datasetObject('demo', { placement: 'Shared', mounts: mounts as never });
const https = (name: string) => ({ mountPoint: `https://a.example/${name}/`, name });
const oss = { mountPoint: 'oss://bucket/spark', name: 'spark', options: { 'fs.oss.endpoint': 'oss.example' } };
const nas = { mountPoint: 'nfs://0a0b0c0d-x.cn-hangzhou.nas.aliyuncs.com:/images', name: 'images' };
const disk = { levels: [{ mediumtype: 'SSD' as const, path: '/cache', quota: '2Gi' }] };
const memory = { levels: [{ mediumtype: 'MEM' as const, quota: '1Gi' }] };
const threeOf = (name: string) => [0, 1, 2].map((i) => `${name}-${i}`);

const RUNTIMES: readonly Facts[] = [
  {
    kind: 'ThinRuntime',
    objects: () => [dataset(https('data')), write.thinRuntime('demo', { profileName: PROFILE, replicas: 1, worker: { enabled: true } })],
    made: 'ConfigMap/demo-fuse-conf DaemonSet/demo-fuse StatefulSet/demo-worker',
    worker: 'demo-worker',
    cleaned: [],
  },
  {
    kind: 'JuiceFSRuntime',
    short: 'juicefs',
    objects: () => [write.jfsSecret(), write.jfsDataset('demo'), write.jfsRuntime('demo')],
    made: `
      ConfigMap/demo-fuse-script ConfigMap/demo-worker-script DaemonSet/demo-fuse StatefulSet/demo-worker
      Role/demo-loader RoleBinding/demo-loader ServiceAccount/demo-loader`,
    worker: 'demo-worker',
    cleaned: ['demo-worker-0'],
  },
  {
    kind: 'AlluxioRuntime',
    short: 'alluxio',
    objects: () => [
      dataset(https('spark'), https('hbase')),
      write.alluxioRuntime('demo', { replicas: 1, master: { replicas: 3 }, apiGateway: { enabled: true }, tieredstore: disk }),
    ],
    made: `
      ConfigMap/demo-config DaemonSet/demo-fuse StatefulSet/demo-master StatefulSet/demo-worker
      Service/demo-master-0 Service/demo-master-1 Service/demo-master-2`,
    worker: 'demo-worker',
    status: { mounts: [{ name: 'spark' }, { name: 'hbase' }], fileNum: '1152', cacheStates: { cacheCapacity: '4.00GiB' } },
    cleaned: ['demo-worker-0'],
  },
  {
    kind: 'CacheRuntime',
    short: 'cacheruntime',
    objects: (namespace) => [cacheClass(namespace), dataset(https('data')), write.cacheRuntime('demo', { runtimeClassName: namespace })],
    made: `
      ConfigMap/fluid-extra-demo.scripts ConfigMap/fluid-runtime-config-demo DaemonSet/demo-client
      Service/svc-demo-master Service/svc-demo-worker StatefulSet/demo-master StatefulSet/demo-worker`,
    worker: 'demo-worker',
    status: { mounts: [{ name: 'data' }], cacheStates: { cached: '1.00GiB', cacheCapacity: '4.00GiB' } },
    cleaned: [],
  },
  {
    kind: 'JindoRuntime',
    short: 'jindo',
    objects: () => [dataset(oss), write.jindoRuntime('demo', { replicas: 1, master: { replicas: 3 }, tieredstore: disk })],
    made: `
      ConfigMap/demo-jindofs-client-config ConfigMap/demo-jindofs-config DaemonSet/demo-jindofs-fuse
      StatefulSet/demo-jindofs-master StatefulSet/demo-jindofs-worker Service/demo-jindofs-master-0
      Service/demo-jindofs-master-1 Service/demo-jindofs-master-2`,
    worker: 'demo-jindofs-worker',
    status: { mounts: [{ name: 'spark' }], cacheStates: { cacheCapacity: '250.38GiB' } },
    cleaned: [...threeOf('demo-jindofs-master'), 'demo-jindofs-worker-0'],
  },
  {
    kind: 'EFCRuntime',
    short: 'efc',
    objects: () => [dataset(nas), write.efcRuntime('demo', { replicas: 1, tieredstore: disk })],
    made: 'ConfigMap/demo-worker-endpoints DaemonSet/demo-fuse StatefulSet/demo-master StatefulSet/demo-worker',
    worker: 'demo-worker',
    cleaned: ['demo-worker-0'],
  },
  {
    kind: 'VineyardRuntime',
    short: 'v6d',
    objects: () => [
      write.datasetObject('demo', { placement: 'Shared' }),
      write.vineyardRuntime('demo', { replicas: 1, tieredstore: memory, fuse: { env: { EMPTY: '' } } }),
    ],
    made: `
      ConfigMap/demo-rpc-conf DaemonSet/demo-fuse StatefulSet/demo-master StatefulSet/demo-worker
      Service/demo-master Service/demo-worker`,
    worker: 'demo-worker',
    status: { cacheStates: { cacheCapacity: '1.00GiB' } },
    cleaned: [],
    isSpread: true,
  },
];

describe.skipIf(!simulated).concurrent('every runtime', () => {
  let sluice: Sluice;
  beforeAll(async () => {
    sluice = await startSluice(sharedControlPlane(), { probeMs: 60_000 });
  });
  afterAll(() => sluice?.stop());

  async function bound({ kind, objects }: Facts): Promise<Space> {
    const space = await sluice.space(kind.toLowerCase());
    await space.create(...objects(space.namespace));
    await space.bound(kind, 'demo');
    return space;
  }
  const labels = async ({ namespace, list }: Space) =>
    (await list('Node')).flatMap(({ metadata }) => Object.keys(metadata.labels ?? {}).filter((key) => key.includes(namespace)));

  test.each(RUNTIMES)('$kind is Bound, is left alone then, has what others delete or edit again, and leaves nothing', async (facts) => {
    const { kind, status = {}, cleaned } = facts;
    const made = facts.made.trim().split(/\s+/);
    const space = await bound(facts);
    const { namespace } = space;
    await space.becomes('Dataset', 'demo', { status });
    expect(await space.made()).toEqual([...made, `PersistentVolume/${namespace}-demo`, 'PersistentVolumeClaim/demo'].toSorted());
    await eventually(async () => expect(await labels(space)).not.toEqual([]));
    // The casts: what is made has these kinds, and these texts have two parts.
    const names = made.map((each) => each.split('/') as [Kind, string]);
    const workloads = names.filter(([each]) => each.endsWith('Set'));
    const others = names.filter(([each]) => !each.endsWith('Set'));
    const versions = () => Promise.all(others.map(async ([each, name]) => (await space.get(each, name)).metadata.resourceVersion));
    // The templates are in the API server's form: they were not written a second time.
    for (const [each, name] of workloads) expect((await space.get(each, name)).metadata.generation, name).toBe(1);

    const before = await versions();
    const [fuse] = workloads.filter(([each]) => each === 'DaemonSet');
    await madeAgain(space, fuse!);
    // The pass that made it has read all others.
    expect(await versions()).toEqual(before);
    for (const [each, name] of workloads.filter(([set]) => set === 'StatefulSet')) {
      const { spec } = (await space.get(each, name)) as unknown as { spec: { replicas: number } };
      await space.kubectl('scale', `statefulset/${name}`, '--replicas=2');
      const generation = expect.toSatisfy((n) => n >= 3) as number;
      await space.becomes(each, name, { spec: { replicas: spec.replicas }, metadata: { generation } });
    }
    for (const [, name] of others.filter(([each]) => each === 'ConfigMap')) {
      const { data } = (await space.get('ConfigMap', name)) as KubeObject & { data: Readonly<Record<string, string>> };
      const [key = ''] = Object.keys(data);
      await space.patch('ConfigMap', name, { data: { [key]: 'edited' } });
      await space.becomes('ConfigMap', name, { data: { [key]: expect.not.stringMatching(/^edited$/) as string } });
    }
    await madeAgain(space, ...others, ...workloads);
    await space.bound(kind, 'demo');

    if (facts.short !== undefined) await isScaled(space, facts, facts.short);

    await space.delete('Dataset', 'demo');
    await space.gone('Dataset', 'demo');
    await eventually(async () => expect(await space.made()).toEqual([]));
    await eventually(async () => expect(await labels(space)).toEqual([]));
    const emptied = (await sluice.plane.exec.calls({ namespace })).filter(({ argv }) => argv.join(' ').includes('rm -rf'));
    expect(emptied.map(({ pod }) => pod).toSorted()).toEqual(cleaned);
    if (kind === 'CacheRuntime') await space.delete('CacheRuntimeClass', namespace);
  });

  async function madeAgain(space: Space, ...objects: readonly (readonly [Kind, string])[]): Promise<void> {
    const uids = await Promise.all(objects.map(async ([kind, name]) => (await space.get(kind, name)).metadata.uid));
    for (const [kind, name] of objects) await space.delete(kind, name);
    await eventually(async () => {
      for (const [i, [kind, name]] of objects.entries())
        expect((await space.find(kind, name))?.metadata.uid, `${kind}/${name}`).not.toBeOneOf([uids[i], undefined]);
    });
  }

  async function isScaled(space: Space, { kind, worker, isSpread }: Facts, short: string): Promise<void> {
    await space.kubectl('scale', `${short}/demo`, '--replicas=3');
    await space.becomes('StatefulSet', worker, { spec: { replicas: 3 }, status: { readyReplicas: 3 } });
    const scale = await eventually(async () => {
      const path = `/apis/data.fluid.io/v1alpha1/namespaces/${space.namespace}/${kinds[kind].plural}/demo/scale`;
      const found = JSON.parse(await space.kubectl('get', '--raw', path)) as { status: { replicas: number; selector: string } };
      expect(found.status.replicas).toBe(3);
      return found;
    });
    const selected = await space.kubectl('get', 'pods', '-l', scale.status.selector, '-o', 'name');
    expect(selected.trim().split('\n')).toEqual(threeOf(`pod/${worker}`));
    const workers = (await space.list('Pod')).filter(({ metadata }) => metadata.name.startsWith(`${worker}-`));
    if (isSpread) expect(new Set(workers.map(({ spec }) => (spec as { nodeName: string }).nodeName)).size).toBe(3);
    await space.kubectl('scale', `${short}/demo`, '--replicas=1');
    await space.becomes('StatefulSet', worker, { spec: { replicas: 1 }, status: { replicas: 1 } });
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound' } });
  }

  const scaled = RUNTIMES.filter(({ kind }) => kind === 'AlluxioRuntime' || kind === 'CacheRuntime');
  test.each(scaled)('$kind is scaled by the HorizontalPodAutoscaler of the documentation', async (facts) => {
    const { kind, worker } = facts;
    const space = await bound(facts);
    const has = (replicas: number) =>
      space.becomes('StatefulSet', worker, { spec: { replicas }, status: { readyReplicas: replicas } }, 120);
    const scaleTargetRef = { ...autoscaler.spec.scaleTargetRef, kind };
    // Below its minimum and above its maximum an autoscaler needs no metric. It learns twice a minute which kinds there are.
    await space.create({
      ...autoscaler,
      metadata: { name: 'demo' },
      spec: { ...autoscaler.spec, scaleTargetRef, minReplicas: 2 },
    } as never);
    await has(2);
    await space.patch('HorizontalPodAutoscaler', 'demo', { spec: { minReplicas: 1, maxReplicas: 1 } });
    await has(1);
    // The autoscaler has the scale of the runtime and its pods, and lacks only an adapter.
    await space.becomes('HorizontalPodAutoscaler', 'demo', condition('AbleToScale', { status: 'True', reason: 'SucceededGetScale' }));
    await space.becomes('HorizontalPodAutoscaler', 'demo', condition('ScalingActive', { reason: 'FailedGetObjectMetric' }));
    await space.delete('HorizontalPodAutoscaler', 'demo');
    if (kind === 'CacheRuntime') await space.delete('CacheRuntimeClass', space.namespace);
  });

  test('whose program prints without end is Bound, and the log says that it was cut off', async () => {
    const space = await sluice.space('endless');
    const { namespace } = space;
    await sluice.plane.exec.answer({ namespace, argv: /fsadmin report|metrics\/json/, stdout: 'x'.repeat(3 << 20) });
    await space.create(dataset(https('spark')), write.alluxioRuntime('demo', { replicas: 1 }));
    await space.bound('AlluxioRuntime', 'demo');
    await eventually(() => expect(sluice.log).toContainEqual(says(namespace, 'printed more than', 'bytes')));
  });
});
