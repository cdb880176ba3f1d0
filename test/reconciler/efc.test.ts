import { describe, expect, test } from 'vitest';
import efc from '../../runtimes/efc/index.ts';
import type { EFCRuntimeSpec } from '../../runtimes/efc/spec.ts';
import thin from '../../runtimes/thin/index.ts';
import { annotation } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { datasetObject, efcRuntime } from '../support/objects.ts';
import { condition, type Space, says } from '../support/sluice.ts';
import { boundHarness } from './harness.ts';
import { type MemorySpace, memorySpace, operation } from './memory-space.ts';
import { ended } from './operations/given.ts';

const nas = { mountPoint: 'nfs://0a0b0c0d-x.cn-hangzhou.nas.aliyuncs.com:/images', name: 'images' };
const disk = { replicas: 2, tieredstore: { levels: [{ mediumtype: 'SSD' as const, path: '/cache', quota: '2Gi' }] } };
const NO_FIGURES = Object.fromEntries(
  ['cacheCapacity', 'cached', 'cachedPercentage', 'cacheHitRatio', 'cacheThroughputRatio']
    .concat(['localHitRatio', 'localThroughputRatio', 'remoteHitRatio', 'remoteThroughputRatio'])
    .map((name) => [name, '']),
);

test('the list of workers names the port at which each of them listens, while older pods run', async () => {
  const at = await boundHarness([datasetObject('demo', { mounts: [nas] }), efcRuntime('demo', disk)], { runtimes: [efc, thin] });
  const ports = () => {
    const { data } = at.get('ConfigMap', 'demo-worker-endpoints') as unknown as { data: Record<string, string> };
    const { containerendpoints } = JSON.parse(data['efc-worker-endpoints.json'] ?? '') as { containerendpoints: readonly string[] };
    return containerendpoints.map((each) => Number(each.split(':').at(-1)));
  };
  const [allocated = 0] = ports();
  expect(allocated).toBeGreaterThanOrEqual(16000);
  expect(ports()).toEqual([allocated, allocated]);
  at.edit('EFCRuntime', { worker: { networkMode: 'ContainerNetwork' } });
  await at.quiet();
  expect(at.conditions('EFCRuntime')['PodsOutdated']).toContain('demo-worker-0, demo-worker-1');
  expect(ports()).toEqual([allocated, allocated]);
  at.delete('Pod', 'demo-worker-1');
  await at.quiet();
  expect(ports()).toEqual([allocated, 14555]);
});

