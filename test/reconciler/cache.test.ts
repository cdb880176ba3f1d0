/** The program of these CacheRuntimes is a stand-in, `plainfs`: no file system of that name exists. */
import { describe, expect, test } from 'vitest';
import type { CacheRuntimeClassSpec } from '../../runtimes/cache/class-spec.ts';
import cache from '../../runtimes/cache/index.ts';
import { CacheRuntime, type CacheRuntimeSpec } from '../../runtimes/cache/spec.ts';
import thin from '../../runtimes/thin/index.ts';
import { tableOf } from '../../src/api-server/wire/table/index.ts';
import { kinds } from '../support/kinds.ts';
import { cacheRuntime, datasetObject, openDataset, plainClass } from '../support/objects.ts';
import { cacheClass, plainfs } from '../support/plainfs.ts';
import { condition, type Space, says } from '../support/sluice.ts';
import { harness } from './harness.ts';
import { type MemorySpace, memorySpace, operation } from './memory-space.ts';
import { ended } from './operations/given.ts';

test('running pods of a CacheRuntime get another runtime.json at once, not after the period of their kubelet', async () => {
  const at = await harness({ runtimes: [cache, thin] });
  at.put(plainClass('worker', 'client'));
  at.put(openDataset('demo', { mounts: [{ mountPoint: 's3://bucket', name: 'data' }] }));
  at.put(cacheRuntime('demo', { runtimeClassName: 'plain' }));
  await at.quiet();
  at.controllers.settle();
  await at.quiet();
  expect(at.dataset().phase).toBe('Bound');
  const updates = () =>
    at.server
      .all('Pod')
      .filter(({ metadata }) => metadata.name.startsWith('demo-worker'))
      .map(({ metadata }) => metadata.annotations?.['fluid.io/f-update-fuse-config']);
  expect(updates()).toEqual([undefined]);
  at.edit('Dataset', {
    mounts: [
      { mountPoint: 's3://bucket', name: 'data' },
      { mountPoint: 's3://more', name: 'more' },
    ],
  });
  await at.quiet();
  expect(JSON.stringify(at.get('ConfigMap', 'fluid-runtime-config-demo'))).toContain('s3://more');
  expect(updates()).toEqual(['1']);
  at.edit('CacheRuntime', { options: { key: 'value' } });
  await at.quiet();
  expect(updates()).toEqual(['2']);
});

const options = { runtimes: [cache, thin], probeMs: 60_000 };

