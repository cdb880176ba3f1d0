import { type Static, Type } from 'typebox';
import * as fields from './fields.ts';
import * as k8s from './k8s.ts';
import { ageColumn, type CustomResource, type Resource } from './resource.ts';
import { nameRule, oneReferenceRule } from './rules.ts';
import { described, encryptOption, int32, mountSpec, openEnum, opt, placementMode, stringMap, user } from './schema.ts';
import { cacheStates, datasetCondition, observedGeneration } from './status.ts';

const runtimeRef = Type.Object(
  {
    name: opt(Type.String({ description: 'Name of the runtime.' })),
    namespace: opt(Type.String({ description: 'Namespace of the runtime.' })),
    category: opt(Type.String({ description: 'What the runtime is for: Accelerate.' })),
    type: opt(Type.String({ description: 'Engine: alluxio, juicefs, thin and so on.' })),
    masterReplicas: opt(int32({ description: 'Masters of the runtime.' })),
  },
  { description: 'A runtime that serves the dataset.' },
);
export type RuntimeRef = Static<typeof runtimeRef>;

export const datasetSpec = Type.Object(
  {
    mounts: opt(Type.Array(mountSpec, { minItems: 1, description: 'Where the data comes from.' })),
    owner: opt(described(user, 'Owner of the files.')),
    nodeAffinity: opt(
      Type.Object(
        { required: opt(described(k8s.NodeSelector, 'Terms, one of which a node must meet.')) },
        { description: 'Nodes that may cache the data.' },
      ),
    ),
    tolerations: opt(fields.tolerations),
    accessModes: opt(
      Type.Array(openEnum(['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']), {
        description: 'Access modes of the volume; ReadOnlyMany when empty.',
      }),
    ),
    runtimes: opt(Type.Array(runtimeRef, { description: 'Not used: a runtime serves the dataset of its own name.' })),
    placement: opt(placementMode),
    dataRestoreLocation: opt(
      Type.Object(
        {
          path: opt(Type.String({ description: 'Path of the backup: pvc://<claim>/<path> or local://<path>.' })),
          nodeName: opt(Type.String({ description: 'Node that has a local backup.' })),
        },
        { description: 'Backup that a new engine starts from.' },
      ),
    ),
    sharedOptions: opt(described(fields.options, 'Options of every mount.')),
    sharedEncryptOptions: opt(Type.Array(encryptOption, { description: 'Options of every mount whose values are kept in Secrets.' })),
  },
  { description: 'The data and who may use it.' },
);
export type DatasetSpec = Static<typeof datasetSpec>;

export const datasetPhases = ['', 'NotBound', 'Pending', 'Bound', 'Failed', 'Updating', 'DataMigrating'] as const;
/** `status.phase` of a Dataset; `NotBound` while it has no runtime that is ready. */
export type DatasetPhase = (typeof datasetPhases)[number];

export const datasetStatus = Type.Object(
  {
    observedGeneration: opt(observedGeneration),
    mounts: opt(Type.Array(mountSpec, { description: 'Mounts in effect.' })),
    ufsTotal: opt(Type.String({ description: 'Size of the data.' })),
    fileNum: opt(Type.String({ description: 'Number of files.' })),
    phase: opt(openEnum(datasetPhases, { description: 'NotBound, Bound, Failed, Updating or DataMigrating.' })),
    runtimes: opt(Type.Array(runtimeRef, { description: 'Runtimes that serve the dataset.' })),
    conditions: Type.Array(datasetCondition, { description: 'Whether the dataset can be used, and why not.' }),
    cacheStates: opt(cacheStates),
    hcfs: opt(
      Type.Object(
        {
          endpoint: opt(Type.String({ description: 'Address.' })),
          underlayerFileSystemVersion: opt(Type.String({ description: 'Version of the file system below.' })),
        },
        { description: 'How to reach the data by the Hadoop file system API.' },
      ),
    ),
    dataLoadRef: opt(Type.String({ description: 'Deprecated: see operationRef.' })),
    dataBackupRef: opt(Type.String({ description: 'Deprecated: see operationRef.' })),
    operationRef: opt(stringMap('Operations at work on the dataset, by kind.')),
    datasetRef: opt(Type.Array(Type.String(), { description: 'Datasets that refer to this one, <namespace>/<name>.' })),
  },
  { description: 'What was observed; written by the controller.' },
);
export type DatasetStatus = Static<typeof datasetStatus>;

/** The kind Dataset: a set of files in a store, which pods mount by a PersistentVolumeClaim of the same name. */
export const Dataset = {
  kind: 'Dataset',
  plural: 'datasets',
  shortNames: ['dataset'],
  categories: ['fluid'],
  namespaced: true,
  description: 'A set of files, wherever they are, that pods mount by a claim of the same name.',
  columns: [
    { name: 'Ufs Total Size', type: 'string', jsonPath: '.status.ufsTotal' },
    { name: 'Cached', type: 'string', jsonPath: '.status.cacheStates.cached' },
    { name: 'Cache Capacity', type: 'string', jsonPath: '.status.cacheStates.cacheCapacity' },
    { name: 'Cached Percentage', type: 'string', jsonPath: '.status.cacheStates.cachedPercentage' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'HCFS URL', type: 'string', jsonPath: '.status.hcfs.endpoint', priority: 10 },
    { name: 'TOTAL FILES', type: 'string', jsonPath: '.status.fileNum', priority: 11 },
    { name: 'CACHE HIT RATIO', type: 'string', jsonPath: '.status.cacheStates.cacheHitRatio', priority: 10 },
    ageColumn,
  ],
  statusSubresource: true,
  spec: datasetSpec,
  status: datasetStatus,
  rules: [nameRule, oneReferenceRule],
} as const satisfies CustomResource;
export type Dataset = Resource<DatasetSpec, DatasetStatus>;
