/** Every field of a JindoRuntime and of its Dataset has an effect, or a warning that names it. */
import { expect, test } from 'vitest';
import jindo from '../../../runtimes/jindo/index.ts';
import { type JindoRuntimeSpec, jindoRuntimeSpec } from '../../../runtimes/jindo/spec.ts';
import { type DatasetSpec, datasetSpec } from '../../../src/api/index.ts';
import { PRINT_ORDER } from '../../../src/constructs/index.ts';
import { bucket, given, keys } from './given.ts';

/** What has no effect on any object, and why. A warning names each of them. */
const WARNED: Readonly<Record<string, string>> = {
  'master.ports': 'as in Fluid: the controller allocates them',
  'worker.ports': 'as in Fluid: the controller allocates them',
  'worker.replicas': 'spec.replicas says how many',
  'fuse.tolerations': 'as in Fluid: fuse pods tolerate every taint',
  'fuse.disabled': 'as in Fluid: nobody could read',
  properties: 'as in Fluid: those of components count',
  runAs: 'as in Fluid: user counts',
  'tieredstore.levels[0].volumeSource': 'only that of an emptyDir has one',
  'dataset.mounts[0].readOnly': 'accessModes say so',
  'dataset.mounts[0].shared': 'of Alluxio',
  'dataset.owner': 'Jindo says who owns a file',
  'dataset.runtimes': 'a runtime serves the Dataset of its own name',
  'dataset.dataRestoreLocation': 'Jindo has no backups',
};

/** What has neither an effect on objects nor a warning, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'fuse.cleanPolicy': 'read by the node plugin, from the runtime itself',
};

/** A value that is not the default, by path or by the last name of it. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  env: { A: '1' },
  resources: { limits: { memory: '1Gi' } },
  properties: { 'jindo.a': 'b' },
  nodeSelector: { zone: 'a' },
  networkmode: 'ContainerNetwork',
  volumeMounts: [{ name: 'v', mountPath: '/v' }],
  labels: { team: 'ml' },
  podMetadata: { annotations: { a: 'b' } },
  imagePullSecrets: [{ name: 'registry' }],
  ports: { rpc: 1235 },
  replicas: 1,
  'master.replicas': 3,
  'master.disabled': true,
  'worker.disabled': true,
  'fuse.disabled': true,
  image: 'example.io/jindo',
  imageTag: '6.2.0',
  imagePullPolicy: 'Never',
  args: ['-oro'],
  cleanPolicy: 'OnDemand',
  logConfig: { 'logger.level': '5' },
  'fuse.metrics.enabled': false,
  scrapeTarget: 'All',
  user: 'hdfs',
  runAs: { uid: 1, gid: 2, user: 'u', group: 'g' },
  secret: 'store',
  hadoopConfig: 'hadoop',
  volumes: [{ name: 'v', configMap: { name: 'v' } }],
  gracePeriodSeconds: 7,
  maxRetryAttempts: 7,
  mediumtype: 'HDD',
  'tieredstore.levels[0].mediumtype': 'MEM',
  volumeType: 'emptyDir',
  volumeSource: { emptyDir: { sizeLimit: '1Gi' } },
  path: '/b',
  quota: '2Gi',
  quotaList: '3Gi,4Gi',
  high: '0.9',
  low: '0.5',
  mountPoint: 'oss://other/',
  name: 'other',
  readOnly: true,
  shared: true,
  options: { 'fs.oss.endpoint': 'other' },
  encryptOptions: keys,
  sharedOptions: { metaPolicy: 'ALWAYS' },
  sharedEncryptOptions: keys,
  'dataset.nodeAffinity': { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }] } },
  tolerations: [{ key: 'gpu', operator: 'Exists' }],
  accessModes: ['ReadWriteMany'],
  'dataset.owner': { uid: 1, gid: 2, user: 'u', group: 'g' },
  'dataset.runtimes': [{ name: 'x' }],
  placement: 'Shared',
  'dataset.dataRestoreLocation': { path: 'pvc://other/x' },
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
const paths = [...pathsOf(jindoRuntimeSpec as unknown as Schema, ''), ...pathsOf(datasetSpec as unknown as Schema, 'dataset')].toSorted();

interface Specs {
  readonly spec: JindoRuntimeSpec;
  readonly dataset: DatasetSpec;
}
const base: Specs = {
  spec: {
    replicas: 2,
    volumes: [{ name: 'v', emptyDir: {} }],
    // Of a runtime without workers a master can be disabled.
    worker: { volumeMounts: [{ name: 'v', mountPath: '/w' }] },
    fuse: { metrics: { enabled: true } },
    tieredstore: { levels: [{ mediumtype: 'SSD', path: '/a,/c', quota: '1Gi' }] },
  },
  dataset: { mounts: [bucket] },
};

function changed(value: unknown, [step = '', ...rest]: readonly string[], to: unknown): unknown {
  if (step === '') return to;
  if (Array.isArray(value)) return value.map((each: unknown, i) => (String(i) === step ? changed(each, rest, to) : each));
  const before = (value ?? {}) as Readonly<Record<string, unknown>>;
  return { ...before, [step]: changed(before[step], rest, to) };
}
function withSample(path: string): Specs {
  const steps = path.replaceAll(/\[(\d)\]/g, '.$1').split('.');
  if (path === 'master.disabled') return { ...base, spec: { ...base.spec, master: { disabled: true }, worker: { disabled: true } } };
  const sample = SAMPLES[path] ?? SAMPLES[steps.at(-1) ?? ''];
  if (sample === undefined) throw new Error(`expected a sample of ${path}`);
  return changed(base, steps[0] === 'dataset' ? steps : ['spec', ...steps], sample) as Specs;
}

/** All that specs can change. */
function madeOf({ spec, dataset: { mounts = [], ...dataset } }: Specs) {
  const facts = { configMaps: { hadoop: ['core-site.xml'] } };
  const { plan, synth, probes, mounts: table } = jindo.bind(given({ spec, dataset, mounts, facts }));
  const effects = JSON.stringify([PRINT_ORDER.flatMap(synth), plan.cleaning, Object.keys(probes), table?.wanted]);
  return { effects, warnings: (plan.warnings ?? []).map(({ message }) => message) };
}

test('every field has a sample', () => {
  expect(paths.length).toBeGreaterThan(80);
  for (const path of paths) expect(() => withSample(path)).not.toThrow();
  for (const path of [...Object.keys(WARNED), ...Object.keys(ELSEWHERE)]) expect(paths).toContain(path);
});
test.each(paths.filter((path) => !(path in WARNED) && !(path in ELSEWHERE)))('%s changes what is made', (path) =>
  expect(madeOf(withSample(path)).effects).not.toBe(madeOf(base).effects),
);
test.each(Object.keys(WARNED))('%s changes nothing, and a warning says so', (path) => {
  const [after, before] = [madeOf(withSample(path)), madeOf(base)];
  expect(after.effects).toBe(before.effects);
  const named = path.startsWith('dataset.') ? `Dataset: spec.${path.slice('dataset.'.length)}` : `spec.${path}`;
  expect(after.warnings.filter((message) => !before.warnings.includes(message))).toEqual([expect.stringContaining(named)]);
});
test.each(Object.keys(ELSEWHERE))('%s changes nothing here', (path) => expect(madeOf(withSample(path))).toEqual(madeOf(base)));
