import * as fields from '../../src/api/fields.ts';
import * as k8s from '../../src/api/k8s.ts';
import { ageColumn, type CustomResource, type Resource } from '../../src/api/resource.ts';
import { nameRule, shortNameRule } from '../../src/api/rules.ts';
import { described, imageFields, int32, opt, podMetadata, type Static, stringMap, t } from '../../src/api/schema.ts';
import { type CacheRuntimeStatus, cacheRuntimeStatus } from './status.ts';

const options = stringMap('Options of the file system, for runtime.json; they win over those of the class.');

const componentFields = {
  disabled: opt(t.Boolean({ description: 'Do without this component.' })),
  runtimeVersion: opt(t.Object(imageFields, { description: 'Image of the first container, in place of that of the class.' })),
  options: opt(options),
  podMetadata: opt(podMetadata),
  resources: opt(fields.resources),
  env: opt(fields.env),
  volumeMounts: opt(fields.volumeMounts),
  args: opt(
    t.Array(t.String(), {
      'x-kubernetes-list-type': 'atomic',
      description: 'Arguments of the first container, in place of those of the class.',
    }),
  ),
  nodeSelector: opt({ ...fields.nodeSelector, 'x-kubernetes-map-type': 'atomic' } as typeof fields.nodeSelector),
  tolerations: opt(fields.tolerations),
};

const quota = described(k8s.Quantity, 'Space of the directory.');
const level = t.Object(
  {
    high: opt(t.String({ description: 'Ratio of used space at which eviction starts, 0.95 for example.' })),
    low: opt(t.String({ description: 'Ratio of used space at which eviction stops, 0.7 for example.' })),
    processMemory: opt(t.Object({ quota }, { description: 'Memory of the container, at /dev/shm.' })),
    emptyDir: opt(
      t.Object(
        { quota, medium: opt(t.String({ description: 'Memory, or empty for a disk of the node.' })) },
        { description: 'A directory that ends with its pod.' },
      ),
    ),
    hostPath: opt(
      t.Object(
        {
          paths: t.Array(t.String(), { minItems: 1, description: 'Directories of the node.' }),
          quotas: t.Array(k8s.Quantity, { minItems: 1, description: 'Space of each of them.' }),
          type: opt(t.String({ description: 'As in a hostPath volume, DirectoryOrCreate for example.' })),
        },
        { description: 'Directories of the node, which outlive pods.' },
      ),
    ),
  },
  { description: 'One level of the cache: processMemory, emptyDir or hostPath.' },
);
const tieredStore = t.Object(
  { levels: opt(t.Array(level, { description: 'Levels, the fastest first.' })) },
  { description: 'Where cached data is kept.' },
);

const replicas = opt(int32({ default: 1, minimum: 0, description: 'Pods wanted.' }));

export const cacheRuntimeSpec = t.Object(
  {
    runtimeClassName: t.String({ description: 'CacheRuntimeClass that says what the pods are.' }),
    options: opt(options),
    podMetadata: opt(podMetadata),
    imagePullSecrets: opt(fields.imagePullSecrets),
    volumes: opt(fields.volumes),
    master: opt(t.Object({ ...componentFields, replicas }, { description: 'Pods that know every file.' })),
    worker: opt(
      // So that `spec.worker.replicas`, by which it is scaled, has a value in every runtime.
      t.Object(
        { ...componentFields, replicas, tieredStore: opt(tieredStore) },
        { default: { replicas: 1 }, description: 'Pods that hold the cache.' },
      ),
    ),
    client: opt(
      t.Object(
        {
          ...componentFields,
          tieredStore: opt(tieredStore),
          cleanPolicy: opt(
            t.Enum(['OnRuntimeDeleted', 'OnDemand'], {
              default: 'OnRuntimeDeleted',
              description: 'When idle clients go: OnDemand or OnRuntimeDeleted.',
            }),
          ),
        },
        { description: 'Pods that mount the file system on the nodes of its users.' },
      ),
    ),
  },
  { description: 'What differs from the class.' },
);
export type CacheRuntimeSpec = Static<typeof cacheRuntimeSpec>;
export type ComponentSpec = Omit<NonNullable<CacheRuntimeSpec['client']>, 'cleanPolicy'>;
export type TierLevels = NonNullable<NonNullable<ComponentSpec['tieredStore']>['levels']>;

const phase = (column: string, component: string) => ({ name: column, type: 'string', jsonPath: `.status.${component}.phase` }) as const;
const ready = (column: string, component: string) =>
  ({ name: column, type: 'integer', jsonPath: `.status.${component}.readyReplicas`, priority: 10 }) as const;

/** Any cache whose pods a CacheRuntimeClass describes. */
export const CacheRuntime = {
  kind: 'CacheRuntime',
  plural: 'cacheruntimes',
  categories: ['fluid'],
  namespaced: true,
  description: 'Serves the dataset of the same name by a cache that a CacheRuntimeClass describes.',
  columns: [
    phase('Master Phase', 'master'),
    ready('Ready Masters', 'master'),
    phase('Worker Phase', 'worker'),
    ready('Ready Workers', 'worker'),
    phase('Client Phase', 'client'),
    ready('Ready Clients', 'client'),
    { name: 'Class', type: 'string', jsonPath: '.spec.runtimeClassName', priority: 10 },
    ageColumn,
  ],
  scale: { selector: true, wanted: 'spec.worker.replicas', existing: 'status.worker.currentReplicas' },
  statusSubresource: true,
  spec: cacheRuntimeSpec,
  status: cacheRuntimeStatus,
  rules: [nameRule, shortNameRule],
} as const satisfies CustomResource;
export type CacheRuntime = Resource<CacheRuntimeSpec, CacheRuntimeStatus>;