describe('an EFC', () => {
  async function bound(spec: EFCRuntimeSpec = { ...disk, replicas: 1 }): Promise<MemorySpace> {
    const space = await memorySpace({ runtimes: [efc, thin], probeMs: 60_000 });
    await space.create(datasetObject('demo', { placement: 'Shared', mounts: [nas] }), efcRuntime('demo', spec));
    await space.bound('EFCRuntime', 'demo');
    return space;
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
  async function listsWorkers(space: MemorySpace, count: number): Promise<void> {
    await space.eventually(async () => {
      const found = await endpoints(space);
      expect(found).toHaveLength(count);
      expect(found).toEqual(await served(space));
    });
  }

  test('has no figures, its workers are listed, and its cache is emptied at last', async () => {
    const space = await bound();
    const { namespace } = space;
    await space.becomes('Dataset', 'demo', {
      status: { mounts: [nas], cacheStates: NO_FIGURES, runtimes: [{ type: 'efc', masterReplicas: 1 }] },
    });
    const { status } = await space.becomes('EFCRuntime', 'demo', {
      status: { valueFile: 'demo-efc-values', masterPhase: 'Ready', workerPhase: 'Ready', fusePhase: 'Ready', cacheStates: NO_FIGURES },
    });
    expect(status).toMatchObject({ selector: 'app=efc,release=demo,role=efc-worker' });
    const labels = { [`fluid.io/s-efc-${namespace}-demo`]: 'true', [`fluid.io/s-h-efc-d-${namespace}-demo`]: '2GiB' };
    await space.eventually(async () => expect(await space.nodeLabels()).toMatchObject(labels));
    await listsWorkers(space, 1);
    expect((await endpoints(space))[0]).toMatch(/:1[67]\d{3}$/);
    expect(space.exec.calls).toEqual([]);
    await space.leavesNothing();
    expect(space.exec.calls.map(({ pod, argv }) => [pod, ...argv])).toEqual([
      ['demo-worker-0', 'rm', '-rf', '--', `/cache/${namespace}/demo/tier_dadi`],
    ]);
  });

  test('is scaled out and in, and the list of workers follows for masters and clients that run', async () => {
    const space = await bound();
    const updates = async () => Number((await space.get('Pod', 'demo-master-0')).metadata.annotations?.[annotation.fuseConfigUpdate] ?? 0);
    await listsWorkers(space, 1);
    await space.eventually(async () => expect(await updates()).toBeGreaterThan(0));
    const before = await updates();
    await space.patch('EFCRuntime', 'demo', { spec: { replicas: 3 } });
    await listsWorkers(space, 3);
    await space.eventually(async () => expect(await updates()).toBeGreaterThan(before));
    await space.patch('EFCRuntime', 'demo', { spec: { replicas: 0 } });
    await listsWorkers(space, 0);
    await space.becomes('EFCRuntime', 'demo', { status: { desiredWorkerNumberScheduled: 0, currentWorkerNumberScheduled: 0 } });
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound' } });
  });

  test('an edit of the spec reaches the templates; an invalid one does not, and says why', async () => {
    const space = await bound();
    await space.patch('EFCRuntime', 'demo', { spec: { fuse: { properties: { g_x: '1' } } } });
    const args = expect.arrayContaining([says('assign_uuid=', ',g_x=1')]) as object;
    await space.becomes('DaemonSet', 'demo-fuse', { spec: { template: { spec: { containers: [{ args }] } } } });
    await space.patch('Dataset', 'demo', { spec: { mounts: [{ ...nas, mountPoint: 'nfs://server.example:/' }] } });
    const why = ['spec.mounts[0].mountPoint: expected nfs://<file system>.<region>.nas.aliyuncs.com', 'found "nfs://server.example:/"'];
    await space.becomes('EFCRuntime', 'demo', condition('Synced', { status: 'False', reason: 'InvalidSpec', message: says(...why) }));
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound' } });
    await space.delete('StatefulSet', 'demo-worker');
    await space.becomes('StatefulSet', 'demo-worker', { status: { readyReplicas: 1 } });
    await space.leavesNothing();
  });

  test('of clients alone is Bound, without a port of the node', async () => {
    const space = await bound({ master: { disabled: true }, worker: { disabled: true } });
    expect((await space.made()).filter((name) => name.startsWith('StatefulSet'))).toEqual([]);
    expect(await endpoints(space)).toEqual([]);
    expect((await space.get('EFCRuntime', 'demo')).metadata.annotations ?? {}).not.toHaveProperty('data.fluid.io/ports');
    await space.leavesNothing();
  });

  test('has no DataLoad, and a DataProcess reads it', async () => {
    const space = await bound();
    await space.create(operation('DataLoad', 'warm'));
    await space.becomes('DataLoad', 'warm', {
      status: { phase: 'Failed', conditions: expect.arrayContaining([expect.objectContaining({ reason: 'DataOperationNotSupport' })]) },
    });
    const script = { image: 'registry.example/count', imageTag: '1', source: 'wc -l /data/*' };
    await space.create(operation('DataProcess', 'count', { processor: { script } }));
    await space.eventually(() => ended(space.at, 'Succeeded', '', 'count'));
    await space.becomes('DataProcess', 'count', { status: { phase: 'Complete' } });
  });
});
