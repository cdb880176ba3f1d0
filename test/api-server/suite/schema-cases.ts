import type { Kind } from '../../support/kinds.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A request about a custom resource. Its object's name and namespace are filled in. */
export interface SchemaCase {
  readonly title: string;
  readonly kind: Kind;
  readonly verb?: 'create' | 'apply' | 'update' | 'merge' | 'json';
  /** Exists before. */
  readonly first?: Fields;
  readonly object?: Fields;
  readonly patch?: unknown;
  readonly subresource?: 'status';
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
}

const mounts = [{ mountPoint: 's3://bucket', name: 'data' }];
const spec = (fields: Fields): { readonly object: Fields } => ({ object: { spec: fields } });
const dataset = (title: string, fields: Fields, more: Partial<SchemaCase> = {}): SchemaCase => ({
  title,
  kind: 'Dataset',
  ...spec({ mounts, ...fields }),
  ...more,
});
const named = (title: string, metadata: Fields): SchemaCase => ({ title, kind: 'Dataset', object: { metadata, spec: { mounts } } });

/** Valid and invalid manifests of each kind. */
export const schemaCases: readonly SchemaCase[] = [
  dataset('a valid one', {}),
  dataset('an unknown field goes', { mount: [], mounts: [{ mountPoint: 's3://bucket', nam: 'x' }] }),
  dataset(
    'unknown fields are refused when strict',
    { mount: [], mounts: [{ mountPoint: 's3://bucket', nam: 'x' }] },
    { fieldValidation: 'Strict' },
  ),
  { title: 'an unknown field beside the spec', kind: 'Dataset', object: { spec: { mounts }, specs: 1 }, fieldValidation: 'Strict' },
  dataset('no mountPoint', { mounts: [{ name: 'x' }, { mountPoint: 'pvc://a' }] }),
  dataset('a mountPoint that is too short', { mounts: [{ mountPoint: 's3' }] }),
  dataset('no mounts', { mounts: [] }),
  dataset('a number for a text', { mounts: [{ mountPoint: 's3://bucket', name: 5 }] }),
  dataset('a text for a flag', { mounts: [{ mountPoint: 's3://bucket', readOnly: 'yes' }] }),
  dataset('a text for a list', { mounts: 's3://bucket' }),
  dataset('a list for an object', { nodeAffinity: [] }),
  dataset('an object for a text', { mounts: [{ mountPoint: { url: 's3://bucket' } }] }),
  dataset('a number among options', { sharedOptions: { a: 1, b: 'x' } }),
  dataset('nulls', { mounts: [{ mountPoint: 's3://bucket', name: null, options: { a: null } }], nodeAffinity: null, tolerations: [null] }),
  dataset('a value that is not of an enum', { placement: 'Everywhere' }),
  dataset('several faults', { placement: 'Everywhere', mounts: [{ name: 1 }], accessModes: 'ReadOnlyMany' }),
  dataset('a rule of two mounts', { mounts: [{ mountPoint: 'dataset://a/b' }, { mountPoint: 'local:///a' }] }),
  dataset('a rule of the name', {}, { object: { metadata: { name: 'a.b' }, spec: { mounts } } }),
  { title: 'no spec', kind: 'Dataset', object: {} },
  { title: 'a spec that is a text', kind: 'Dataset', object: { spec: 'x' } },
  { title: 'a spec that is null', kind: 'Dataset', object: { spec: null } },
  named('a name with upper-case letters', { name: 'Demo' }),
  named('a label whose value has a space', { labels: { app: 'a b', 'a/b/c': 'x', '-x': '' } }),
  named('a label that is a number', { labels: { app: 1 } }),
  named('an annotation that is an object', { annotations: { app: { a: 1 } } }),
  named('labels that are a list', { labels: [] }),
  named('a finalizer without a domain', { finalizers: ['a b'] }),
  { ...named('an unknown field of the metadata', { label: {}, labels: { app: 'x' } }), fieldValidation: 'Strict' },
  { title: 'a status is not looked at', kind: 'Dataset', object: { spec: { mounts }, status: { phase: 5 } } },

  dataset('applied', {}, { verb: 'apply' }),
  dataset('applied with an unknown field', { mount: [] }, { verb: 'apply' }),
  dataset('applied with an unknown field when strict', { mount: [] }, { verb: 'apply', fieldValidation: 'Strict' }),
  dataset('applied with a text for a list', { mounts: 's3' }, { verb: 'apply' }),
  dataset('applied with a number for a text', { mounts: [{ mountPoint: 5 }] }, { verb: 'apply' }),
  dataset('applied with a text for a flag', { mounts: [{ mountPoint: 's3://bucket', readOnly: 'yes' }] }, { verb: 'apply' }),
  dataset('applied with a list for an object', { nodeAffinity: [1, 'a'] }, { verb: 'apply' }),
  dataset('applied without mountPoint', { mounts: [{ name: 'x' }] }, { verb: 'apply' }),
  { title: 'applied with a text for replicas', kind: 'AlluxioRuntime', ...spec({ replicas: '1' }), verb: 'apply' },

  {
    title: 'a merge patch that breaks it',
    kind: 'Dataset',
    first: { spec: { mounts } },
    patch: { spec: { mounts: [{ name: 'x' }] } },
    verb: 'merge',
  },
  {
    title: 'a merge patch with an unknown field',
    kind: 'Dataset',
    first: { spec: { mounts } },
    patch: { spec: { mount: 'x' } },
    verb: 'merge',
  },
  {
    title: 'a merge patch with an unknown field when strict',
    kind: 'Dataset',
    first: { spec: { mounts } },
    patch: { spec: { mount: 'x' } },
    verb: 'merge',
    fieldValidation: 'Strict',
  },
  {
    title: 'a JSON patch that breaks it',
    kind: 'Dataset',
    first: { spec: { mounts } },
    patch: [{ op: 'replace', path: '/spec/mounts/0/mountPoint', value: 1 }],
    verb: 'json',
  },
  { title: 'an update that breaks it', kind: 'Dataset', first: { spec: { mounts } }, ...spec({ mounts: [] }), verb: 'update' },
  {
    title: 'a status of another type',
    kind: 'Dataset',
    first: { spec: { mounts } },
    patch: { status: { phase: 5, conditions: [{}], fileNum: 'x' } },
    verb: 'merge',
    subresource: 'status',
  },
  {
    title: 'a status that is fine, with an unknown field',
    kind: 'Dataset',
    first: { spec: { mounts } },
    patch: { status: { phase: 'Bound', conditions: [], phrase: 'x' } },
    verb: 'merge',
    subresource: 'status',
  },
  {
    title: 'a status with a time that is none',
    kind: 'Dataset',
    first: { spec: { mounts } },
    patch: { status: { phase: 'Bound', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: 'today' }] } },
    verb: 'merge',
    subresource: 'status',
  },

  {
    title: 'a valid one',
    kind: 'AlluxioRuntime',
    ...spec({ replicas: 2, tieredstore: { levels: [{ mediumtype: 'MEM', path: '/dev/shm', quota: '2Gi' }] } }),
  },
  { title: 'replicas that are a text', kind: 'AlluxioRuntime', ...spec({ replicas: 'string' }) },
  { title: 'replicas that are a fraction', kind: 'AlluxioRuntime', ...spec({ replicas: 1.5 }) },
  { title: 'replicas below zero', kind: 'AlluxioRuntime', ...spec({ replicas: -1 }) },
  { title: 'replicas beyond all measure', kind: 'AlluxioRuntime', ...spec({ replicas: 3_000_000_000 }) },
  {
    title: 'quotas that are none',
    kind: 'AlluxioRuntime',
    ...spec({ tieredstore: { levels: [{ mediumtype: 'FLOPPY', quota: 'much' }] } }),
  },
  { title: 'a quantity that is none', kind: 'AlluxioRuntime', ...spec({ master: { resources: { limits: { cpu: 'x', memory: true } } } }) },
  {
    title: 'quantities as number and text',
    kind: 'AlluxioRuntime',
    ...spec({ master: { resources: { limits: { cpu: 2, memory: '1Gi' } } } }),
  },
  { title: 'a port without its number', kind: 'JuiceFSRuntime', ...spec({ worker: { ports: [{ name: 'web' }] } }) },
  { title: 'a port gets its protocol', kind: 'JuiceFSRuntime', ...spec({ worker: { ports: [{ containerPort: 80 }] } }) },
  {
    title: 'a port twice',
    kind: 'JuiceFSRuntime',
    ...spec({ worker: { ports: [{ containerPort: 80 }, { containerPort: 80 }, { containerPort: 81 }] } }),
  },
  { title: 'a long name with workers', kind: 'JuiceFSRuntime', object: { metadata: { name: 'a'.repeat(46) }, spec: { replicas: 1 } } },
  { title: 'a long name without workers', kind: 'JuiceFSRuntime', object: { metadata: { name: 'a'.repeat(46) }, spec: {} } },
  { title: 'a level without a path', kind: 'JindoRuntime', ...spec({ tieredstore: { levels: [{ mediumtype: 'SSD' }, 5] } }) },
  { title: 'an env without a name', kind: 'ThinRuntime', ...spec({ fuse: { env: [{ value: 'x' }], image: 1 } }) },
  {
    title: 'volumes of an unknown kind',
    kind: 'ThinRuntime',
    ...spec({ volumes: [{ name: 'a', hostpath: {} }] }),
    fieldValidation: 'Strict',
  },
  { title: 'a valid one', kind: 'ThinRuntimeProfile', ...spec({ fileSystemType: 'nfs', fuse: { image: 'x', imageTag: 'y' } }) },
  { title: 'no file system', kind: 'ThinRuntimeProfile', ...spec({ fuse: {} }) },
  { title: 'a policy that is none', kind: 'EFCRuntime', ...spec({ fuse: { cleanPolicy: 'Never' } }) },
  { title: 'a fuse that is a text', kind: 'VineyardRuntime', ...spec({ fuse: 'x', replicas: 1 }) },
  { title: 'a role that is a list', kind: 'CacheRuntime', ...spec({ runtimeClassName: 'x', worker: [] }) },
  { title: 'no class', kind: 'CacheRuntime', ...spec({}) },
  {
    title: 'a pod without containers',
    kind: 'CacheRuntimeClass',
    object: { fileSystemType: 'x', topology: { worker: { template: { spec: {} } } } },
  },
  {
    title: 'a topology with an unknown role',
    kind: 'CacheRuntimeClass',
    object: { fileSystemType: 'x', topology: { workers: {} } },
    fieldValidation: 'Strict',
  },
  {
    title: 'a probe gets its defaults',
    kind: 'CacheRuntimeClass',
    object: {
      fileSystemType: 'x',
      topology: {
        worker: {
          template: {
            spec: {
              containers: [
                { name: 'a', ports: [{ containerPort: 1 }], livenessProbe: { grpc: { port: 1 } }, env: [{ name: 'E', valueFrom: {} }] },
              ],
            },
          },
        },
      },
    },
  },
  { title: 'no dataset', kind: 'DataLoad', ...spec({}) },
  { title: 'a target that is a text', kind: 'DataLoad', ...spec({ dataset: { name: 'a', namespace: 'b' }, target: '/' }) },
  { title: 'a policy that is none', kind: 'DataLoad', ...spec({ dataset: { name: 'a', namespace: 'b' }, policy: 'Sometimes' }) },
  { title: 'no source', kind: 'DataMigrate', ...spec({ to: { dataset: { name: 'a' } } }) },
  { title: 'no processor', kind: 'DataProcess', ...spec({ dataset: { name: 'a', namespace: 'b', mountPath: '/x' } }) },
  { title: 'a path that is a number', kind: 'DataBackup', ...spec({ dataset: 'a', backupPath: 1 }) },
];
