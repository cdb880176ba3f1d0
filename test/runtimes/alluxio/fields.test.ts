import { expect, test } from 'vitest';
import alluxio from '../../../runtimes/alluxio/index.ts';
import { type AlluxioRuntimeSpec, alluxioRuntimeSpec } from '../../../runtimes/alluxio/spec.ts';
import { PRINT_ORDER } from '../../../src/constructs/index.ts';
import { given } from './given.ts';

const BESIDE = 'its container runs in the pod of another, whose this is';

/** What has no effect on any object, and why. */
const UNUSED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['jobMaster', 'jobWorker', 'apiGateway'].flatMap((component) =>
      ['nodeSelector', 'networkMode', 'volumeMounts', 'podMetadata', 'imagePullSecrets', 'replicas'].map((field) => [
        `${component}.${field}`,
        BESIDE,
      ]),
    ),
  ),
  ...Object.fromEntries(
    ['master', 'jobMaster', 'worker', 'jobWorker'].map((component) => [`${component}.enabled`, 'as in Fluid: all of them are needed']),
  ),
  'worker.replicas': 'spec.replicas says how many',
  'data.pin': 'as in Fluid',
  'fuse.cleanPolicy': 'read by the node plugin, from the runtime itself',
  ...Object.fromEntries(['image', 'imageTag', 'imagePullPolicy', 'env', 'resources'].map((field) => [`initUsers.${field}`, 'as in Fluid'])),
};

/** A value that is not the default, by the name of its field. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  env: { A: '1' },
  resources: { limits: { memory: '1Gi' } },
  properties: { 'alluxio.a': 'b' },
  jvmOptions: ['-Xmx7G'],
  nodeSelector: { zone: 'a' },
  networkMode: 'ContainerNetwork',
  volumeMounts: [{ name: 'v', mountPath: '/v' }],
  podMetadata: { labels: { team: 'ml' } },
  imagePullSecrets: [{ name: 'registry' }],
  ports: { rpc: 1234, web: 1235, data: 1236 },
  'apiGateway.ports': { web: 1235 },
  replicas: 1,
  'master.replicas': 3,
  'data.replicas': 3,
  enabled: true,
  'apiGateway.enabled': false,
  image: 'example.io/alluxio',
  imageTag: '2.9.9',
  imagePullPolicy: 'Always',
  args: ['fuse', '--fuse-opts=rw'],
  cleanPolicy: 'OnDemand',
  tieredstore: { levels: [{ mediumtype: 'SSD', path: '/a', quota: '1Gi' }] },
  pin: true,
  runAs: { uid: 1, gid: 2, user: 'u', group: 'g' },
  disablePrometheus: true,
  hadoopConfig: 'hadoop',
  volumes: [{ name: 'v', configMap: { name: 'v' } }],
  cleanCachePolicy: { maxRetryAttempts: 7 },
  metadataSyncPolicy: { autoSync: false },
};

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
}
/** Fields, and those of components: below are forms of Kubernetes, and lists. */
const paths = Object.entries((alluxioRuntimeSpec as unknown as Schema).properties ?? {}).flatMap(([name, { properties }]) =>
  properties && !(name in SAMPLES) ? Object.keys(properties).map((field) => `${name}.${field}`) : [name],
);

/** All that a spec can change. */
function effects(spec: AlluxioRuntimeSpec): string {
  const { plan, synth, probes } = alluxio.bind(given({ spec, facts: { configMaps: { hadoop: ['core-site.xml'] } } }));
  return JSON.stringify([PRINT_ORDER.flatMap(synth), plan.cleaning, Object.keys(probes)]);
}
const base: AlluxioRuntimeSpec = {
  volumes: [{ name: 'v', emptyDir: {} }],
  worker: { volumeMounts: [{ name: 'v', mountPath: '/w' }] },
  apiGateway: { enabled: true },
};

function withSample(path: string): AlluxioRuntimeSpec {
  const [name = '', field] = path.split('.');
  const sample = SAMPLES[path] ?? SAMPLES[field ?? name];
  const before = (base as Readonly<Record<string, object>>)[name];
  return { ...base, [name]: field ? { ...before, [field]: sample } : sample };
}

test('every field of the CRD has a sample', () => expect(paths.length).toBeGreaterThan(70));
test.each(paths.filter((path) => !(path in UNUSED)))('%s changes what is made', (path) =>
  expect(effects(withSample(path))).not.toBe(effects(base)),
);
test.each(Object.keys(UNUSED))('%s changes nothing', (path) => {
  expect(paths).toContain(path);
  expect(effects(withSample(path))).toBe(effects(base));
});
