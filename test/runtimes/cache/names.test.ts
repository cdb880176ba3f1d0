import { expect, test } from 'vitest';
import cache from '../../../runtimes/cache/index.ts';
import { crdOf } from '../../../src/api/index.ts';
import { given, plainClass, planOf, podOf } from './given.ts';

const scripts = (...names: readonly string[]) => ({
  topology: plainClass.topology ?? {},
  extraResources: { configMaps: names.map((name) => ({ name, data: { name } })) },
});
const configMaps = (name: string, type: ReturnType<typeof scripts>) =>
  cache
    .bind(given({ name, type }))
    .synth('master')
    .flatMap(({ kind, metadata }) => (kind === 'ConfigMap' ? [metadata.name] : []));

test('two runtimes of a class never have an object of one name', () => {
  const [one, other] = ['a', 'a-b'].map((name) => configMaps(name, scripts('b-c', 'c')));
  expect(one).toEqual(['fluid-runtime-config-a', 'fluid-extra-a.b-c', 'fluid-extra-a.c']);
  expect(other?.filter((name) => one?.includes(name))).toEqual([]);
});

test('a class that names a ConfigMap twice, or badly, is refused', () => {
  expect(() => planOf(given({ type: scripts('x', 'x') }))).toThrow(
    'CacheRuntimeClass plain: extraResources.configMaps: expected names that differ, found "x" twice',
  );
  expect(() => planOf(given({ type: scripts('a..b') }))).toThrow('extraResources.configMaps[0].name');
});

test('a command of the class without a program is refused', () => {
  const master = { ...plainClass.topology?.master, executionEntries: { mountUFS: { command: [] } } };
  expect(() => planOf(given({ type: { topology: { ...plainClass.topology, master } } }))).toThrow(
    'topology.master.executionEntries.mountUFS.command: expected a program, found []',
  );
});

test('a client unmounts when it ends, unless its class says how it ends', () => {
  const mountPath = '/runtime-mnt/cache/ml/demo/cache-fuse';
  expect(podOf(given(), 'fuse').containers[0]?.lifecycle).toEqual({ preStop: { exec: { command: ['umount', mountPath] } } });
  const preStop = { exec: { command: ['stop'] } };
  const containers = [{ name: 'client', image: 'c:1', lifecycle: { preStop } }];
  const type = { topology: { client: { template: { spec: { containers } } } } };
  expect(podOf(given({ type }), 'fuse').containers[0]?.lifecycle).toEqual({ preStop });
  expect(podOf(given(), 'worker').containers[0]?.lifecycle).toBeUndefined();
});

test('paths of mounts are absolute, each of one mount, and say nothing twice', () => {
  const at = (...paths: readonly string[]) =>
    given({ mounts: paths.map((path, i) => ({ mountPoint: `s3://b${i}`, name: `m${i}`, path })) });
  expect(() => planOf(at('/d', '/d/'))).toThrow(
    'Dataset ml/demo: spec.mounts[1].path: expected a path that no other mount has, found "/d"',
  );
  expect(() => planOf(at('rel'))).toThrow('Dataset ml/demo: spec.mounts[0].path: expected an absolute path');
  expect(() => planOf(at('/a/../b'))).toThrow('spec.mounts[0].path');
  expect(planOf(at('//d//e/')).configMaps.data['fluid-runtime-config-demo']?.['runtime.json']).toContain('"path":"/d/e"');
});

test('a program that mounts much else is not asked to unmount it path by path', () => {
  const master = { ...plainClass.topology?.master, executionEntries: { mountUFS: { command: ['mount'] } } };
  const { mounts } = cache.bind(given({ type: { topology: { ...plainClass.topology, master } } }));
  const said = JSON.stringify({ mounted: ['/data', ...Array.from({ length: 101 }, (_, i) => `/x${i}`)] });
  expect(() => mounts?.list.parse([[], [said]])).toThrow('mountUFS: expected the paths of the Dataset, found 101 others, such as "/x0"');
});

test('a load has runtime.json even without workers', () => {
  const type = { ...plainClass, dataOperationSpecs: [{ name: 'DataLoad' as const, image: 'load:1', command: ['load'] }] };
  const { load } = planOf(given({ type, spec: { worker: { replicas: 0, disabled: true } } }));
  expect(load.pod.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/etc/fluid/config']);
});

test('every runtime has a number of workers, by which it is scaled', () => {
  expect(given().spec.worker?.replicas).toBe(1);
  expect(JSON.stringify(crdOf(cache.resource))).toContain('"specReplicasPath":".spec.worker.replicas"');
  expect(planOf(given({ type: { topology: { client: plainClass.topology?.client } as never } })).warnings).toEqual([]);
});

test('a number of masters is said to have no effect if the class has none', () => {
  const type = { topology: { worker: plainClass.topology?.worker } as never };
  expect(planOf(given({ type, spec: { master: { replicas: 2 } } })).warnings?.map(({ message }) => message)).toEqual([
    'spec.master: CacheRuntimeClass plain has no master',
  ]);
});

test('a container has an image, of the class or of the runtime', () => {
  const type = { topology: { worker: { template: { spec: { containers: [{ name: 'worker' }] } } } } };
  expect(() => planOf(given({ type }))).toThrow(
    'CacheRuntimeClass plain: topology.worker.template.spec.containers[0].image: expected an image',
  );
  const spec = { worker: { replicas: 1, runtimeVersion: { image: 'example.io/worker', imageTag: '2' } } };
  expect(podOf(given({ type, spec }), 'worker').containers[0]?.image).toBe('example.io/worker:2');
});
