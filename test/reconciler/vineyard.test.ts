import { describe, expect, test } from 'vitest';
import thin from '../../runtimes/thin/index.ts';
import vineyard from '../../runtimes/vineyard/index.ts';
import type { VineyardRuntimeSpec } from '../../runtimes/vineyard/spec.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { datasetObject, vineyardRuntime } from '../support/objects.ts';
import { condition, says } from '../support/sluice.ts';
import { type MemorySpace, memorySpace, operation } from './memory-space.ts';
import { ended } from './operations/given.ts';

const levels = (quota: string) => ({ levels: [{ mediumtype: 'MEM' as const, quota }] });
const memory: VineyardRuntimeSpec = { replicas: 1, tieredstore: levels('1Gi') };
const etcd = 'http://etcd.example:2379';
const container = (fields: object) => ({ spec: { template: { spec: { containers: [fields] } } } });
/** A flag of vineyardd with this value after it. */
const flag = (name: string, value: string) =>
  container({ command: expect.toSatisfy((argv: readonly string[]) => argv[argv.indexOf(name) + 1] === value) });

describe('a Vineyard', () => {
  async function bound(spec: VineyardRuntimeSpec = memory): Promise<MemorySpace> {
    const space = await memorySpace({ runtimes: [vineyard, thin], probeMs: 60_000 });
    await space.create(datasetObject('demo', { placement: 'Shared' }), vineyardRuntime('demo', spec));
    await space.bound('VineyardRuntime', 'demo');
    return space;
  }

  /** The list of workers for clients on nodes without one: `demo-worker-0`, `demo-worker-0`, … */
  async function listsWorkers(space: MemorySpace, count: number): Promise<void> {
    const names = Array.from({ length: count }, (_, i) => `demo-worker-${i}`);
    await space.eventually(async () => {
      const { data } = (await space.get('ConfigMap', 'demo-rpc-conf')) as KubeObject & { data: Record<string, string> };
      expect((data['VINEYARD_RPC_ENDPOINT'] ?? '').split(',').flatMap((each) => each.split('.')[0] || [])).toEqual(names);
    });
  }

  test('reports the size of its memory, and is left alone by a later pass', async () => {
    const space = await bound();
    const { namespace } = space;
    await space.becomes('Dataset', 'demo', {
      status: { cacheStates: { cacheCapacity: '1.00GiB' }, runtimes: [{ type: 'vineyard', masterReplicas: 1 }] },
    });
    const { status } = await space.becomes('VineyardRuntime', 'demo', {
      status: { masterPhase: 'Ready', workerPhase: 'Ready', fusePhase: 'Ready', cacheStates: { cacheCapacity: '1.00GiB' } },
    });
    expect(status).toMatchObject({ selector: 'app=vineyard,release=demo,role=vineyard-worker' });
    const labels = { [`fluid.io/s-vineyard-${namespace}-demo`]: 'true', [`fluid.io/s-h-vineyard-m-${namespace}-demo`]: '1GiB' };
    await space.eventually(async () => expect(await space.nodeLabels()).toMatchObject(labels));
    await listsWorkers(space, 1);
    // An edit without effect asks for a later pass.
    space.at.forget();
    await space.patch('Dataset', 'demo', { spec: { sharedOptions: { x: '1' } } });
    await space.becomes('VineyardRuntime', 'demo', condition('SpecWarning', { message: says('spec.sharedOptions: has no effect') }));
    expect(space.at.written().filter((each) => !/\/status$|^patch Dataset\/demo$/.test(each))).toEqual([]);
    await space.leavesNothing();
    expect(space.exec.calls).toEqual([]);
  });

  test('is scaled out and in, and the addresses of workers follow for clients that run', async () => {
    const space = await bound();
    await space.patch('VineyardRuntime', 'demo', { spec: { replicas: 3 } });
    await listsWorkers(space, 3);
    await space.becomes('StatefulSet', 'demo-worker', { spec: { replicas: 3 }, status: { readyReplicas: 3 } });
    await space.patch('VineyardRuntime', 'demo', { spec: { replicas: 0 } });
    await listsWorkers(space, 0);
    await space.becomes('VineyardRuntime', 'demo', { status: { desiredWorkerNumberScheduled: 0, currentWorkerNumberScheduled: 0 } });
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound', cacheStates: { cacheCapacity: '0.00B' } } });
  });

  test('of three members of etcd on the network of pods, with a level of disks, is emptied on deletion', async () => {
    const space = await bound({
      replicas: 1,
      master: { replicas: 3, networkMode: 'ContainerNetwork' },
      worker: { networkMode: 'ContainerNetwork', ports: { rpc: 9700 } },
      tieredstore: { levels: [...levels('1Gi').levels, { mediumtype: 'SSD', path: '/spill', quota: '2Gi' }] },
    });
    const { namespace } = space;
    space.exec.answer({ argv: /-mindepth 1 -delete/ });
    await space.becomes('VineyardRuntime', 'demo', { status: { masterNumberReady: 3, desiredMasterNumberScheduled: 3 } });
    await space.becomes('StatefulSet', 'demo-worker', flag('--spill_path', `/spill/${namespace}/demo`));
    await space.becomes('ConfigMap', 'demo-rpc-conf', { data: { VINEYARD_RPC_ENDPOINT: `demo-worker-0.demo-worker.${namespace}:9700` } });
    expect((await space.get('VineyardRuntime', 'demo')).metadata.annotations ?? {}).not.toHaveProperty('data.fluid.io/ports');
    await space.leavesNothing();
    expect(space.exec.calls.map(({ pod, argv }) => [pod, argv.at(-1)])).toEqual([['demo-worker-0', `/spill/${namespace}/demo`]]);
  });

  test('an edit of the spec reaches the templates; an invalid one does not, and says why', async () => {
    const space = await bound();
    await space.patch('VineyardRuntime', 'demo', {
      spec: { tieredstore: levels('2Gi'), worker: { options: { 'wait.etcd.timeout': '60' } }, fuse: { options: { size: '1Mi' } } },
    });
    await space.becomes('StatefulSet', 'demo-worker', flag('--size', '2Gi'));
    await space.becomes('StatefulSet', 'demo-worker', flag('--meta_timeout', '60'));
    await space.becomes('DaemonSet', 'demo-fuse', container({ env: expect.arrayContaining([{ name: 'SIZE', value: '1Mi' }]) as object }));
    await space.becomes('VineyardRuntime', 'demo', condition('PodsOutdated', { status: 'True', message: says('demo-worker-0') }));
    await space.patch('VineyardRuntime', 'demo', { spec: { master: { replicas: 3 } } });
    const why = ['spec.master.replicas: expected 1, as it was set up', 'found 3'];
    await space.becomes('VineyardRuntime', 'demo', condition('Synced', { status: 'False', reason: 'InvalidSpec', message: says(...why) }));
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound' } });
    await space.delete('StatefulSet', 'demo-worker');
    await space.becomes('StatefulSet', 'demo-worker', { ...flag('--size', '2Gi'), status: { readyReplicas: 1 } });
    expect(await space.get('StatefulSet', 'demo-master')).toMatchObject({ spec: { replicas: 1 } });
    await space.leavesNothing();
  });

  test('with an external etcd has no masters, now or later', async () => {
    const space = await bound({ ...memory, replicas: 2, master: { endpoint: { uri: etcd } } });
    const masters = async () => (await space.made()).filter((name) => name.endsWith('-master'));
    expect(await masters()).toEqual([]);
    // The next plan begins with the values in the status.
    await space.patch('VineyardRuntime', 'demo', { spec: { replicas: 1 } });
    await space.becomes('StatefulSet', 'demo-worker', { spec: { replicas: 1 } });
    await space.becomes('VineyardRuntime', 'demo', { status: { desiredWorkerNumberScheduled: 1, currentWorkerNumberScheduled: 1 } });
    await space.patch('VineyardRuntime', 'demo', { spec: { worker: { options: { 'wait.etcd.timeout': '60' } } } });
    await space.becomes('StatefulSet', 'demo-worker', flag('--meta_timeout', '60'));
    await space.bound('VineyardRuntime', 'demo');
    await space.becomes('StatefulSet', 'demo-worker', flag('--etcd_endpoint', etcd));
    expect(await masters()).toEqual([]);
    await space.leavesNothing();
  });

  test('has no DataLoad, and a DataProcess uses it', async () => {
    const space = await bound();
    await space.create(operation('DataLoad', 'warm'));
    await space.becomes('DataLoad', 'warm', {
      status: { phase: 'Failed', conditions: expect.arrayContaining([expect.objectContaining({ reason: 'DataOperationNotSupport' })]) },
    });
    const script = { image: 'registry.example/put', imageTag: '1', source: 'python3 put.py /data/vineyard-worker.sock' };
    await space.create(operation('DataProcess', 'put', { processor: { script } }));
    await space.eventually(() => ended(space.at, 'Succeeded', '', 'put'));
    await space.becomes('DataProcess', 'put', { status: { phase: 'Complete' } });
  });
});
