/** Defects of Fluid's Jindo, and what is done about each. test/upstream/jindo-defects.ts lists them all. */
import { expect, test } from 'vitest';
import jindo from '../../../runtimes/jindo/index.ts';
import type { JindoRuntimeSpec } from '../../../runtimes/jindo/spec.ts';
import { bucket, container, envOf, fsx, given, keys, made, section, templateOf } from './given.ts';

const ROLES = ['master', 'worker', 'fuse'] as const;
const tiers = (level: object): JindoRuntimeSpec => ({
  replicas: 1,
  tieredstore: { levels: [{ mediumtype: 'MEM', path: '/dev/shm', ...level }] },
});
const loaded = (input: ReturnType<typeof given>) =>
  jindo.bind(input).operations.DataLoad?.({ kind: 'DataLoad', name: 'op', namespace: 'ml', uid: 'u', spec: {}, facts: { pods: {} } }) ?? [];

test('10: a cache in memory is requested by workers, and a lower limit is refused', () => {
  expect(container(given({ spec: tiers({ quota: '4Gi' }) }), 'worker').resources).toEqual({ requests: { memory: '4Gi' } });
  const worker = { resources: { limits: { memory: '1Gi' } } };
  expect(() => made(given({ spec: { ...tiers({ quota: '4Gi' }), worker } }))).toThrow('spec.worker.resources.limits.memory');
});
test('11: no container mounts a file that does not exist', () => {
  for (const input of [given(), fsx()]) {
    const { files } = jindo.bind(input).plan as unknown as { files: { data: object } };
    for (const role of ROLES)
      for (const { name, subPath } of container(input, role).volumeMounts)
        if (name === 'bigboot-config') expect(Object.keys(files.data)).toContain(subPath);
  }
});
test('11: files of the user are mounted if the ConfigMap has them', () => {
  const hadoop = (found: string[]) =>
    container(given({ spec: { hadoopConfig: 'h' }, facts: { configMaps: { h: found } } }), 'fuse')
      .volumeMounts.filter(({ name }) => name === 'hdfs-confs')
      .map(({ mountPath }) => mountPath);
  expect(hadoop(['core-site.xml'])).toEqual(['/hdfs-3.2.1/etc/hadoop/core-site.xml']);
  expect(hadoop(['hdfs-site.xml', 'core-site.xml'])).toEqual(['/hdfs-site.xml', '/hdfs-3.2.1/etc/hadoop/core-site.xml']);
  expect(() => hadoop(['other'])).toThrow('hdfs-site.xml, core-site.xml or both');
});
test('12: the input that ends Fluid’s process, two directories of one quota', () =>
  expect(
    section(given({ spec: tiers({ mediumtype: 'SSD', path: '/mnt/disk1,/mnt/disk2', quota: '4Gi' }) }), 'jindocache-worker'),
  ).toMatchObject({
    'storage.data-dirs': '/mnt/disk1/ml/demo/jindocache,/mnt/disk2/ml/demo/jindocache',
    'storage.data-dirs.capacities': '2g,2g',
  }));
test('12: the selector in the status is that of the workers', () => {
  const [workload] = jindo.bind(given()).synth('worker');
  const { matchLabels } = (workload as unknown as { spec: { selector: { matchLabels: Record<string, string> } } }).spec.selector;
  expect(matchLabels).toEqual({ app: 'jindofs', release: 'demo', role: 'jindofs-worker' });
  expect(templateOf(given(), 'worker').metadata.labels).toMatchObject(matchLabels);
});
test('12: clients and workers know all three masters', () => {
  const input = given({ spec: { replicas: 1, master: { replicas: 3 } } });
  const all = [0, 1, 2].map((i) => `demo-jindofs-master-${i}.ml:18001`).join();
  for (const role of ROLES) expect(envOf(container(input, role))['CLIENT_NAMESPACE_RPC_ADDRESS']).toBe(all);
  expect(section(input, 'jindosdk', 'jindosdk.cfg')['fs.jindocache.namespace.rpc.address']).toBe(all);
});
test('13: a runtime with jindofs in its name has the names of any other', () =>
  expect(jindo.workloads('my-jindofs')).toEqual({
    master: 'my-jindofs-jindofs-master',
    worker: 'my-jindofs-jindofs-worker',
    fuse: 'my-jindofs-jindofs-fuse',
  }));
test('13: memory without cpu is as the spec says', () => {
  const resources = { requests: { memory: '1Gi' } };
  for (const role of ROLES) expect(container(given({ spec: { [role]: { resources } } }), role).resources).toEqual(resources);
});
test('17: every object is in the inventory, which deletes it', () => {
  for (const { metadata } of made(given({ spec: { replicas: 1 } })))
    expect(metadata.labels).toMatchObject({ 'data.fluid.io/owner-uid': 'uid-of-runtime' });
});
test('the pod of a load has the keys of the store, and the configuration of clients', () => {
  const job = JSON.stringify(loaded(given({ mounts: [{ ...bucket, encryptOptions: keys }] })).find(({ kind }) => kind === 'Job'));
  for (const path of ['/token', '/jindocache.cfg', '/jindosdk.cfg']) expect(job).toContain(`"mountPath":"${path}"`);
});
test('a runtime without tiers can be loaded; one without masters is refused, since nothing is cached', () => {
  expect(loaded(given())).toHaveLength(2);
  expect(() => loaded(given({ spec: { master: { disabled: true }, worker: { disabled: true } } }))).toThrow(
    'a Dataset whose JindoRuntime has masters',
  );
});
