/** Every field of a JindoRuntime and of its Dataset has an effect, or a warning that names it. */
import { fieldsOf, sampled, testFields } from '../../support/fields.ts';
import jindo from '../../../runtimes/jindo/index.ts';
import { type JindoRuntimeSpec, jindoRuntimeSpec } from '../../../runtimes/jindo/spec.ts';
import { type DatasetSpec, datasetSpec } from '../../../src/api/index.ts';
import { PRINT_ORDER } from '../../../src/constructs/index.ts';
import { bucket, given, keys } from './given.ts';

/** Fields without effect on any object, and why. A warning names each of them. */
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

/** Fields with neither an effect on objects nor a warning, and why. */
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

const paths = [...fieldsOf(jindoRuntimeSpec, '', SAMPLES), ...fieldsOf(datasetSpec, 'dataset', SAMPLES)].toSorted();

interface Specs {
  readonly spec: JindoRuntimeSpec;
  readonly dataset: DatasetSpec;
}
const base: Specs = {
  spec: {
    replicas: 2,
    volumes: [{ name: 'v', emptyDir: {} }],
    // A master can be disabled if the runtime has no workers.
    worker: { volumeMounts: [{ name: 'v', mountPath: '/w' }] },
    fuse: { metrics: { enabled: true } },
    tieredstore: { levels: [{ mediumtype: 'SSD', path: '/a,/c', quota: '1Gi' }] },
  },
  dataset: { mounts: [bucket] },
};

function withSample(path: string): Specs {
  if (path === 'master.disabled') return { ...base, spec: { ...base.spec, master: { disabled: true }, worker: { disabled: true } } };
  return sampled(base, path, SAMPLES, ['dataset']);
}

/** All that specs can change. */
function madeOf({ spec, dataset: { mounts = [], ...dataset } }: Specs) {
  const facts = { configMaps: { hadoop: ['core-site.xml'] } };
  const { plan, synth, probes, mounts: table } = jindo.bind(given({ spec, dataset, mounts, facts }));
  const effects = JSON.stringify([PRINT_ORDER.flatMap(synth), plan.cleaning, Object.keys(probes), table?.wanted]);
  return { effects, warnings: plan.warnings.map(({ message }) => message) };
}

testFields({
  paths,
  moreThan: 80,
  warned: WARNED,
  elsewhere: ELSEWHERE,
  base,
  withSample,
  madeOf,
});
