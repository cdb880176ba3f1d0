/** The pods of a component: the class's template, and the additions of Sluice and the runtime. */
import { describe, expect, test } from 'vitest';
import type { CacheRuntimeClassSpec } from '../../../runtimes/cache/class-spec.ts';
import cache from '../../../runtimes/cache/index.ts';
import type { CacheRuntimeSpec } from '../../../runtimes/cache/spec.ts';
import { PRINT_ORDER } from '../../../src/constructs/index.ts';
import { plainfs } from '../../support/plainfs.ts';
import { type GivenCache, given, planOf, podOf } from './given.ts';

type Template = NonNullable<NonNullable<NonNullable<CacheRuntimeClassSpec['topology']>['worker']>['template']>;
type Container = NonNullable<Template['spec']>['containers'][number];
const MAIN: Container = { name: 'main', image: 'example.io/main:1' };

/** Workers of a class of one component. */
function workerOf(
  { pod = {}, ...main }: Partial<Container> & { readonly pod?: Partial<NonNullable<Template['spec']>> },
  worker: NonNullable<CacheRuntimeSpec['worker']> = {},
  more: Omit<GivenCache, 'spec'> & { readonly dependencies?: object } = {},
) {
  const { dependencies, type, ...rest } = more;
  const template = { spec: { containers: [{ ...MAIN, ...main }], ...pod } };
  const input = given({
    ...rest,
    type: { ...type, topology: { worker: { template, ...(dependencies && { dependencies }) } } },
    spec: { worker },
  });
  return podOf(input, 'worker');
}
const paths = (container: Container | undefined) => container?.volumeMounts?.map(({ mountPath }) => mountPath);

describe('the first container', () => {
  test('has the image of the runtime if it has a tag, and a pull policy alone', () => {
    const imageOf = (runtimeVersion: object) => workerOf({}, { runtimeVersion }).containers[0];
    expect(imageOf({ image: 'example.io/other', imageTag: '2' })?.image).toBe('example.io/other:2');
    expect(imageOf({ image: 'example.io/other' })?.image).toBe(MAIN.image);
    expect(imageOf({ imageTag: '2' })?.image).toBe(MAIN.image);
    expect(imageOf({ imagePullPolicy: 'Never' })).toMatchObject({ image: MAIN.image, imagePullPolicy: 'Never' });
  });
  test('has the arguments of the runtime in place of those of the class', () => {
    expect(workerOf({ args: ['class'] }).containers[0]?.args).toEqual(['class']);
    expect(workerOf({ args: ['class'] }, { args: ['runtime'] }).containers[0]?.args).toEqual(['runtime']);
  });
  test('keeps amounts of the class that the runtime does not name', () => {
    const resources = { limits: { cpu: '2', memory: '4Gi' }, requests: { cpu: '1', memory: '2Gi' } };
    expect(workerOf({ resources }).containers[0]?.resources).toEqual(resources);
    expect(workerOf({ resources }, { resources: { limits: { memory: '8Gi' } } }).containers[0]?.resources).toEqual({
      limits: { cpu: '2', memory: '8Gi' },
      requests: { cpu: '1', memory: '2Gi' },
    });
  });
  test('gives a variable of the class the value of the runtime where others refer to it', () => {
    const env = [
      { name: 'PORT', value: '80' },
      { name: 'ADDR', value: '0.0.0.0:$(PORT)' },
    ];
    const variables = workerOf({ env }, { env: [{ name: 'PORT', value: '90' }] }).containers[0]?.env ?? [];
    expect(variables.filter(({ name }) => !name.startsWith('FLUID_'))).toEqual([{ name: 'PORT', value: '90' }, env[1]]);
  });
  test('keeps privilege, probes and hooks of the class', () => {
    const main = { securityContext: { privileged: true }, lifecycle: { preStop: { exec: { command: ['stop'] } } } };
    expect(workerOf({ ...main, pod: { hostNetwork: true, priorityClassName: 'high' } })).toMatchObject({
      hostNetwork: true,
      priorityClassName: 'high',
      containers: [main],
    });
  });
});

test('tolerations are those of the class, then of the Dataset, then of the runtime', () => {
  const key = (name: string) => ({ key: name, operator: 'Exists' });
  const pod = workerOf(
    { pod: { tolerations: [key('class')] } },
    { tolerations: [key('runtime')] },
    { dataset: { tolerations: [key('dataset')] } },
  );
  expect(pod.tolerations?.map((toleration) => toleration.key)).toEqual(['class', 'dataset', 'runtime']);
});

test('runtime.json is in the first container and the first init container, and in no other', () => {
  const other = { name: 'other', image: 'example.io/other:1' };
  const { containers, initContainers } = workerOf({
    pod: {
      containers: [MAIN, other],
      initContainers: [
        { ...other, name: 'first' },
        { ...other, name: 'second' },
      ],
    },
  });
  expect([...containers, ...(initContainers ?? [])].map((each) => [each.name, paths(each) ?? []])).toEqual([
    ['main', ['/etc/fluid/config']],
    ['other', []],
    ['first', ['/etc/fluid/config']],
    ['second', []],
  ]);
});

