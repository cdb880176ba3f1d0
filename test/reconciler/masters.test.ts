/** How many masters a runtime was set up with is read back from the status of its Dataset: what that says counts as masters from then on. */
import { expect, test } from 'vitest';
import cache from '../../runtimes/cache/index.ts';
import efc from '../../runtimes/efc/index.ts';
import jindo from '../../runtimes/jindo/index.ts';
import juicefs from '../../runtimes/juicefs/index.ts';
import thin from '../../runtimes/thin/index.ts';
import vineyard from '../../runtimes/vineyard/index.ts';
import type { Runtime } from '../../src/constructs/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import * as write from '../support/objects.ts';
import { boundHarness, type Harness } from './harness.ts';

const bound = (runtime: Runtime, ...objects: readonly KubeObject[]) => boundHarness(objects, { runtimes: [runtime, thin] });
const masters = ({ server }: Harness) =>
  server
    .all()
    .map(({ kind, metadata: { name } }) => `${kind}/${name}`)
    .filter((each) => /\/demo-\w*-?master/.test(each));

const oss = { mountPoint: 'oss://bucket/data', name: 'data', options: { 'fs.oss.endpoint': 'oss.example' } };
const nas = { mountPoint: 'nfs://0a0b0c0d-x.cn-hangzhou.nas.aliyuncs.com:/images', name: 'images' };
const memory = { levels: [{ mediumtype: 'MEM' as const, quota: '64Mi' }] };
const cacheClass = write.plainClass('master', 'worker', 'client');
const off = { disabled: true };
const etcd = { endpoint: { uri: 'http://etcd.example:2379' } };

test.each<[string, Runtime, readonly KubeObject[], object]>([
  [
    'a Vineyard with an external etcd',
    vineyard,
    [write.datasetObject('demo', {}), write.vineyardRuntime('demo', { replicas: 2, tieredstore: memory, master: etcd })],
    { replicas: 3 },
  ],
  [
    'a Jindo of clients alone',
    jindo,
    [write.datasetObject('demo', { mounts: [oss] }), write.jindoRuntime('demo', { replicas: 2, master: off, worker: off })],
    { fuse: { logConfig: { level: 'debug' } } },
  ],
  [
    'a CacheRuntime without the master of its class',
    cache,
    [
      cacheClass,
      write.openDataset('demo'),
      write.cacheRuntime('demo', { runtimeClassName: 'plain', master: off, worker: { replicas: 2 } }),
    ],
    { worker: { replicas: 3 } },
  ],
  [
    'an EFC without a master',
    efc,
    [write.datasetObject('demo', { mounts: [nas] }), write.efcRuntime('demo', { replicas: 2, master: off, worker: off })],
    { fuse: { properties: { g_x: '1' } } },
  ],
])('%s reports none and gets none, also after an edit and a restart', async (_, runtime, objects, edit) => {
  const at = await bound(runtime, ...objects);
  for (const next of [() => at.edit(runtime.resource.kind, edit), () => at.restart()]) {
    expect(at.conditions(runtime.resource.kind)['Synced']).toMatch(/^True/);
    expect(at.dataset()).toMatchObject({ phase: 'Bound', runtimes: [{ name: 'demo' }] });
    expect(at.dataset().runtimes?.[0]).not.toHaveProperty('masterReplicas');
    expect(masters(at)).toEqual([]);
    await next();
    await at.quiet();
  }
  expect(at.dataset().runtimes?.[0]).not.toHaveProperty('masterReplicas');
  expect(masters(at)).toEqual([]);
});

test('a Jindo of clients alone may get three masters later: it had none', async () => {
  const at = await bound(
    jindo,
    write.datasetObject('demo', { mounts: [oss] }),
    write.jindoRuntime('demo', { replicas: 2, master: off, worker: off }),
  );
  at.edit('JindoRuntime', { master: { replicas: 3 } });
  await at.quiet();
  expect(at.conditions('JindoRuntime')['Synced']).not.toMatch(/InvalidSpec/);
  expect(at.get('StatefulSet', 'demo-jindofs-master')).toMatchObject({ spec: { replicas: 3 } });
});

test('a kind that never has masters reports its workers there, as Fluid does', async () => {
  const at = await bound(juicefs, write.jfsSecret(), write.jfsDataset('demo'), write.jfsRuntime('demo', { replicas: 2 }));
  expect(at.dataset()).toMatchObject({ phase: 'Bound', runtimes: [{ masterReplicas: 2 }] });
});

const REFUSED =
  /spec.master.replicas: expected 1, as it was set up; for another number delete the VineyardRuntime and create it again, found 3/;
test('a Vineyard keeps its etcd while it lives, and one that is created again has what the spec says', async () => {
  const spec = { replicas: 2, tieredstore: memory };
  const at = await bound(vineyard, write.datasetObject('demo', {}), write.vineyardRuntime('demo', spec));
  at.edit('VineyardRuntime', { master: { replicas: 3 } });
  await at.quiet();
  expect(at.conditions('VineyardRuntime')['Synced']).toMatch(REFUSED);
  at.edit('VineyardRuntime', { master: etcd });
  await at.quiet();
  expect(at.conditions('VineyardRuntime')['SpecWarning']).toMatch(/set up with an etcd of its own, which keeps its objects/);
  expect(at.get('StatefulSet', 'demo-master')).toMatchObject({ spec: { replicas: 1 } });
  at.delete('VineyardRuntime');
  await at.quiet();
  at.put(write.vineyardRuntime('demo', { ...spec, master: { replicas: 3 } }));
  await at.quiet();
  expect(at.dataset()).toMatchObject({ phase: 'Bound', runtimes: [{ masterReplicas: 3 }] });
  expect(at.get('StatefulSet', 'demo-master')).toMatchObject({ spec: { replicas: 3 } });
});
