/** Jindo's software is not public: what its pods answer comes from the stand-in of src/playground/engines/jindo.ts. */
import { describe, expect, test } from 'vitest';
import jindo from '../../runtimes/jindo/index.ts';
import type { JindoRuntimeSpec } from '../../runtimes/jindo/spec.ts';
import thin from '../../runtimes/thin/index.ts';
import type { DatasetSpec } from '../../src/api/index.ts';
import { datasetObject, jindoRuntime } from '../support/objects.ts';
import { condition, says } from '../support/sluice.ts';
import { type MemorySpace, memorySpace, operation } from './memory-space.ts';
import { ended } from './operations/given.ts';

const [spark, hbase] = ['spark', 'hbase'].map((name) => ({
  mountPoint: `oss://bucket/${name}`,
  name,
  options: { 'fs.oss.endpoint': 'oss.example' },
})) as [object, object];
/** Shared, so that a few nodes hold the workers of many. */
const dataset = (mounts: readonly object[] = [spark]) => datasetObject('demo', { placement: 'Shared', mounts } as DatasetSpec);
const disk: JindoRuntimeSpec = { replicas: 1, tieredstore: { levels: [{ mediumtype: 'SSD', path: '/cache', quota: '64Mi' }] } };
const FSX: JindoRuntimeSpec = { ...disk, jindoVersion: { imageTag: '4.6.8' } };
/** Tiers, versions and what its commands are, of each engine. */
const ENGINES = [
  ['jindocache', disk, 'jindocache -mount', 'jindocache -formatCache', 'jindocache -load'],
  ['jindofsx', FSX, 'jindo admin -mount', 'jindo fs -formatCache -force', 'jindo fs -load'],
] as const;

const options = { runtimes: [jindo, thin], probeMs: 60_000 };

