/** Every field of a VineyardRuntime and of its Dataset has an effect, or a warning that names it. */
import vineyard from '../../../runtimes/vineyard/index.ts';
import { type VineyardRuntimeSpec, vineyardRuntimeSpec } from '../../../runtimes/vineyard/spec.ts';
import { type DatasetSpec, datasetSpec } from '../../../src/api/index.ts';
import { PRINT_ORDER } from '../../../src/constructs/index.ts';
import { fieldsOf, sampled, testFields } from '../../support/fields.ts';
import { given, memory } from './given.ts';

const NOTHING_MOUNTED = 'applications put objects into it';
/** Fields without effect on any object, and why. A warning names each of them. */
const WARNED: Readonly<Record<string, string>> = {
  'master.options': 'etcd has settings in its environment',
  'master.ports': 'as in Fluid: the controller allocates those of a node',
  'master.endpoint.encryptOptions': 'Vineyard has no credentials for etcd',
  'master.endpoint.options': 'Vineyard reads no options of etcd',
  'worker.ports': 'as in Fluid: the controller allocates those of a node',
  'worker.replicas': 'spec.replicas says how many',
  disablePrometheus: 'as in Fluid: there are no metrics',
  'tieredstore.levels[0].path': 'objects are in memory',
  'tieredstore.levels[0].high': 'nothing is written when memory is full',
  'tieredstore.levels[0].low': 'nothing is written when memory is full',
  'tieredstore.levels[0].volumeType': 'objects are in memory',
  'tieredstore.levels[0].volumeSource': 'objects are in memory',
  'dataset.mounts': NOTHING_MOUNTED,
  'dataset.sharedOptions': NOTHING_MOUNTED,
  'dataset.sharedEncryptOptions': NOTHING_MOUNTED,
  'dataset.owner': 'objects have no owner',
  'dataset.runtimes': 'a runtime serves the Dataset of its own name',
  'dataset.dataRestoreLocation': 'Vineyard has no backups',
};

/** Fields with neither an effect on objects nor a warning, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'fuse.cleanPolicy': 'read by the node plugin, from the runtime itself',
};

const keys = [{ name: 'password', valueFrom: { secretKeyRef: { name: 'etcd', key: 'password' } } }];
/** A value that is not the default, by path or by the last name of it. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  env: { A: '1' },
  resources: { limits: { cpu: '1' } },
  nodeSelector: { zone: 'a' },
  networkMode: 'ContainerNetwork',
  volumeMounts: [{ name: 'v', mountPath: '/v' }],
  podMetadata: { annotations: { a: 'b' } },
  'master.ports': { client: 12379 },
  'worker.ports': { rpc: 12380 },
  'master.replicas': 3,
  'worker.replicas': 7,
  replicas: 1,
  image: 'example.io/vineyard',
  imageTag: 'v9',
  imagePullPolicy: 'Never',
  'master.options': { mo: '1' },
  'worker.options': { 'etcd.prefix': '/x' },
  'fuse.options': { size: '1Gi' },
  uri: 'http://etcd:2379',
  'master.endpoint.encryptOptions': keys,
  'master.endpoint.options': { a: 'b' },
  cleanPolicy: 'OnDemand',
  disablePrometheus: false,
  volumes: [{ name: 'v', configMap: { name: 'v' } }],
  'tieredstore.levels[0].mediumtype': 'MEM',
  volumeType: 'emptyDir',
  volumeSource: { emptyDir: { sizeLimit: '1Gi' } },
  path: '/b',
  quota: '3Gi',
  quotaList: '3Gi,',
  high: '0.9',
  low: '0.5',
  'dataset.mounts': [{ mountPoint: 'vineyard://', name: 'data' }],
  sharedOptions: { a: 'b' },
  sharedEncryptOptions: keys,
  'dataset.nodeAffinity': { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }] } },
  tolerations: [{ key: 'gpu', operator: 'Exists' }],
  accessModes: ['ReadWriteMany'],
  'dataset.owner': { uid: 1, gid: 2, user: 'u', group: 'g' },
  'dataset.runtimes': [{ name: 'x' }],
  placement: 'Shared',
  'dataset.dataRestoreLocation': { path: 'pvc://other/x' },
};

// The only level of a Vineyard is of memory: plan.test.ts shows what a second one does.
const paths = [...fieldsOf(vineyardRuntimeSpec, '', SAMPLES), ...fieldsOf(datasetSpec, 'dataset', SAMPLES)]
  .filter((path) => path !== 'tieredstore.levels[0].mediumtype')
  .toSorted();

interface Specs {
  readonly spec: VineyardRuntimeSpec;
  readonly dataset: DatasetSpec;
}
const base: Specs = {
  spec: {
    replicas: 2,
    volumes: [{ name: 'v', emptyDir: {} }],
    worker: { volumeMounts: [{ name: 'v', mountPath: '/w' }] },
    tieredstore: memory,
  },
  dataset: {},
};

/** All that specs can change. */
function madeOf({ spec, dataset: { mounts = [], ...dataset } }: Specs) {
  const { plan, synth } = vineyard.bind(given({ spec, dataset, mounts }));
  return {
    effects: JSON.stringify([PRINT_ORDER.flatMap(synth), plan.cleaning]),
    warnings: plan.warnings.map(({ message }) => message),
  };
}

testFields({
  paths,
  moreThan: 45,
  warned: WARNED,
  elsewhere: ELSEWHERE,
  base,
  withSample: (path) => sampled(base, path, SAMPLES, ['dataset']),
  madeOf,
});
