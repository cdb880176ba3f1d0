/** Every field of a CacheRuntime, of its class and of its Dataset has an effect, or a warning that names it. */
import { expect, test } from 'vitest';
import { type CacheRuntimeClassSpec, cacheRuntimeClassSpec } from '../../../runtimes/cache/class-spec.ts';
import cache from '../../../runtimes/cache/index.ts';
import { type CacheRuntimeSpec, cacheRuntimeSpec } from '../../../runtimes/cache/spec.ts';
import { type DatasetSpec, datasetSpec } from '../../../src/api/index.ts';
import { PRINT_ORDER } from '../../../src/constructs/index.ts';
import { classOf, given, plainClass } from './given.ts';

/** What has no effect on any object, and why. A warning names each of them. */
const WARNED: Readonly<Record<string, string>> = {
  'client.tolerations': 'as in Fluid: clients tolerate every taint',
  'class.topology.worker.executionEntries': 'the master has them',
  'class.topology.client.executionEntries': 'masters or workers have them',
  'class.dataOperationSpecs[1]': 'DataLoad alone',
  'dataset.owner': 'the class says who owns a file',
  'dataset.runtimes': 'a runtime serves the Dataset of its own name',
  'dataset.dataRestoreLocation': 'a CacheRuntime has no backups',
};

/** What has neither an effect on objects nor a warning, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'client.cleanPolicy': 'read by the node plugin, from the runtime itself',
  'class.fileSystemType': 'for people',
};

/** A value that is not the default, by path or by the last name of it. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  runtimeClassName: 'other',
  options: { a: 'b' },
  podMetadata: { labels: { team: 'ml' }, annotations: { a: 'b' } },
  imagePullSecrets: [{ name: 'registry' }],
  volumes: [{ name: 'v', configMap: { name: 'v' } }],
  disabled: true,
  image: 'example.io/other',
  imageTag: '2',
  imagePullPolicy: 'Never',
  resources: { limits: { memory: '1Gi' } },
  env: [{ name: 'A', value: '1' }],
  volumeMounts: [{ name: 'v', mountPath: '/other' }],
  args: ['-v'],
  cleanPolicy: 'OnDemand',
  nodeSelector: { zone: 'a' },
  'dataset.nodeAffinity': { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }] } },
  tolerations: [{ key: 'gpu', operator: 'Exists' }],
  replicas: 3,
  high: '0.9',
  low: '0.5',
  processMemory: { quota: '2Gi' },
  quota: '3Gi',
  medium: 'Memory',
  paths: ['/b'],
  quotas: ['4Gi'],
  type: 'DirectoryOrCreate',
  mountPoint: 's3://other',
  name: 'other',
  path: '/other',
  readOnly: true,
  shared: true,
  encryptOptions: [{ name: 'key', valueFrom: { secretKeyRef: { name: 'store', key: 'k' } } }],
  sharedOptions: { a: 'b' },
  sharedEncryptOptions: [{ name: 'key', valueFrom: { secretKeyRef: { name: 'shared', key: 'k' } } }],
  accessModes: ['ReadWriteMany'],
  'dataset.owner': { uid: 1, gid: 2, user: 'u', group: 'g' },
  'dataset.runtimes': [{ name: 'x' }],
  placement: 'Shared',
  'dataset.dataRestoreLocation': { path: 'pvc://other/x' },
  'class.fileSystemType': 'otherfs',
  template: { metadata: { labels: { made: 'by-class' } }, spec: { containers: [{ name: 'other', image: 'example.io/other:1' }] } },
  headless: {},
  enabled: false,
  'class.topology.client.dependencies.secretMount.enabled': true,
  'class.topology.worker.executionEntries': { reportSummary: { command: ['report'] } },
  'class.topology.client.executionEntries': { reportSummary: { command: ['report'] } },
  command: ['other'],
  timeout: 99,
  mountPath: '/other',
  data: { file: 'other' },
  'class.dataOperationSpecs[0].name': 'DataBackup',
  'class.dataOperationSpecs[1]': { name: 'DataMigrate', command: ['migrate'] },
  'class.extraResources.configMaps[0].name': 'other',
  'class.topology.master.dependencies.extraResources.configMaps[0].name': 'more',
  'class.topology.worker.dependencies.extraResources.configMaps[0].name': 'more',
  'class.topology.client.dependencies.extraResources.configMaps[0].name': 'more',
};

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}
/** All fields, with the first entry of each list. Forms of Kubernetes and maps have a sample, and are not looked into. */
function pathsOf({ properties, items }: Schema, at: string): readonly string[] {
  const [last = ''] = /[^.]*$/.exec(at) ?? [];
  if (at !== '' && (at in SAMPLES || last in SAMPLES)) return [at];
  if (items) return pathsOf(items, `${at}[0]`);
  if (!properties) return [at];
  return Object.entries(properties).flatMap(([name, schema]) => pathsOf(schema, at === '' ? name : `${at}.${name}`));
}
const paths = [
  ...pathsOf(cacheRuntimeSpec as unknown as Schema, ''),
  ...pathsOf(datasetSpec as unknown as Schema, 'dataset'),
  ...pathsOf(cacheRuntimeClassSpec as unknown as Schema, 'class'),
  'class.dataOperationSpecs[1]',
]
  // A level is of one kind: each has an index of its own in `base`.
  .map((path) => path.replace('levels[0].emptyDir', 'levels[1].emptyDir').replace('levels[0].hostPath', 'levels[2].hostPath'))
  .toSorted();

