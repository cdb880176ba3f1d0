import { expect, test } from 'vitest';
import efc from '../../runtimes/efc/index.ts';
import thin from '../../runtimes/thin/index.ts';
import { datasetObject, efcRuntime } from '../support/objects.ts';
import { boundHarness } from './harness.ts';

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