describe('a CacheRuntime', () => {
  const mount = (name: string) => ({ mountPoint: `s3://${name}`, name });
  const dataset = (name: string) => datasetObject(name, { placement: 'Shared', mounts: [mount('data')] });
  /** A class belongs to the cluster: it has the name of the namespace. */
  const createClass = (space: Space, spec: CacheRuntimeClassSpec = plainfs) => space.create(cacheClass(space.namespace, spec));
  async function bound({ spec = {}, type }: { spec?: Partial<CacheRuntimeSpec>; type?: CacheRuntimeClassSpec } = {}): Promise<MemorySpace> {
    const space = await memorySpace(options);
    await createClass(space, type);
    await space.create(dataset('demo'), cacheRuntime('demo', { runtimeClassName: space.namespace, ...spec }));
    await space.bound('CacheRuntime', 'demo');
    return space;
  }
  const mounting = ({ exec }: MemorySpace) => exec.calls.filter(({ argv }) => argv[1] === 'mount').map(({ pod }) => pod);
  /** The output of the program, in place of its usual one. */
  const answers = ({ exec }: MemorySpace, argv: readonly string[], stdout: string) => exec.answer({ argv, stdout });
  const configOf = async (space: Space) =>
    JSON.parse(((await space.get('ConfigMap', 'fluid-runtime-config-demo'))['data'] as Record<string, string>)['runtime.json'] ?? '') as {
      readonly mounts: readonly object[];
    };

  test('waits for its class, is Bound when it comes, is left alone then, and leaves nothing', async () => {
    const space = await memorySpace(options);
    const className = space.namespace;
    await space.create(cacheRuntime('demo', { runtimeClassName: className }), dataset('demo'));
    const message = `CacheRuntimeClass ${className} does not exist`;
    await space.becomes('CacheRuntime', 'demo', condition('Synced', { status: 'False', reason: 'CacheRuntimeClassNotFound', message }));
    await space.eventually(async () => expect(await space.events('demo')).toContain(`Warning ErrorProcessRuntime: ${message}`));
    expect(await space.made()).toEqual([]);
    await createClass(space);
    await space.bound('CacheRuntime', 'demo');
    await space.becomes('Dataset', 'demo', {
      status: {
        mounts: [{ name: 'data' }],
        cacheStates: { cached: '1.00GiB', cachedPercentage: '25.0%', cacheCapacity: '4.00GiB', cacheHitRatio: '50.0%' },
        fileNum: '1000',
        ufsTotal: '100GiB',
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
    expect(mounting(space)).toEqual(['demo-master-0']);
    await space.leavesNothing();
  });

  test('shows its components in a status of its own shape', async () => {
    const space = await bound();
    const ready = { phase: 'Ready', desiredReplicas: 1, currentReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
    const { status } = await space.becomes('CacheRuntime', 'demo', {
      status: { master: ready, worker: ready, client: { phase: 'Ready', readyReplicas: 0 }, valueFile: 'fluid-runtime-config-demo' },
    });
    expect(status).not.toHaveProperty('masterPhase');
    const request = { columns: CacheRuntime.columns, now: Date.now(), includeObject: 'None' } as const;
    // The cast: tableOf returns a Table.
    const table = tableOf(kinds.CacheRuntime, [await space.get('CacheRuntime', 'demo')], request) as {
      readonly columnDefinitions: readonly { readonly name: string }[];
      readonly rows: readonly [{ readonly cells: readonly unknown[] }];
    };
    expect(table.columnDefinitions.map(({ name }, i) => `${name}: ${table.rows[0].cells[i]}`).slice(0, 8)).toEqual([
      'Name: demo',
      'Master Phase: Ready',
      'Ready Masters: 1',
      'Worker Phase: Ready',
      'Ready Workers: 1',
      'Client Phase: Ready',
      'Ready Clients: 0',
      `Class: ${space.namespace}`,
    ]);
  });

  test('mounts again from the new runtime.json when the mounts change, and says what its program left out', async () => {
    const space = await bound();
    const before = JSON.stringify(await configOf(space));
    const CONFIG = ['cat', '/etc/fluid/config/runtime.json'];
    answers(space, CONFIG, before);
    answers(space, ['plainfs', 'mount'], JSON.stringify({ mounted: ['/data', '/more'] }));
    await space.patch('Dataset', 'demo', { spec: { mounts: [mount('data'), mount('more')] } });
    await space.eventually(async () => expect((await configOf(space)).mounts).toHaveLength(2));
    // The pod has the old file for as long as its kubelet needs.
    await space.eventually(async () => expect(mounting(space).length).toBeGreaterThanOrEqual(1));
    expect(await space.get('Dataset', 'demo')).not.toMatchObject({ status: { mounts: [{}, {}] } });
    answers(space, CONFIG, JSON.stringify(await configOf(space)));
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound', mounts: [{ name: 'data' }, { name: 'more' }] } });

    space.exec.answer({ argv: CONFIG, stderr: 'not found', exitCode: 127 });
    await space.patch('Dataset', 'demo', { spec: { mounts: [mount('data'), mount('more'), mount('third')] } });
    await space.becomes('CacheRuntime', 'demo', condition('MountsDiffer', { status: 'True', message: says('/third') }));
    answers(space, ['plainfs', 'mount'], JSON.stringify({ mounted: ['/data', '/more', '/third'] }));
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound', mounts: [{}, {}, { name: 'third' }] } });
    await space.eventually(async () => expect(JSON.stringify(await space.get('CacheRuntime', 'demo'))).not.toContain('MountsDiffer'));
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
    await space.eventually(async () => expect(JSON.stringify(await space.get('CacheRuntime', 'demo'))).not.toContain('PodsOutdated'));

    await space.patch('CacheRuntime', 'demo', { spec: { runtimeClassName: 'no-such-class' } });
    await space.becomes('CacheRuntime', 'demo', condition('Synced', { status: 'False', message: says('no-such-class') }));
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound' } });
    const { metadata } = await space.get('StatefulSet', 'demo-worker');
    await space.delete('StatefulSet', 'demo-worker');
    const again = await space.becomes('StatefulSet', 'demo-worker', { spec: { template: { spec: { containers: [container] } } } });
    expect(again.metadata.uid).not.toBe(metadata.uid);
    await space.patch('CacheRuntime', 'demo', { spec: { runtimeClassName: space.namespace } });
    await space.becomes('CacheRuntime', 'demo', condition('Synced', { status: 'True' }));
    await space.leavesNothing();
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
    await space.leavesNothing();
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
    expect(space.exec.calls.filter(({ argv }) => argv[1] === 'mount').map(({ argv }) => argv.join(' '))).toEqual(commands);
    await space.leavesNothing();
  });

  const load = operation('DataLoad', 'warm', { loadMetadata: true, target: [{ path: '/data', replicas: 2 }, { path: '/more' }] });

  test('is loaded as its class says, and a DataProcess reads it', async () => {
    const space = await bound();
    await space.create(load);
    await space.eventually(() => ended(space.at, 'Succeeded'));
    await space.becomes('DataLoad', 'warm', { status: { phase: 'Complete' } });
    const env = expect.arrayContaining([
      { name: 'FLUID_DATALOAD_METADATA', value: 'true' },
      { name: 'FLUID_DATALOAD_DATA_PATH', value: '/data:/more' },
      { name: 'FLUID_DATALOAD_PATH_REPLICAS', value: '2:1' },
    ]) as object;
    const container = { image: 'registry.example/plainfs-worker:1', command: ['plainfs', 'load'], env };
    expect(await space.get('Job', 'warm-loader-job')).toMatchObject({ spec: { template: { spec: { containers: [container] } } } });
    const script = { image: 'registry.example/count', imageTag: '1', source: 'wc -l /data/*' };
    await space.create(operation('DataProcess', 'count', { processor: { script } }));
    await space.eventually(() => ended(space.at, 'Succeeded', '', 'count'));
    await space.becomes('DataProcess', 'count', { status: { phase: 'Complete' } });
  });

  test('is not loaded if its class does not say how', async () => {
    const { dataOperationSpecs: _, ...type } = plainfs;
    const space = await bound({ type });
    await space.create(load);
    const message = says(`CacheRuntimeClass ${space.namespace}: dataOperationSpecs: expected a specification with the name DataLoad`);
    await space.becomes('DataLoad', 'warm', {
      status: { phase: 'Failed', conditions: expect.arrayContaining([expect.objectContaining({ reason: 'InvalidSpec', message })]) },
    });
    expect(await space.find('Job', 'warm-loader-job')).toBeUndefined();
  });
});
