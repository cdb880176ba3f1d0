/** Every field of a CacheRuntime, of its class and of its Dataset has an effect, or a warning that names it. */
import { fieldsOf, sampled, testFields } from '../../support/fields.ts';
import { type CacheRuntimeClassSpec, cacheRuntimeClassSpec } from '../../../runtimes/cache/class-spec.ts';
import cache from '../../../runtimes/cache/index.ts';
import { type CacheRuntimeSpec, cacheRuntimeSpec } from '../../../runtimes/cache/spec.ts';
import { type DatasetSpec, datasetSpec } from '../../../src/api/index.ts';
import { PRINT_ORDER } from '../../../src/constructs/index.ts';
import { classOf, given, plainClass } from './given.ts';

/** Fields without effect on any object, and why. A warning names each of them. */
const WARNED: Readonly<Record<string, string>> = {
  'client.tolerations': 'as in Fluid: clients tolerate every taint',
  'class.topology.worker.executionEntries': 'the master has them',
  'class.topology.client.executionEntries': 'masters or workers have them',
  'class.dataOperationSpecs[1]': 'DataLoad alone',
  'dataset.owner': 'the class says who owns a file',
  'dataset.runtimes': 'a runtime serves the Dataset of its own name',
  'dataset.dataRestoreLocation': 'a CacheRuntime has no backups',
};

/** Fields with neither an effect on objects nor a warning, and why. */
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

const paths = [
  ...fieldsOf(cacheRuntimeSpec, '', SAMPLES),
  ...fieldsOf(datasetSpec, 'dataset', SAMPLES),
  ...fieldsOf(cacheRuntimeClassSpec, 'class', SAMPLES),
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

const withSample = (path: string): Specs => sampled(base, path, SAMPLES, ['dataset', 'class']);

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
  return { effects, warnings: plan.warnings.map(({ message }) => message) };
}

testFields({
  paths,
  moreThan: 100,
  warned: WARNED,
  elsewhere: ELSEWHERE,
  base,
  withSample,
  madeOf,
  named: (path) => {
    const [, of = '', field = ''] = /^(?:(dataset|class)\.)?(.*)$/.exec(path) ?? [];
    return { '': 'spec.', dataset: 'Dataset: spec.', class: 'CacheRuntimeClass plain: ' }[of] + field;
  },
});
