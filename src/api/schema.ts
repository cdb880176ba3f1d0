import { type Static, Type } from 'typebox';
import * as k8s from './k8s.ts';

export { type Static, type TSchema, Type as t } from 'typebox';

/** An optional field: `t.Object({ cacheSize: opt(k8s.Quantity) })`. */
export const opt = Type.Optional;

/**
 * A 32-bit integer. The API server ignores the format; `parse` checks it.
 * @example
 * const spec = t.Object({ replicas: opt(int32({ minimum: 1, description: 'Workers wanted.' })) });
 */
export const int32 = (options: { readonly minimum?: number; readonly default?: number; readonly description?: string } = {}) =>
  Type.Integer({ format: 'int32', ...options });
/**
 * A 64-bit integer, in JSON a number.
 * @example
 * const spec = t.Object({ uid: int64({ description: 'Number of the user.' }) });
 */
export const int64 = (options: { readonly description?: string } = {}) => Type.Integer({ format: 'int64', ...options });
/**
 * A moment as text, RFC 3339: `2025-01-31T12:00:00Z`.
 * @example
 * const status = t.Object({ mountTime: opt(dateTime({ description: 'When the mounts were last changed.' })) });
 */
export const dateTime = (options: { readonly description?: string } = {}) =>
  Type.Unsafe<string>({ type: 'string', format: 'date-time', ...options });
/**
 * A string of which TypeScript knows some values. The CRD accepts any, as Fluid's do, so that the API server takes values of newer versions.
 * @example
 * const spec = t.Object({ mode: opt(openEnum(['Fast', 'Safe'], { description: 'Fast or Safe.' })) });
 */
export const openEnum = <const T extends string>(_values: readonly T[], options: { readonly description?: string } = {}) =>
  Type.Unsafe<T>({ type: 'string', ...options });
/**
 * A schema with another description.
 * @example
 * const spec = t.Object({ cacheSize: opt(described(k8s.Quantity, 'Disk space for cached files on each node.')) });
 */
export const described = <S extends Type.TSchema>(schema: S, description: string): S => ({ ...schema, description });

/**
 * A map of strings.
 * @example
 * const spec = t.Object({ env: opt(stringMap('Environment of the container.')) });
 */
export const stringMap = (description?: string) =>
  Type.Record(Type.String(), Type.String(), description === undefined ? {} : { description });

/** Fields `image`, `imageTag` and `imagePullPolicy`; each has a default of its own. */
export const imageFields = {
  image: opt(Type.String({ description: 'Image repository, without the tag.' })),
  imageTag: opt(Type.String({ description: 'Tag of the image.' })),
  imagePullPolicy: opt(Type.String({ description: 'Always, IfNotPresent or Never.' })),
};

/** An object of `imageFields`: which image the file system is in. */
export const versionSpec = Type.Object(imageFields, { description: 'Image of the file system.' });

/** Labels and annotations for pods. */
export const podMetadata = Type.Object(
  {
    labels: opt(stringMap('Labels of the pods.')),
    annotations: opt(stringMap('Annotations of the pods.')),
  },
  { description: 'Labels and annotations added to the pods.' },
);
export type PodMetadata = Static<typeof podMetadata>;

/** `HostNetwork`, also when empty, or `ContainerNetwork`. */
export const networkMode = Type.Enum(['HostNetwork', '', 'ContainerNetwork'], {
  description: 'HostNetwork (also when empty) or ContainerNetwork.',
});
export type NetworkMode = Static<typeof networkMode>;

/** `Exclusive`, also when empty, or `Shared`. */
export const placementMode = Type.Enum(['Exclusive', '', 'Shared'], {
  description: 'Exclusive (also when empty): one dataset a node. Shared: several may cache on one node.',
});
export type PlacementMode = Static<typeof placementMode>;

/**
 * When the node plugin deletes idle fuse pods: `OnDemand`, `OnRuntimeDeleted` (also when empty) or `OnFuseChanged`. The field must be
 * `spec.fuse.cleanPolicy`, where the plugin reads it.
 */
export const cleanPolicy = openEnum(['', 'OnDemand', 'OnRuntimeDeleted', 'OnFuseChanged'], {
  description: 'When idle fuse pods go: OnDemand, OnRuntimeDeleted (also when empty) or OnFuseChanged.',
});
export type CleanPolicy = Static<typeof cleanPolicy>;

/** POSIX user and group, by number and by name. */
export const user = Type.Object(
  {
    uid: int64({ description: 'Number of the user.' }),
    gid: int64({ description: 'Number of the group.' }),
    user: Type.String({ description: 'Name of the user.' }),
    group: Type.String({ description: 'Name of the group.' }),
  },
  { description: 'POSIX user and group, by number and by name.' },
);
export type User = Static<typeof user>;

