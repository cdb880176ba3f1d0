import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedControlPlane, simulated } from '../../support/test-cluster.ts';
import { jfsDataset, jfsRuntime, jfsSecret, openDataset, thinRuntime } from '../../support/objects.ts';
import { condition, eventually, PROFILE, type Sluice, startSluice } from '../../support/sluice.ts';

describe.skipIf(!simulated).concurrent('binding', () => {
  let sluice: Sluice;
  beforeAll(async () => {
    sluice = await startSluice(sharedControlPlane());
  });
  afterAll(() => sluice?.stop());

  const thin = () => thinRuntime('demo', { profileName: PROFILE });

  test('a dataset alone says that it has no runtime, and binds once there is one', async () => {
    const space = await sluice.space('bind');
    await space.create(openDataset('demo'));
    const message = `no runtime is called demo in namespace ${space.namespace}`;
    await space.becomes('Dataset', 'demo', {
      metadata: { finalizers: ['fluid-dataset-controller-finalizer'], labels: { 'fluid.io/dataset-id': `${space.namespace}-demo` } },
      status: { phase: 'NotBound', conditions: [{ type: 'NotReady', status: 'True', reason: 'RuntimeNotFound', message }] },
    });
    await space.create(thin());
    await space.bound('ThinRuntime', 'demo');
    const { status } = await space.get('Dataset', 'demo');
    expect(status).toMatchObject({
      conditions: [
        { type: 'NotReady', status: 'False', reason: 'DatasetReady' },
        { type: 'Ready', status: 'True', reason: 'DatasetReady', message: 'The ddc runtime is ready.' },
      ],
    });
  });

  test('a runtime alone says that it waits for its dataset, and binds once it is there', async () => {
    const space = await sluice.space('bind');
    await space.create(thin());
    const waiting = { status: 'False', reason: 'DatasetNotFound', message: `no Dataset is called demo in namespace ${space.namespace}` };
    await space.becomes('ThinRuntime', 'demo', condition('Synced', waiting));
    await eventually(async () => expect(await space.events('demo')).toContain(`Warning ErrorProcessRuntime: ${waiting.message}`));
    expect(await space.made()).toEqual([]);
    await space.create(openDataset('demo'));
    await space.bound('ThinRuntime', 'demo');
  });

  test('a ThinRuntime gets a fuse DaemonSet, its configuration, a volume and a claim', async () => {
    const space = await sluice.space('bind');
    const { namespace } = space;
    const began = performance.now();
    await space.create(openDataset('demo'), thin());
    await space.bound('ThinRuntime', 'demo');
    console.log(`ThinRuntime bound, with its claim, after ${Math.round(performance.now() - began)} ms`);

    const id = `${namespace}-demo`;
    expect(await space.made()).toEqual([
      'ConfigMap/demo-fuse-conf',
      'DaemonSet/demo-fuse',
      `PersistentVolume/${id}`,
      'PersistentVolumeClaim/demo',
    ]);
    const { uid } = (await space.get('ThinRuntime', 'demo')).metadata;
    const dataset = await space.get('Dataset', 'demo');
    expect(dataset.metadata).toMatchObject({ finalizers: ['fluid-dataset-controller-finalizer'], labels: { 'fluid.io/dataset-id': id } });
    expect((await space.get('ThinRuntime', 'demo')).metadata).toMatchObject({
      finalizers: ['thin-runtime-controller-finalizer'],
      labels: { 'fluid.io/dataset-id': id },
      ownerReferences: [{ apiVersion: 'data.fluid.io/v1alpha1', kind: 'Dataset', name: 'demo', uid: dataset.metadata.uid }],
    });
    expect(await space.get('DaemonSet', 'demo-fuse')).toMatchObject({
      metadata: {
        labels: { app: 'thin', release: 'demo', role: 'thin-fuse', 'fluid.io/dataset-id': id, 'data.fluid.io/owner-uid': uid },
        ownerReferences: [{ kind: 'ThinRuntime', name: 'demo', uid, controller: true }],
      },
      spec: { updateStrategy: { type: 'OnDelete' }, template: { spec: { nodeSelector: { [`fluid.io/f-${id}`]: 'true' } } } },
    });
    expect(await space.get('PersistentVolume', id)).toMatchObject({
      metadata: { annotations: { CreatedBy: 'fluid' }, labels: { [`fluid.io/s-${id}`]: 'true', 'fluid.io/dataset-id': id } },
      spec: {
        claimRef: { namespace, name: 'demo' },
        csi: {
          driver: 'fuse.csi.fluid.io',
          volumeAttributes: { fluid_path: `/runtime-mnt/thin/${namespace}/demo/thin-fuse`, mount_type: 'fuse.test' },
        },
      },
      status: { phase: 'Bound' },
    });
    expect(dataset['status']).toMatchObject({
      phase: 'Bound',
      mounts: [{ mountPoint: 's3://bucket', name: 'data' }],
      runtimes: [{ name: 'demo', namespace, category: 'Accelerate', type: 'thin' }],
    });
    expect((await space.get('ThinRuntime', 'demo'))['status']).toMatchObject({
      valueFile: 'demo-thin-values',
      fusePhase: 'Ready',
      workerPhase: '',
      selector: 'app=thin,release=demo,role=thin-fuse',
      setupDuration: expect.stringMatching(/s$/),
      conditions: [
        { type: 'FusesInitialized', status: 'True', reason: 'Fuses are initialized' },
        { type: 'FusesReady', status: 'True', reason: 'Fuses are ready', message: 'The fuses are ready.' },
        { type: 'Synced', status: 'True' },
        { type: 'Ready', status: 'True' },
      ],
    });
    expect(await space.kubectl('get', 'dataset', 'demo', '--no-headers')).toMatch(/^demo\s+Bound\s/);
  });

  test('a JuiceFSRuntime binds after its workers are ready, and labels their nodes', async () => {
    const space = await sluice.space('bind');
    const { namespace } = space;
    const began = performance.now();
    await space.create(jfsSecret(), jfsRuntime('demo', { replicas: 2 }), jfsDataset('demo'));
    await space.bound('JuiceFSRuntime', 'demo');
    console.log(`JuiceFSRuntime bound, with its claim, after ${Math.round(performance.now() - began)} ms`);

    const id = `${namespace}-demo`;
    expect(await space.made()).toEqual([
      'ConfigMap/demo-fuse-script',
      'ConfigMap/demo-worker-script',
      'DaemonSet/demo-fuse',
      `PersistentVolume/${id}`,
      'PersistentVolumeClaim/demo',
      'Role/demo-loader',
      'RoleBinding/demo-loader',
      'ServiceAccount/demo-loader',
      'StatefulSet/demo-worker',
    ]);
    await space.becomes('JuiceFSRuntime', 'demo', {
      status: {
        workerPhase: 'Ready',
        desiredWorkerNumberScheduled: 2,
        currentWorkerNumberScheduled: 2,
        workerNumberReady: 2,
        selector: 'app=juicefs,release=demo,role=juicefs-worker',
      },
    });
    const workers = await space.list('Pod');
    const nodes = [...new Set(workers.map(({ spec }) => (spec as { nodeName: string }).nodeName))];
    for (const node of nodes)
      await space.becomes('Node', node, {
        metadata: {
          labels: {
            [`fluid.io/s-${id}`]: 'true',
            [`fluid.io/s-juicefs-${id}`]: 'true',
            [`fluid.io/s-h-juicefs-d-${id}`]: '1GiB',
            [`fluid.io/s-h-juicefs-t-${id}`]: '1GiB',
            'fluid.io/dataset-num': expect.stringMatching(/^[1-9]/),
          },
        },
      });
    // The volume names the UID of the claim, which is written after the first worker was ready.
    const order = ['demo-worker', 'demo', id];
    const times = await Promise.all(
      (['StatefulSet', 'PersistentVolumeClaim', 'PersistentVolume'] as const).map(async (kind, i) =>
        Number((await space.get(kind, order[i] as string)).metadata.creationTimestamp?.replace(/\D/g, '')),
      ),
    );
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  test('an Exclusive dataset has its nodes to itself, and says so on them', async () => {
    const space = await sluice.space('bind');
    const mine = `${space.namespace}_demo`;
    const nodes = async () =>
      (await space.list('Node'))
        .filter(({ metadata }) => metadata.labels?.['fluid_exclusive'] === mine)
        .map(({ metadata }) => metadata.name);
    await space.create(jfsSecret(), jfsDataset('demo', { placement: 'Exclusive' }), jfsRuntime('demo'));
    await space.bound('JuiceFSRuntime', 'demo');
    const { nodeName } = (await space.get('Pod', 'demo-worker-0'))['spec'] as { nodeName: string };
    await eventually(async () => expect(await nodes()).toEqual([nodeName]));
    await space.delete('Dataset', 'demo');
    await space.gone('JuiceFSRuntime', 'demo');
    expect(await nodes()).toEqual([]);
  });

  test('workers that do not get ready hold up the volume, and the runtime says so', async () => {
    const space = await sluice.space('bind');
    const held = await sluice.plane.pods.hold({ namespace: space.namespace, name: 'demo-worker-*' });
    await space.create(jfsSecret(), jfsDataset('demo'), jfsRuntime('demo'));
    const waiting = { reason: 'WorkersNotReady', message: '0 of 1 worker pods are ready' };
    await space.becomes('JuiceFSRuntime', 'demo', condition('Synced', { status: 'False', ...waiting }));
    await space.becomes('Dataset', 'demo', {
      status: { phase: 'NotBound', conditions: [{ type: 'NotReady', status: 'True', ...waiting }] },
    });
    expect(await space.made()).not.toContain('PersistentVolumeClaim/demo');
    await held.release();
    await space.bound('JuiceFSRuntime', 'demo');
  });

  test('workers that are lost make a bound dataset Failed, and their return makes it Bound again', async () => {
    const space = await sluice.space('bind');
    await space.create(jfsSecret(), jfsDataset('demo'), jfsRuntime('demo'));
    await space.bound('JuiceFSRuntime', 'demo');
    const failing = await sluice.plane.pods.fail({ namespace: space.namespace, name: 'demo-worker-*' }, { as: 'CrashLoopBackOff' });
    await space.becomes('Dataset', 'demo', { status: { phase: 'Failed' } });
    await space.becomes(
      'Dataset',
      'demo',
      condition('Ready', { status: 'False', reason: 'DatasetFailed', message: '0 of 1 worker pods are ready' }),
    );
    await space.becomes('JuiceFSRuntime', 'demo', { status: { workerPhase: 'NotReady' } });
    expect(await space.made()).toContain('PersistentVolumeClaim/demo');
    await failing.release();
    await space.bound('JuiceFSRuntime', 'demo');
    await space.becomes('Dataset', 'demo', condition('Ready', { status: 'True' }));
  });

  test('a ThinRuntime with workers binds', async () => {
    const space = await sluice.space('bind');
    await space.create(
      openDataset('demo', { placement: 'Shared' }),
      thinRuntime('demo', { profileName: PROFILE, replicas: 1, worker: { enabled: true } }),
    );
    await space.bound('ThinRuntime', 'demo');
    await space.becomes('ThinRuntime', 'demo', {
      status: { workerPhase: 'Ready', workerNumberReady: 1, selector: 'app=thin,release=demo,role=thin-worker' },
    });
  });
});
