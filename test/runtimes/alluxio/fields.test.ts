/** Every field of an AlluxioRuntime and of its Dataset has an effect, or a warning that names it. */
import { fieldsOf, sampled, testFields } from '../../support/fields.ts';
import alluxio from '../../../runtimes/alluxio/index.ts';
import { type AlluxioRuntimeSpec, alluxioRuntimeSpec } from '../../../runtimes/alluxio/spec.ts';
import { type DatasetSpec, datasetSpec } from '../../../src/api/index.ts';
import { PRINT_ORDER } from '../../../src/constructs/index.ts';
import { bucket, given, secret } from './given.ts';

const BESIDE = 'its container runs in the pod of another, whose this is';

/** Fields without effect on any object, and why. A warning names each of them. */
const WARNED: Readonly<Record<string, string>> = {
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
  'tieredstore.levels[0].volumeSource': 'only that of an emptyDir has one',
  'tieredstore.levels[0].high': 'Alluxio 2 has no such watermark',
  'tieredstore.levels[0].low': 'Alluxio 2 has no such watermark',
  'dataset.runtimes': 'a runtime serves the Dataset of its own name',
};

/** Fields with neither an effect on objects nor a warning, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'fuse.cleanPolicy': 'read by the node plugin, from the runtime itself',
  'dataset.owner.user': 'required, and only a name for the number beside it',
  'dataset.owner.group': 'required, and only a name for the number beside it',
};

/** A value that is not the default, by path or by the last name of it. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  env: { A: '1' },
  resources: { limits: { memory: '1Gi' } },
  properties: { 'alluxio.a': 'b' },
  jvmOptions: ['-Xmx7G'],
  nodeSelector: { zone: 'a' },
  networkMode: 'ContainerNetwork',
  'master.networkMode': 'HostNetwork',
  volumeMounts: [{ name: 'v', mountPath: '/v' }],
  podMetadata: { labels: { team: 'ml' }, annotations: { a: 'b' } },
  imagePullSecrets: [{ name: 'registry' }],
  ports: { web: 1235 },
  replicas: 1,
  'master.replicas': 3,
  'data.replicas': 3,
  enabled: false,
  image: 'example.io/alluxio',
  imageTag: '2.9.9',
  imagePullPolicy: 'Always',
  args: ['fuse', '--fuse-opts=rw'],
  cleanPolicy: 'OnDemand',
  pin: true,
  uid: 7,
  gid: 8,
  user: 'other',
  group: 'others',
  disablePrometheus: true,
  hadoopConfig: 'hadoop',
  volumes: [{ name: 'v', configMap: { name: 'v' } }],
  gracePeriodSeconds: 7,
  maxRetryAttempts: 7,
  autoSync: false,
  mediumtype: 'HDD',
  volumeType: 'emptyDir',
  volumeSource: { emptyDir: { sizeLimit: '1Gi' } },
  path: '/b',
  quota: '2Gi',
  quotaList: '3Gi,4Gi',
  high: '0.9',
  low: '0.5',
  mountPoint: 's3://other',
  name: 'other',
  readOnly: true,
  shared: true,
  options: { 'alluxio.a': 'b' },
  encryptOptions: [secret('s3a.secretKey')],
  sharedOptions: { 'alluxio.c': 'd' },
  sharedEncryptOptions: [secret('s3a.accessKeyId')],
  'dataset.nodeAffinity': { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }] } },
  tolerations: [{ key: 'gpu', operator: 'Exists' }],
  accessModes: ['ReadWriteMany'],
  'dataset.runtimes': [{ name: 'x' }],
  placement: 'Shared',
  'dataset.dataRestoreLocation.path': 'pvc://other/x',
  nodeName: 'n2',
};

const paths = [...fieldsOf(alluxioRuntimeSpec, '', SAMPLES), ...fieldsOf(datasetSpec, 'dataset', SAMPLES)].toSorted();

interface Specs {
  readonly spec: AlluxioRuntimeSpec;
  readonly dataset: DatasetSpec;
}
const base: Specs = {
  spec: {
    replicas: 2,
    volumes: [{ name: 'v', emptyDir: {} }],
    // Several masters could not all be on the node of a backup otherwise.
    master: { networkMode: 'ContainerNetwork' },
    worker: { volumeMounts: [{ name: 'v', mountPath: '/w' }] },
    apiGateway: { enabled: true },
    runAs: { uid: 1, gid: 2, user: 'u', group: 'g' },
    tieredstore: { levels: [{ mediumtype: 'SSD', path: '/a,/c', quota: '1Gi' }] },
  },
  dataset: {
    mounts: [bucket],
    owner: { uid: 1, gid: 2, user: 'u', group: 'g' },
    dataRestoreLocation: { path: 'local:///backups', nodeName: 'n1' },
  },
};

const withSample = (path: string): Specs => sampled(base, path, SAMPLES, ['dataset']);

/** All that specs can change. */
function madeOf({ spec, dataset: { mounts = [], ...dataset } }: Specs) {
  const facts = { configMaps: { hadoop: ['core-site.xml'] } };
  const { plan, synth, probes, mounts: table } = alluxio.bind(given({ spec, dataset, mounts, facts }));
  const effects = JSON.stringify([PRINT_ORDER.flatMap(synth), plan.cleaning, Object.keys(probes), table?.wanted]);
  return { effects, warnings: plan.warnings.map(({ message }) => message) };
}

testFields({
  paths,
  moreThan: 110,
  warned: WARNED,
  elsewhere: ELSEWHERE,
  base,
  withSample,
  madeOf,
});
