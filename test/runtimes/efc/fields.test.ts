/** Every field of an EFCRuntime and of its Dataset has an effect, or a warning that names it. */
import efc from '../../../runtimes/efc/index.ts';
import { type EFCRuntimeSpec, efcRuntimeSpec } from '../../../runtimes/efc/spec.ts';
import { type DatasetSpec, datasetSpec } from '../../../src/api/index.ts';
import { PRINT_ORDER } from '../../../src/constructs/index.ts';
import { fieldsOf, sampled, testFields } from '../../support/fields.ts';
import { given, nas } from './given.ts';

/** Fields without effect on any object, and why. A warning names each of them. */
const WARNED: Readonly<Record<string, string>> = {
  'master.ports': 'as in Fluid: a master has none',
  'worker.ports': 'as in Fluid: the controller allocates them',
  'worker.replicas': 'spec.replicas says how many',
  'initFuse.version.image': 'as in Fluid: the session manager prepares nodes',
  'initFuse.version.imageTag': 'the same',
  'initFuse.version.imagePullPolicy': 'the same',
  'osAdvise.enabled': 'as in Fluid',
  'osAdvise.osVersion': 'as in Fluid',
  'tieredstore.levels[0].volumeSource': 'as in Fluid',
  'tieredstore.levels[0].high': 'as in Fluid: EFC has no watermarks',
  'tieredstore.levels[0].low': 'the same',
  'dataset.mounts[0].path': 'as in Fluid: the data appears at /',
  'dataset.mounts[0].options': 'as in Fluid: properties of components count',
  'dataset.mounts[0].encryptOptions': 'the same',
  'dataset.mounts[0].readOnly': 'accessModes say so',
  'dataset.mounts[0].shared': 'of Alluxio',
  'dataset.sharedOptions': 'as those of a mount',
  'dataset.sharedEncryptOptions': 'the same',
  'dataset.owner': 'the file system says who owns a file',
  'dataset.runtimes': 'a runtime serves the Dataset of its own name',
  'dataset.dataRestoreLocation': 'EFC has no backups',
};

/** Fields with neither an effect on objects nor a warning, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'fuse.cleanPolicy': 'read by the node plugin, from the runtime itself',
  'dataset.mounts[0].name': 'of no use where there is one mount; the status has it',
};

const encrypted = [{ name: 'k', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }];

/** A value that is not the default, by path or by the last name of it. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  resources: { limits: { memory: '3Gi' } },
  properties: { p: '1' },
  nodeSelector: { zone: 'a' },
  networkMode: 'ContainerNetwork',
  podMetadata: { annotations: { a: 'b' } },
  ports: { rpc: 1235 },
  replicas: 3,
  disabled: true,
  image: 'example.io/efc',
  imageTag: 'v2',
  imagePullPolicy: 'Never',
  cleanPolicy: 'OnDemand',
  'osAdvise.enabled': true,
  osVersion: 'centos',
  gracePeriodSeconds: 7,
  maxRetryAttempts: 7,
  mediumtype: 'MEM',
  volumeType: 'emptyDir',
  volumeSource: { emptyDir: { sizeLimit: '1Gi' } },
  path: '/b',
  quota: '2Gi',
  quotaList: '3Gi,',
  high: '0.9',
  low: '0.5',
  mountPoint: 'nfs://other.cn-hangzhou.nas.aliyuncs.com:/',
  name: 'other',
  readOnly: true,
  shared: true,
  options: { a: 'b' },
  encryptOptions: encrypted,
  sharedOptions: { a: 'b' },
  sharedEncryptOptions: encrypted,
  'dataset.nodeAffinity': { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }] } },
  tolerations: [{ key: 'gpu', operator: 'Exists' }],
  accessModes: ['ReadWriteMany'],
  'dataset.owner': { uid: 1, gid: 2, user: 'u', group: 'g' },
  'dataset.runtimes': [{ name: 'x' }],
  placement: 'Shared',
  'dataset.dataRestoreLocation': { path: 'pvc://other/x' },
};

const paths = [...fieldsOf(efcRuntimeSpec, '', SAMPLES), ...fieldsOf(datasetSpec, 'dataset', SAMPLES)].toSorted();

interface Specs {
  readonly spec: EFCRuntimeSpec;
  readonly dataset: DatasetSpec;
}
const base: Specs = {
  spec: { replicas: 2, tieredstore: { levels: [{ mediumtype: 'SSD', path: '/a', quota: '1Gi' }] } },
  dataset: { mounts: [nas] },
};

/** All that specs can change. */
function madeOf({ spec, dataset: { mounts = [], ...dataset } }: Specs) {
  const { plan, synth } = efc.bind(given({ spec, dataset, mounts }));
  const effects = JSON.stringify([PRINT_ORDER.flatMap(synth), plan.cleaning]);
  return { effects, warnings: plan.warnings.map(({ message }) => message) };
}

/** Two fields of no effect have one warning, at the field above them. */
const named = (path: string): string => {
  const above = path.replace(/^(initFuse|osAdvise)\..*/, '$1');
  return above.startsWith('dataset.') ? `Dataset: spec.${above.slice('dataset.'.length)}` : `spec.${above}`;
};

testFields({
  paths,
  moreThan: 60,
  warned: WARNED,
  elsewhere: ELSEWHERE,
  base,
  withSample: (path) => sampled(base, path, SAMPLES, ['dataset']),
  madeOf,
  named,
});