describe('a Jindo', () => {
  async function bound(spec: JindoRuntimeSpec = disk, mounts?: readonly object[]): Promise<MemorySpace> {
    const space = await memorySpace(options);
    await space.create(dataset(mounts), jindoRuntime('demo', spec));
    await space.bound('JindoRuntime', 'demo');
    return space;
  }
  /** `<pod> <command>` of what has no blanks or several lines, the script of a change as its lines. */
  const commands = ({ exec }: MemorySpace, pattern: RegExp) =>
    exec.calls.flatMap(({ pod, argv }) =>
      (argv[0] === 'bash' ? (argv[2] ?? '') : argv.join(' '))
        .split('\n')
        .filter((line) => pattern.test(line))
        .map((line) => `${pod} ${line.replace(' || failed=$?', '')}`),
    );
  const changes = (space: MemorySpace) => commands(space, /^mount |-unmount/);

  test.each(ENGINES)('by %s is Bound, is left alone then, and leaves nothing', async (engine, spec, mount, format) => {
    const space = await bound(spec, [spark, hbase]);
    const { namespace } = space;
    await space.becomes('Dataset', 'demo', {
      status: {
        mounts: [{ name: 'spark' }, { name: 'hbase' }],
        cacheStates: { cacheCapacity: '250.38GiB', cached: '11.72GiB', cachedPercentage: '' },
        hcfs: { endpoint: expect.stringMatching(`^demo-jindofs-master-0\\.${namespace}:1[89]\\d{3}$`) },
        runtimes: [{ type: 'jindo', masterReplicas: 1 }],
      },
    });
    await space.becomes('JindoRuntime', 'demo', {
      status: { valueFile: `demo-${engine}-values`, masterPhase: 'Ready', workerPhase: 'Ready', fusePhase: 'Ready' },
    });
    expect(await space.made()).toEqual([
      'ConfigMap/demo-jindofs-client-config',
      'ConfigMap/demo-jindofs-config',
      'DaemonSet/demo-jindofs-fuse',
      `PersistentVolume/${namespace}-demo`,
      'PersistentVolumeClaim/demo',
      'Service/demo-jindofs-master-0',
      'StatefulSet/demo-jindofs-master',
      'StatefulSet/demo-jindofs-worker',
    ]);
    expect(Object.keys((await space.get('ConfigMap', 'demo-jindofs-config'))['data'] as object)).toContain(`${engine}.cfg`);
    await space.eventually(async () => expect(await space.nodeLabels()).toHaveProperty([`fluid.io/s-${engine}-${namespace}-demo`]));
    // The templates are in the API server's form: they were not written a second time.
    for (const [kind, name] of WORKLOADS) expect((await space.get(kind, name)).metadata.generation, name).toBe(1);
    expect(changes(space)).toEqual([
      `demo-jindofs-master-0 mount ${mount} /hbase oss://bucket/hbase`,
      `demo-jindofs-master-0 mount ${mount} /spark oss://bucket/spark`,
    ]);
    expect(space.exec.calls.length).toBeLessThanOrEqual(8);
    await space.leavesNothing();
    expect(commands(space, /-formatCache/)).toEqual([`demo-jindofs-master-0 ${format}`]);
    const emptied = space.exec.calls.filter(({ argv }) => argv[2]?.includes('rm -rf'));
    expect(emptied.map(({ pod, argv }) => [pod, argv.slice(4)])).toEqual([
      ['demo-jindofs-worker-0', [`/cache/${namespace}/demo/${engine}/server`, `/cache/${namespace}/demo/${engine}`]],
      ['demo-jindofs-master-0', ['', `/cache/${namespace}/demo/${engine}`]],
    ]);
  });
  const WORKLOADS = [
    ['StatefulSet', 'demo-jindofs-master'],
    ['StatefulSet', 'demo-jindofs-worker'],
    ['DaemonSet', 'demo-jindofs-fuse'],
  ] as const;

  test('of three masters is Bound, and each of them can be found', async () => {
    const space = await bound({ replicas: 1, master: { replicas: 3 } });
    await space.becomes('Dataset', 'demo', {
      // The cache is in memory, the default without a tier.
      status: { runtimes: [{ masterReplicas: 3 }], cacheStates: { cacheCapacity: '4.00GiB', cached: '1.00GiB' } },
    });
    await space.becomes('JindoRuntime', 'demo', { status: { masterPhase: 'Ready', masterNumberReady: 3 } });
    expect(await space.made()).toEqual(expect.arrayContaining([0, 1, 2].map((i) => `Service/demo-jindofs-master-${i}`)));
    expect((await space.get('StatefulSet', 'demo-jindofs-master')).metadata.generation).toBe(1);
    expect(changes(space)).toHaveLength(1);
    const { ports } = (await space.get('Service', 'demo-jindofs-master-2'))['spec'] as { ports: readonly { name: string }[] };
    expect(ports.map(({ name }) => name)).toEqual(['rpc', 'raft']);
    await space.leavesNothing();
  });

  test('is scaled out and in', async () => {
    const space = await bound();
    for (const replicas of [3, 1]) {
      await space.patch('JindoRuntime', 'demo', { spec: { replicas } });
      await space.becomes('StatefulSet', 'demo-jindofs-worker', { spec: { replicas }, status: { readyReplicas: replicas } });
      const status = { desiredWorkerNumberScheduled: replicas, currentWorkerNumberScheduled: replicas };
      await space.becomes('JindoRuntime', 'demo', { status });
    }
  });

  test.each(ENGINES)('by %s follows the mounts of its Dataset', async (engine, spec, mount) => {
    const space = await bound(spec);
    await space.patch('Dataset', 'demo', { spec: { mounts: [spark, hbase] } });
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound', mounts: [{ name: 'spark' }, { name: 'hbase' }] } });
    await space.patch('Dataset', 'demo', { spec: { mounts: [{ ...hbase, mountPoint: 'oss://bucket/other' }] } });
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound', mounts: [{ mountPoint: 'oss://bucket/other' }] } });
    const unmount = mount.replace('-mount', '-unmount');
    expect(changes(space)).toEqual(
      [
        `mount ${mount} /spark oss://bucket/spark`,
        `mount ${mount} /hbase oss://bucket/hbase`,
        // With its sets, which are others now, JindoCache gets all its mounts; it has this one.
        ...(engine === 'jindocache' ? [`mount ${mount} /spark oss://bucket/spark`] : []),
        `${unmount} /spark`,
        `${unmount} /hbase`,
        `mount ${mount} /hbase oss://bucket/other`,
      ].map((line) => `demo-jindofs-master-0 ${line}`),
    );
    await space.becomes('JindoRuntime', 'demo', condition('Synced', { status: 'True' }));
  });

  test.each(ENGINES)('by %s mounts again what a new master does not have', async (engine, spec, mount) => {
    const space = await bound(spec);
    // As if its disk had been lost.
    const where = { namespace: space.namespace, pod: 'demo-jindofs-master-0', container: 'jindofs-master' };
    await space.exec.exec(where, [...mount.replace('-mount', '-unmount').split(' '), '/spark'], 1000);
    await space.delete('Pod', 'demo-jindofs-master-0');
    const line = `demo-jindofs-master-0 mount ${mount} /spark oss://bucket/spark`;
    await space.eventually(async () => expect(changes(space).filter((each) => each === line)).toHaveLength(2));
    if (engine === 'jindocache') expect(commands(space, /refreshCacheSet/)).toHaveLength(2);
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound' } });
  });

  test('takes over an edited tier, for pods that start from then on', async () => {
    const space = await bound();
    const level = { mediumtype: 'MEM', path: '/dev/shm/a,/dev/shm/b', quotaList: '1Gi,2Gi' };
    await space.patch('JindoRuntime', 'demo', { spec: { tieredstore: { levels: [level] } } });
    await space.becomes('StatefulSet', 'demo-jindofs-worker', {
      spec: {
        template: { spec: { containers: [{ volumeMounts: expect.arrayContaining([{ name: 'datavolume-2', mountPath: '/dev/shm/b' }]) }] } },
      },
    });
    await space.becomes('ConfigMap', 'demo-jindofs-config', { data: { 'jindocache.cfg': says('storage.data-dirs.capacities = 1g,2g') } });
    await space.bound('JindoRuntime', 'demo');
  });

  test('without workers is Bound', async () => {
    const space = await bound({ ...disk, worker: { disabled: true } });
    expect(await space.made()).not.toContain('StatefulSet/demo-jindofs-worker');
    expect(changes(space)).toHaveLength(1);
    expect((await space.get('JindoRuntime', 'demo'))['status']).not.toMatchObject({ workerPhase: 'NotReady' });
    await space.leavesNothing();
  });

  test('of clients alone is Bound, and asks nobody', async () => {
    const space = await bound({ master: { disabled: true }, worker: { disabled: true } });
    expect((await space.made()).filter((name) => /Service|StatefulSet/.test(name))).toEqual([]);
    await space.becomes('Dataset', 'demo', { status: { hcfs: { endpoint: 'N/A' } } });
    await space.becomes('DaemonSet', 'demo-jindofs-fuse', {
      spec: { template: { spec: { containers: [{ args: expect.arrayContaining(['-ouri=oss://bucket/spark']) }] } } },
    });
    expect(space.exec.calls).toEqual([]);
    await space.leavesNothing();
  });

  test('keeps its last valid plan while an edit is invalid, and leaves no label of either engine then', async () => {
    const space = await bound();
    const { namespace } = space;
    await space.patch('JindoRuntime', 'demo', {
      spec: { tieredstore: { levels: [{ mediumtype: 'SSD', path: '/a,/b', quotaList: '1Gi,2Gi,3Gi' }] } },
    });
    await space.becomes(
      'JindoRuntime',
      'demo',
      condition('Synced', { status: 'False', reason: 'InvalidSpec', message: says('quotaList') }),
    );
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound' } });
    await space.delete('StatefulSet', 'demo-jindofs-worker');
    await space.becomes('StatefulSet', 'demo-jindofs-worker', { status: { readyReplicas: 1 } });
    // A label of the runtime's former engine, as if another process had left it.
    await space.patch('Node', 'node-1', { metadata: { labels: { [`fluid.io/s-jindofsx-${namespace}-demo`]: 'true' } } });
    await space.eventually(async () => expect(await space.nodeLabels()).toHaveProperty([`fluid.io/s-jindocache-${namespace}-demo`]));
    await space.leavesNothing();
  });

  const counts = ['desired', 'current'].flatMap((which) =>
    ['Master', 'Worker', 'Fuse'].map((role): [string, number] => [`${which}${role}NumberScheduled`, 0]),
  );
  const NEVER_RAN = {
    ...Object.fromEntries([...counts, ...['master', 'worker', 'fuse'].map((role): [string, string] => [`${role}Phase`, ''])]),
    ...Object.fromEntries(['masterNumberReady', 'workerNumberReady', 'fuseNumberReady'].map((name) => [name, 0])),
    valueFile: 'demo-jindo-values',
  };
  test.each([
    ['a version of JindoFS', { ...disk, jindoVersion: { imageTag: '3.8.0' } }, undefined],
    ['a status of JindoFS', disk, NEVER_RAN],
  ] as const)('with %s is refused, and says why', async (_, spec, status) => {
    const space = await memorySpace(options);
    await space.create(jindoRuntime('demo', spec));
    if (status) await space.patch('JindoRuntime', 'demo', { status }, 'status');
    await space.create(dataset());
    const why = ['spec: expected an engine that works, jindocache or jindofsx', 'found jindo, which is JindoFS 3.8'];
    await space.becomes('JindoRuntime', 'demo', condition('Synced', { status: 'False', reason: 'InvalidSpec', message: says(...why) }));
    await space.eventually(async () => expect(await space.events('demo')).toContainEqual(says('Warning ErrorProcessRuntime: ', ...why)));
    expect(await space.made()).toEqual([]);
    await space.leavesNothing();
  });

  test.each(ENGINES)('by %s loads paths, and a DataProcess reads them', async (engine, spec, _mount, _format, command) => {
    const space = await bound(spec);
    const target = [{ path: '/spark', replicas: 2 }];
    await space.create(operation('DataLoad', 'warm', { target, loadMetadata: true }));
    await space.eventually(() => ended(space.at, 'Succeeded'));
    await space.becomes('DataLoad', 'warm', { status: { phase: 'Complete' } });
    const container = {
      command: ['/bin/bash', '/scripts/load.sh'],
      args: [...command.split(' '), '--', '/spark', '2'],
      env: expect.arrayContaining([
        { name: 'NEED_LOAD_METADATA', value: 'true' },
        { name: 'STORAGE_ADDRESS', valueFrom: { fieldRef: expect.objectContaining({ fieldPath: 'status.podIP' }) as object } },
      ]) as object,
      envFrom: [{ configMapRef: { name: 'demo-jindofs-client-config' } }],
      volumeMounts: expect.arrayContaining([expect.objectContaining({ mountPath: `/${engine}.cfg`, subPath: `${engine}.cfg` })]) as object,
    };
    expect(await space.get('Job', 'warm-loader-job')).toMatchObject({
      spec: { backoffLimit: 1, template: { spec: { containers: [container] } } },
    });
    const script = { image: 'registry.example/count', imageTag: '1', source: 'wc -l /data/*' };
    await space.create(operation('DataProcess', 'count', { processor: { script } }));
    await space.eventually(() => ended(space.at, 'Succeeded', '', 'count'));
    await space.becomes('DataProcess', 'count', { status: { phase: 'Complete' } });
  });
});

test('a Jindo keeps the engine that it was set up with, whatever the installation says later', async () => {
  const env: Record<string, string> = { JINDO_ENGINE_TYPE: 'jindofsx' };
  const space = await memorySpace({ ...options, settings: { env } });
  const config = async () => Object.keys((await space.get('ConfigMap', 'demo-jindofs-config'))['data'] as object);
  await space.create(dataset(), jindoRuntime('demo', disk));
  await space.bound('JindoRuntime', 'demo');
  await space.becomes('JindoRuntime', 'demo', { status: { valueFile: 'demo-jindofsx-values' } });
  expect(await config()).toContain('jindofsx.cfg');

  delete env['JINDO_ENGINE_TYPE'];
  await space.at.restart();
  await space.patch('JindoRuntime', 'demo', { spec: { replicas: 2 } });
  await space.becomes('StatefulSet', 'demo-jindofs-worker', { spec: { replicas: 2 } });
  expect(await config()).toContain('jindofsx.cfg');
  await space.create(datasetObject('later', dataset()['spec'] as DatasetSpec), jindoRuntime('later', disk));
  await space.becomes('JindoRuntime', 'later', { status: { valueFile: 'later-jindocache-values' } });
});