export const encryptOption = Type.Object(
  {
    name: Type.String({ description: 'Name of the option.' }),
    valueFrom: opt(
      Type.Object(
        {
          secretKeyRef: opt(
            Type.Object(
              { name: Type.String({ description: 'Name of the Secret.' }), key: opt(Type.String({ description: 'Key in the Secret.' })) },
              { description: 'A key of a Secret in the same namespace.' },
            ),
          ),
        },
        { description: 'Where the value comes from.' },
      ),
    ),
  },
  { description: 'An option whose value is kept in a Secret.' },
);
export type EncryptOption = Static<typeof encryptOption>;

export const mountSpec = Type.Object(
  {
    mountPoint: Type.String({
      minLength: 5,
      description:
        'What is mounted: local://<path>, pvc://<claim>/<path>, dataset://<namespace>/<name>/<path>, http(s)://… or a URL that the engine knows.',
    }),
    name: opt(Type.String({ minLength: 0, description: 'Name of the mount; the path is /<name> unless set.' })),
    path: opt(Type.String({ description: 'Where the mount appears below the root of the dataset.' })),
    readOnly: opt(Type.Boolean({ description: 'Refuse writes.' })),
    shared: opt(Type.Boolean({ description: 'Let every user of the engine read it.' })),
    options: opt(stringMap('Options of this mount; they win over sharedOptions.')),
    encryptOptions: opt(Type.Array(encryptOption, { description: 'Options of this mount whose values are kept in Secrets.' })),
  },
  { description: 'A source of data and where it appears.' },
);
export type Mount = Static<typeof mountSpec>;

const amount = String.raw`(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))`;

export const tierLevel = Type.Object(
  {
    mediumtype: Type.Enum(['MEM', 'SSD', 'HDD'], { description: 'What the level is made of.' }),
    volumeType: opt(Type.Enum(['hostPath', 'emptyDir'], { default: 'hostPath', description: 'How pods get the space.' })),
    volumeSource: opt(described(k8s.VolumeSource, 'Volume to use; the form is that of pod.spec.volumes, without the name.')),
    path: opt(Type.String({ minLength: 1, description: 'Directory; several are separated by commas.' })),
    quota: opt(described(k8s.Quantity, 'Space of the whole level, divided evenly among its directories.')),
    quotaList: opt(
      Type.String({
        pattern: `^(${amount},)+(${amount}?)$`,
        description: 'Space of each directory, separated by commas; wins over quota.',
      }),
    ),
    high: opt(Type.String({ description: 'Ratio of used space at which eviction starts, 0.95 for example.' })),
    low: opt(Type.String({ description: 'Ratio of used space at which eviction stops, 0.7 for example.' })),
  },
  { description: 'One level of the cache.' },
);
export type TierLevel = Static<typeof tierLevel>;

/** Levels of the cache of a worker. */
export const tieredStore = Type.Object(
  { levels: opt(Type.Array(tierLevel, { description: 'Levels, the fastest first.' })) },
  { description: 'Where workers keep cached data.' },
);
export type TieredStore = Static<typeof tieredStore>;

/** How often and how long caches are cleaned when a runtime is deleted. */
export const cleanCachePolicy = Type.Object(
  {
    gracePeriodSeconds: opt(int32({ default: 60, description: 'How long one attempt may take.' })),
    maxRetryAttempts: opt(
      int32({
        default: 3,
        description:
          'How often cleaning is tried before the runtime goes without. Where there is no cleanCachePolicy, as often as the engine does by default.',
      }),
    ),
  },
  { description: 'How the cache is cleaned when the runtime is deleted.' },
);

/** The field `spec.management`: cleaning of caches, and whether the size of the data is kept up to date. */
export const runtimeManagement = Type.Object(
  {
    cleanCachePolicy: opt(cleanCachePolicy),
    metadataSyncPolicy: opt(
      Type.Object(
        { autoSync: opt(Type.Boolean({ description: 'Whether to measure the dataset after it is bound.' })) },
        { description: 'How size and file count of the dataset are kept up to date.' },
      ),
    ),
  },
  { description: 'What the controller does beside setting up.' },
);
export type RuntimeManagement = Static<typeof runtimeManagement>;

/** The image of an init container that creates the user of `spec.runAs`. */
export const initUsers = Type.Object(
  {
    ...imageFields,
    env: opt(stringMap('Environment of the container.')),
    resources: opt(described(k8s.ResourceRequirements, 'CPU and memory of the container.')),
  },
  { description: 'Container that creates the user of spec.runAs in the pods.' },
);
