import { describe, expect, test } from 'vitest';
import efc from '../../runtimes/efc/index.ts';
import type { EFCRuntimeSpec } from '../../runtimes/efc/spec.ts';
import thin from '../../runtimes/thin/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { datasetObject, efcRuntime } from '../support/objects.ts';
import { condition, type Space, says } from '../support/sluice.ts';
import { boundHarness } from './harness.ts';
import { type MemorySpace, memorySpace } from './memory-space.ts';
import { ended } from './operations/given.ts';

const nas = { mountPoint: 'nfs://0a0b0c0d-x.cn-hangzhou.nas.aliyuncs.com:/images', name: 'images' };
const disk = { replicas: 2, tieredstore: { levels: [{ mediumtype: 'SSD' as const, path: '/cache', quota: '2Gi' }] } };

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
    const space = await memorySpace({ runtimes: [efc, thin], probeMs: 60_000, exec: async () => '' });
    await space.create(datasetObject('demo', { placement: 'Shared', mounts: [nas] }), efcRuntime('demo', spec));
    await space.bound('EFCRuntime', 'demo');
    return space;
  }
  const labels = async ({ namespace, list }: Space) =>
    (await list('Node')).flatMap(({ metadata }) => Object.entries(metadata.labels ?? {}).filter(([key]) => key.includes(namespace)));
  async function leavesNothing(space: MemorySpace): Promise<void> {
    await space.delete('Dataset', 'demo');
    await space.gone('Dataset', 'demo');
    await space.eventually(async () => expect(await space.made()).toEqual([]));
    await space.eventually(async () => expect(await labels(space)).toEqual([]));
  }
  async function endpoints(space: Space): Promise<readonly string[]> {
    const { data } = (await space.get('ConfigMap', 'demo-worker-endpoints')) as KubeObject & { data: Record<string, string> };
    return (JSON.parse(data['efc-worker-endpoints.json'] ?? '') as { containerendpoints: readonly string[] }).containerendpoints;
  }

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
    await leavesNothing(space);
  });

  test('of clients alone is Bound, without a port of the node', async () => {
    const space = await bound({ master: { disabled: true }, worker: { disabled: true } });
    expect((await space.made()).filter((name) => name.startsWith('StatefulSet'))).toEqual([]);
    expect(await endpoints(space)).toEqual([]);
    expect((await space.get('EFCRuntime', 'demo')).metadata.annotations ?? {}).not.toHaveProperty('data.fluid.io/ports');
    await leavesNothing(space);
  });

  test('has no DataLoad, and a DataProcess reads it', async () => {
    const space = await bound();
    const operation = (kind: string, name: string, more: object): KubeObject => ({
      apiVersion: 'data.fluid.io/v1alpha1',
      kind,
      metadata: { name },
      spec: { dataset: { name: 'demo', ...(kind === 'DataProcess' && { mountPath: '/data' }) }, ...more },
    });
    await space.create(operation('DataLoad', 'warm', {}));
    await space.becomes('DataLoad', 'warm', { status: { phase: 'Failed', conditions: [{ reason: 'DataOperationNotSupport' }] } });
    const script = { image: 'registry.example/count', imageTag: '1', source: 'wc -l /data/*' };
    await space.create(operation('DataProcess', 'count', { processor: { script } }));
    await space.eventually(() => ended(space.at, 'Succeeded', '', 'count'));
    await space.becomes('DataProcess', 'count', { status: { phase: 'Complete' } });
  });
});