interface Specs {
  readonly spec: CacheRuntimeSpec;
  readonly dataset: DatasetSpec;
  readonly class: CacheRuntimeClassSpec;
}
const { master = {}, worker = {}, client = {} } = plainClass.topology ?? {};
const dependencies = { extraResources: { configMaps: [{ name: 'conf', mountPath: '/conf' }] } };
const executionEntries = { mountUFS: { command: ['mount'] }, reportSummary: { command: ['report'] } };
const levels = [{ processMemory: { quota: '1Gi' } }, { emptyDir: { quota: '1Gi' } }, { hostPath: { paths: ['/a'], quotas: ['1Gi'] } }];
const encryptOptions = [{ name: 'key', valueFrom: { secretKeyRef: { name: 'keys', key: 'k' } } }];
const runtimeVersion = { image: 'example.io/w', imageTag: '1' };
const volumeMounts = [{ name: 'v', mountPath: '/v' }];
const base: Specs = {
  spec: {
    runtimeClassName: 'plain',
    volumes: [{ name: 'v', emptyDir: {} }],
    master: { runtimeVersion },
    worker: { runtimeVersion, volumeMounts, tieredStore: { levels } },
    client: { runtimeVersion, tieredStore: { levels } },
  },
  dataset: { mounts: [{ mountPoint: 's3://bucket', name: 'data', encryptOptions }] },
  class: {
    topology: {
      master: { ...master, dependencies, executionEntries },
      worker: { ...worker, dependencies },
      client: { ...client, dependencies },
    },
    extraResources: { configMaps: [{ name: 'spare', data: { file: 'x' } }, { name: 'conf' }, { name: 'more' }] },
    dataOperationSpecs: [{ name: 'DataLoad', command: ['load'] }],
  },
};

function changed(value: unknown, [step = '', ...rest]: readonly string[], to: unknown): unknown {
  if (step === '') return to;
  if (Array.isArray(value)) {
    const list = [...(value as unknown[])];
    list[Number(step)] = changed(list[Number(step)], rest, to);
    return list;
  }
  const before = (value ?? {}) as Readonly<Record<string, unknown>>;
  return { ...before, [step]: changed(before[step], rest, to) };
}
function withSample(path: string): Specs {
  const steps = path.replaceAll(/\[(\d)\]/g, '.$1').split('.');
  const sample = SAMPLES[path] ?? SAMPLES[steps.at(-1) ?? ''];
  if (sample === undefined) throw new Error(`expected a sample of ${path}`);
  return changed(base, steps[0] === 'dataset' || steps[0] === 'class' ? steps : ['spec', ...steps], sample) as Specs;
}

/** All that specs can change. */
function madeOf({ spec, dataset: { mounts = [], ...dataset }, class: type }: Specs) {
  const facts = { objects: { 'CacheRuntimeClass/plain': classOf(type), 'CacheRuntimeClass/other': { ...classOf(plainClass) } } };
  const { plan, synth, probes, mounts: table, operations } = cache.bind(given({ spec, dataset, mounts, facts }));
  let load: unknown;
  try {
    load = operations.DataLoad?.({ kind: 'DataLoad', name: 'op', namespace: 'ml', uid: 'u', spec: {}, facts: { pods: {} } });
  } catch (error) {
    load = String(error);
  }
  const commands = [Object.values(probes).map((probe) => probe.commands), table?.list.commands, table?.wanted];
  const effects = JSON.stringify([PRINT_ORDER.flatMap(synth), load, commands]);
  return { effects, warnings: (plan.warnings ?? []).map(({ message }) => message) };
}

test('every field has a sample', () => {
  expect(paths.length).toBeGreaterThan(100);
  for (const path of paths) expect(() => withSample(path)).not.toThrow();
  for (const path of [...Object.keys(WARNED), ...Object.keys(ELSEWHERE)]) expect(paths).toContain(path);
});
test.each(paths.filter((path) => !(path in WARNED) && !(path in ELSEWHERE)))('%s changes what is made', (path) =>
  expect(madeOf(withSample(path)).effects).not.toBe(madeOf(base).effects),
);
test.each(Object.keys(WARNED))('%s changes nothing, and a warning says so', (path) => {
  const [after, before] = [madeOf(withSample(path)), madeOf(base)];
  expect(after.effects).toBe(before.effects);
  const [, of = '', field = ''] = /^(?:(dataset|class)\.)?(.*)$/.exec(path) ?? [];
  const named = { '': 'spec.', dataset: 'Dataset: spec.', class: 'CacheRuntimeClass plain: ' }[of] + field;
  expect(after.warnings.filter((message) => !before.warnings.includes(message))).toEqual([expect.stringContaining(named)]);
});
test.each(Object.keys(ELSEWHERE))('%s changes nothing here', (path) => expect(madeOf(withSample(path))).toEqual(madeOf(base)));