test('SpecWarning names what the class and the runtime say twice', () => {
  const secret = { secretKeyRef: { name: 's', key: 'k' } };
  const containers = [{ ...MAIN, env: [{ name: 'KEY', valueFrom: secret }] }];
  const template = { spec: { containers, volumes: [{ name: 'data', emptyDir: {} }] } };
  const worker = { env: [{ name: 'KEY', value: 'a$(KEY)' }], volumeMounts: [{ name: 'data', mountPath: '/data' }] };
  const volumes = [{ name: 'data', hostPath: { path: '/mine' } }];
  const { warnings } = planOf(given({ type: { topology: { worker: { template } } }, spec: { worker, volumes } }));
  expect(warnings.map(({ message }) => message)).toEqual([
    'spec.volumes[0]: the worker of the class has a volume of this name, which is mounted',
    'spec.worker.env[KEY]: $(KEY) in a value stays as it is, since the variable is defined twice and its value comes later',
  ]);
});

describe('a volume of the class', () => {
  const volume = (name: string) => ({ pod: { volumes: [{ name, emptyDir: {} }] } });
  test('with the name of one that Sluice adds is refused, by the class and the field', () =>
    expect(() => workerOf(volume('fluid-runtime-config'))).toThrow(
      'CacheRuntimeClass plain: topology.worker.template.spec.volumes[0].name: expected a name of no volume that Sluice adds, found "fluid-runtime-config"',
    ));
  test('also with that of a level of the cache', () =>
    expect(() =>
      workerOf(volume('tiered-store-level-0-memory'), { tieredStore: { levels: [{ processMemory: { quota: '1Gi' } }] } }),
    ).toThrow('topology.worker.template.spec.volumes[0].name'));
  test('can be mounted by the runtime, and is there once', () => {
    const { volumes, containers } = workerOf(volume('own'), { volumeMounts: [{ name: 'own', mountPath: '/own' }] });
    expect(volumes?.filter(({ name }) => name === 'own')).toEqual([{ name: 'own', emptyDir: {} }]);
    expect(paths(containers[0])).toContain('/own');
  });
});

describe('the Secrets of a Dataset', () => {
  const END = 'a'.repeat(60);
  const SECRETS = ['short', `one-${END}`, `two-${END}`, 'with.dots', 'with-dots'];
  const encryptOptions = SECRETS.map((name, i) => ({ name: `key-${i}`, valueFrom: { secretKeyRef: { name, key: 'k' } } }));
  const mounts = [{ mountPoint: 's3://b', name: 'b', encryptOptions }];

  test('have a volume each, also those with names that are long and end alike', () => {
    const { volumes = [], containers } = workerOf({}, {}, { mounts });
    const names = volumes.flatMap(({ name, secret }) => (secret ? [name] : []));
    expect(new Set(names).size).toBe(SECRETS.length);
    for (const name of names) expect(name).toMatch(/^cache-mnt-secret-[a-z0-9-]{1,46}$/);
    expect(names[0]).toBe('cache-mnt-secret-short');
    // As Fluid cuts them: what is longer than the name of a volume may be.
    expect(names.map(({ length }) => length)).toEqual([22, 63, 63, 35, 26]);
    expect(paths(containers[0])).toEqual(['/etc/fluid/config', ...SECRETS.map((secret) => `/etc/fluid/secrets/${secret}`)]);
  });
  test('are not in the pods if the class says so', () => {
    expect(workerOf({}, {}, { mounts, dependencies: { secretMount: { enabled: false } } }).volumes).toHaveLength(1);
  });
});

describe('the ConfigMaps of a class', () => {
  const type = { extraResources: { configMaps: [{ name: 'conf', data: { a: 'b' } }] } };
  const inCluster = 'fluid-extra-demo.conf';
  test('have the name in the cluster wherever the template names them', () => {
    const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'conf', key: 'a' } } }];
    const envFrom = [{ configMapRef: { name: 'conf' } }, { configMapRef: { name: 'foreign' } }];
    const volumes = [
      { name: 'plain', configMap: { name: 'conf' } },
      { name: 'projected', projected: { sources: [{ configMap: { name: 'conf' } }, { secret: { name: 'conf' } }] } },
    ];
    const pod = workerOf({ env, envFrom, pod: { volumes, initContainers: [{ ...MAIN, name: 'init', env, envFrom }] } }, {}, { type });
    for (const container of [pod.containers[0], pod.initContainers?.[0]]) {
      expect(container?.env?.at(-1)?.valueFrom?.configMapKeyRef?.name).toBe(inCluster);
      expect(container?.envFrom?.map(({ configMapRef }) => configMapRef?.name)).toEqual([inCluster, 'foreign']);
    }
    const [plain, projected] = ['plain', 'projected'].map((name) => pod.volumes?.find((volume) => volume.name === name));
    expect(plain?.configMap?.name).toBe(inCluster);
    expect(projected?.projected?.sources).toMatchObject([{ configMap: { name: inCluster } }, { secret: { name: 'conf' } }]);
  });
  test('that a component asks for, and the class lacks, are refused by the field', () => {
    const dependencies = { extraResources: { configMaps: [{ name: 'absent', mountPath: '/a' }] } };
    expect(() => workerOf({}, {}, { type, dependencies })).toThrow(
      'CacheRuntimeClass plain: topology.worker.dependencies.extraResources.configMaps[0].name: expected a name in extraResources.configMaps',
    );
  });
});

test('two runtimes of one class share no object, also with the longest names', () => {
  const namesOf = (name: string) => {
    const { synth } = cache.bind(given({ name, type: plainfs }));
    return PRINT_ORDER.flatMap(synth).map(({ kind, metadata }) => `${kind}/${metadata.name}`);
  };
  const [one, two] = [namesOf(`${'a'.repeat(44)}b`), namesOf(`${'a'.repeat(44)}c`)];
  expect(one.filter((name) => two.includes(name))).toEqual([]);
  expect(one).toHaveLength(9);
});
