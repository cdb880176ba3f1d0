/** CacheRuntimes on a real API server. Their program is a stand-in, `plainfs`: no file system of that name exists. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CacheRuntimeClassSpec } from '../../../runtimes/cache/class-spec.ts';
import type { CacheRuntimeSpec } from '../../../runtimes/cache/spec.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { autoscaler } from '../../support/autoscaling.ts';
import type { Kind } from '../../support/kinds.ts';
import { cacheRuntime, datasetObject } from '../../support/objects.ts';
import { cacheClass, plainfs } from '../../support/plainfs.ts';
import { condition, eventually, type Sluice, type Space, says, startSluice } from '../../support/sluice.ts';
import { sharedControlPlane, simulated } from '../../support/test-cluster.ts';

describe.skipIf(!simulated).concurrent('a CacheRuntime', () => {
  let sluice: Sluice;
  const users: Space[] = [];
  beforeAll(async () => {
    sluice = await startSluice(sharedControlPlane(), { probeMs: 60_000 });
  });
  afterAll(async () => {
    // Deletion needs no class.
    for (const space of users) await space.delete('CacheRuntimeClass', space.namespace);
    await sluice?.stop();
  });

  const mount = (name: string) => ({ mountPoint: `s3://${name}`, name });
  const dataset = (name: string) => datasetObject(name, { placement: 'Shared', mounts: [mount('data')] });
  /** A class belongs to the cluster: it has the name of the namespace. */
  async function createClass(space: Space, spec: CacheRuntimeClassSpec = plainfs): Promise<void> {
    await space.create(cacheClass(space.namespace, spec));
    users.push(space);
  }
  async function bound({ spec = {}, type }: { spec?: Partial<CacheRuntimeSpec>; type?: CacheRuntimeClassSpec } = {}): Promise<Space> {
    const space = await sluice.space('cache');
    await createClass(space, type);
    await space.create(dataset('demo'), cacheRuntime('demo', { runtimeClassName: space.namespace, ...spec }));
    await space.bound('CacheRuntime', 'demo');
    return space;
  }
  async function leavesNothing(space: Space): Promise<void> {
    await space.delete('Dataset', 'demo');
    await space.gone('Dataset', 'demo');
    expect(await space.made()).toEqual([]);
    const nodes = (await space.list('Node')).flatMap(({ metadata: { labels = {} } }) => Object.keys(labels));
    expect(nodes.filter((key) => key.includes(space.namespace))).toEqual([]);
  }
  const mounting = async ({ namespace }: Space) =>
    (await sluice.plane.exec.calls({ namespace })).filter(({ argv }) => argv[1] === 'mount').map(({ pod }) => pod);
  /** What the program says, in place of what it says by itself. */
  const answers = ({ namespace }: Space, argv: readonly string[], stdout: string) => sluice.plane.exec.answer({ namespace, argv, stdout });
  const configOf = async (space: Space) =>
    JSON.parse(((await space.get('ConfigMap', 'fluid-runtime-config-demo'))['data'] as Record<string, string>)['runtime.json'] ?? '') as {
      readonly mounts: readonly object[];
    };

  test('waits for its class, is Bound when it comes, is left alone then, and leaves nothing', async () => {
    const space = await sluice.space('cache');
    const className = space.namespace;
    await space.create(cacheRuntime('demo', { runtimeClassName: className }), dataset('demo'));
    const message = `CacheRuntimeClass ${className} does not exist`;
    await space.becomes('CacheRuntime', 'demo', condition('Synced', { status: 'False', reason: 'CacheRuntimeClassNotFound', message }));
    await eventually(async () => expect(await space.events('demo')).toContain(`Warning ErrorProcessRuntime: ${message}`));
    expect(await space.made()).toEqual([]);
    await createClass(space);
    await space.bound('CacheRuntime', 'demo');
    await space.becomes('Dataset', 'demo', {
      status: {
        mounts: [{ name: 'data' }],
        cacheStates: { cached: '1.00GiB', cachedPercentage: '25.0%', cacheCapacity: '4.00GiB', cacheHitRatio: '50.0%' },
      },
    });
    expect(await space.made()).toEqual([
      'ConfigMap/fluid-extra-demo.scripts',
      'ConfigMap/fluid-runtime-config-demo',
      'DaemonSet/demo-client',
      `PersistentVolume/${className}-demo`,
      'PersistentVolumeClaim/demo',
      'Service/svc-demo-master',
      'Service/svc-demo-worker',
      'StatefulSet/demo-master',
      'StatefulSet/demo-worker',
    ]);
    const services = (await space.list('Service')).map(({ spec }) => spec);
    const selector = { 'cacheruntime.fluid.io/component-name': 'demo-master', 'cacheruntime.fluid.io/name': 'demo' };
    expect(services).toContainEqual(expect.objectContaining({ clusterIP: 'None', publishNotReadyAddresses: true, selector }));
    for (const [kind, name] of [
      ['StatefulSet', 'demo-master'],
      ['StatefulSet', 'demo-worker'],
      ['DaemonSet', 'demo-client'],
    ] as const)
      expect((await space.get(kind, name)).metadata.generation, name).toBe(1);
    expect(await mounting(space)).toEqual(['demo-master-0']);
    await leavesNothing(space);
  });

  test('shows its components in a status of its own shape', async () => {
    const space = await bound();
    const ready = { phase: 'Ready', desiredReplicas: 1, currentReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
    const { status } = await space.becomes('CacheRuntime', 'demo', {
      status: { master: ready, worker: ready, client: { phase: 'Ready', readyReplicas: 0 }, valueFile: 'fluid-runtime-config-demo' },
    });
    expect(status).not.toHaveProperty('masterPhase');
    const [titles = '', row = ''] = (await space.kubectl('get', 'cacheruntime', '-o', 'wide')).split('\n');
    expect(titles.split(/\s{2,}/).slice(1, 8)).toEqual([
      'MASTER PHASE',
      'READY MASTERS',
      'WORKER PHASE',
      'READY WORKERS',
      'CLIENT PHASE',
      'READY CLIENTS',
      'CLASS',
    ]);
    expect(row.split(/\s+/).slice(0, 8)).toEqual(['demo', 'Ready', '1', 'Ready', '1', 'Ready', '0', space.namespace]);
    expect(await space.kubectl('explain', 'cacheruntime.status.worker.readyReplicas')).toContain('Pods that are ready.');
    expect(await space.kubectl('explain', 'cacheruntimeclass.topology.master.executionEntries.mountUFS')).toContain('timeout');
  });

  test('is scaled by hand and by an autoscaler, which finds its pods', async () => {
    const space = await bound();
    const has = async (replicas: number) => {
      await space.becomes('StatefulSet', 'demo-worker', { spec: { replicas }, status: { readyReplicas: replicas } });
      const worker = { desiredReplicas: replicas, currentReplicas: replicas, readyReplicas: replicas };
      await space.becomes('CacheRuntime', 'demo', { spec: { worker: { replicas } }, status: { worker } });
    };
    await space.kubectl('scale', 'cacheruntime/demo', '--replicas=3');
    await has(3);
    const path = `/apis/data.fluid.io/v1alpha1/namespaces/${space.namespace}/cacheruntimes/demo/scale`;
    const scale = JSON.parse(await space.kubectl('get', '--raw', path)) as { status: { replicas: number; selector: string } };
    expect(scale.status.replicas).toBe(3);
    const selected = await space.kubectl('get', 'pods', '-l', scale.status.selector, '-o', 'name');
    expect(selected.trim().split('\n')).toEqual(['pod/demo-worker-0', 'pod/demo-worker-1', 'pod/demo-worker-2']);
    const scaleTargetRef = { apiVersion: 'data.fluid.io/v1alpha1', kind: 'CacheRuntime', name: 'demo' };
    await space.create({ ...autoscaler, metadata: { name: 'demo' }, spec: { ...autoscaler.spec, scaleTargetRef, maxReplicas: 2 } });
    // It learns twice a minute which kinds there are.
    await space.becomes('CacheRuntime', 'demo', { spec: { worker: { replicas: 2 } } }, 120);
    await has(2);
    await space.becomes('HorizontalPodAutoscaler', 'demo', condition('AbleToScale', { status: 'True', reason: 'SucceededGetScale' }));
    await space.delete('HorizontalPodAutoscaler', 'demo');
  });

  test('mounts again from the new runtime.json when the mounts change, and says what its program left out', async () => {
    const space = await bound();
    const before = JSON.stringify(await configOf(space));
    const CONFIG = ['cat', '/etc/fluid/config/runtime.json'];
    await answers(space, CONFIG, before);
    await answers(space, ['plainfs', 'mount'], JSON.stringify({ mounted: ['/data', '/more'] }));
    await space.patch('Dataset', 'demo', { spec: { mounts: [mount('data'), mount('more')] } });
    await eventually(async () => expect((await configOf(space)).mounts).toHaveLength(2));
    // The pod has the old file for as long as its kubelet needs.
    await eventually(async () => expect((await mounting(space)).length).toBeGreaterThanOrEqual(1));
    expect(await space.get('Dataset', 'demo')).not.toMatchObject({ status: { mounts: [{}, {}] } });
    await answers(space, CONFIG, JSON.stringify(await configOf(space)));
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound', mounts: [{ name: 'data' }, { name: 'more' }] } });

    await sluice.plane.exec.answer({ namespace: space.namespace, argv: CONFIG, stderr: 'not found', exitCode: 127 });
    await space.patch('Dataset', 'demo', { spec: { mounts: [mount('data'), mount('more'), mount('third')] } });
    await space.becomes('CacheRuntime', 'demo', condition('MountsDiffer', { status: 'True', message: says('/third') }));
    await answers(space, ['plainfs', 'mount'], JSON.stringify({ mounted: ['/data', '/more', '/third'] }));
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound', mounts: [{}, {}, { name: 'third' }] } });
    await eventually(async () => expect(JSON.stringify(await space.get('CacheRuntime', 'demo'))).not.toContain('MountsDiffer'));
  });

  test('follows its class, whose last valid plan stays in force', async () => {
    const space = await bound();
    const { topology } = plainfs;
    const container = { name: 'worker', image: 'registry.example/plainfs-worker:2' };
    const worker = { ...topology.worker, template: { spec: { containers: [container] } } };
    await space.patch('CacheRuntimeClass', space.namespace, { topology: { ...topology, worker } });
    await space.becomes('StatefulSet', 'demo-worker', { spec: { template: { spec: { containers: [container] } } } });
    await space.becomes('CacheRuntime', 'demo', condition('PodsOutdated', { status: 'True', message: says('demo-worker-0') }));
    await space.delete('Pod', 'demo-worker-0');
    await eventually(async () => expect(JSON.stringify(await space.get('CacheRuntime', 'demo'))).not.toContain('PodsOutdated'));

    await space.patch('CacheRuntime', 'demo', { spec: { runtimeClassName: 'no-such-class' } });
    await space.becomes('CacheRuntime', 'demo', condition('Synced', { status: 'False', message: says('no-such-class') }));
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound' } });
    const { metadata } = await space.get('StatefulSet', 'demo-worker');
    await space.delete('StatefulSet', 'demo-worker');
    const again = await space.becomes('StatefulSet', 'demo-worker', { spec: { template: { spec: { containers: [container] } } } });
    expect(again.metadata.uid).not.toBe(metadata.uid);
    await space.patch('CacheRuntime', 'demo', { spec: { runtimeClassName: space.namespace } });
    await space.becomes('CacheRuntime', 'demo', condition('Synced', { status: 'True' }));
    await leavesNothing(space);
  });

  test('repairs what others delete or edit', async () => {
    const space = await bound();
    const remade = async (kind: Kind, name: string) => {
      const { metadata } = await space.get(kind, name);
      await space.delete(kind, name);
      await eventually(async () => {
        const found = await space.find(kind, name);
        expect(found?.metadata.uid ?? metadata.uid, name).not.toBe(metadata.uid);
      });
    };
    for (const [kind, name] of [
      ['Service', 'svc-demo-master'],
      ['ConfigMap', 'fluid-extra-demo.scripts'],
      ['DaemonSet', 'demo-client'],
      ['StatefulSet', 'demo-master'],
    ] as const)
      await remade(kind, name);
    const { data } = await space.get('ConfigMap', 'fluid-runtime-config-demo');
    await space.patch('ConfigMap', 'fluid-runtime-config-demo', { data: { 'runtime.json': '{}' } });
    await space.becomes('ConfigMap', 'fluid-runtime-config-demo', { data: data as object });
    const variable = '/spec/template/spec/containers/0/env/0/value';
    await space.replace('StatefulSet', 'demo-worker', variable, 'other');
    const env = expect.arrayContaining([{ name: 'FLUID_DATASET_NAME', value: 'demo' }]) as object;
    await space.becomes('StatefulSet', 'demo-worker', { spec: { template: { spec: { containers: [{ env }] } } } });
    await space.becomes('CacheRuntime', 'demo', condition('Synced', { status: 'True' }));
  });

  test('keeps all that is its own when another of its class and namespace goes', async () => {
    const space = await bound();
    await space.create(dataset('other'), cacheRuntime('other', { runtimeClassName: space.namespace }));
    await space.bound('CacheRuntime', 'other');
    const all = await space.made();
    await space.delete('Dataset', 'other');
    await space.gone('Dataset', 'other');
    expect(await space.made()).toEqual(all.filter((name) => !/\bother\b/.test(name)));
    await space.becomes('CacheRuntime', 'demo', condition('Synced', { status: 'True' }));
    await leavesNothing(space);
  });

  test.each([
    ['worker', 'StatefulSet/demo-worker', ['plainfs mount /data']],
    ['master', 'StatefulSet/demo-master', []],
    ['client', 'DaemonSet/demo-client', ['plainfs mount /data']],
  ] as const)('does without a disabled %s', async (component, workload, commands) => {
    const space = await bound({ spec: { [component]: { disabled: true } } });
    const made = await space.made();
    expect(made).not.toContain(workload);
    expect(made.filter((name) => name.startsWith('ConfigMap'))).toHaveLength(2);
    const { status } = await space.get('CacheRuntime', 'demo');
    expect(status).not.toHaveProperty(component);
    expect(await configOf(space)).not.toHaveProperty(component);
    const calls = await sluice.plane.exec.calls({ namespace: space.namespace });
    expect(calls.filter(({ argv }) => argv[1] === 'mount').map(({ argv }) => argv.join(' '))).toEqual(commands);
    await leavesNothing(space);
  });

  const load = (name: string): KubeObject => ({
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'DataLoad',
    metadata: { name },
    spec: { dataset: { name: 'demo' }, loadMetadata: true, target: [{ path: '/data', replicas: 2 }, { path: '/more' }] },
  });

  test('is loaded as its class says, and a DataProcess reads it', async () => {
    const space = await bound();
    await space.create(load('warm'));
    await space.becomes('DataLoad', 'warm', { status: { phase: 'Complete' } });
    const env = expect.arrayContaining([
      { name: 'FLUID_DATALOAD_METADATA', value: 'true' },
      { name: 'FLUID_DATALOAD_DATA_PATH', value: '/data:/more' },
      { name: 'FLUID_DATALOAD_PATH_REPLICAS', value: '2:1' },
    ]) as object;
    const container = { image: 'registry.example/plainfs-worker:1', command: ['plainfs', 'load'], env };
    expect(await space.get('Job', 'warm-loader-job')).toMatchObject({ spec: { template: { spec: { containers: [container] } } } });
    await space.create({
      apiVersion: 'data.fluid.io/v1alpha1',
      kind: 'DataProcess',
      metadata: { name: 'count' },
      spec: {
        dataset: { name: 'demo', mountPath: '/data' },
        processor: { script: { image: 'registry.example/count', imageTag: '1', source: 'wc -l /data/*' } },
      },
    });
    await space.becomes('DataProcess', 'count', { status: { phase: 'Complete' } });
  });

  test('is not loaded if its class does not say how', async () => {
    const { dataOperationSpecs: _, ...type } = plainfs;
    const space = await bound({ type });
    await space.create(load('warm'));
    const message = says(`CacheRuntimeClass ${space.namespace}: dataOperationSpecs: expected a specification with the name DataLoad`);
    await space.becomes('DataLoad', 'warm', { status: { phase: 'Failed', conditions: [{ reason: 'InvalidSpec', message }] } });
    expect(await space.find('Job', 'warm-loader-job')).toBeUndefined();
  });
});
