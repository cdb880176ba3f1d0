/** What the user writes: the smallest that works, as in Fluid's baseline. */
import type { KubeObject } from '../src/kube/types.ts';

const GROUP = 'data.fluid.io/v1alpha1';
export const PROFILE = 'bench';
export const CACHE_CLASS = 'bench';

export const PLURALS = {
  thin: 'thinruntimes',
  juicefs: 'juicefsruntimes',
  alluxio: 'alluxioruntimes',
  cache: 'cacheruntimes',
  jindo: 'jindoruntimes',
} as const;
export type Kind = keyof typeof PLURALS;
export const KINDS = Object.keys(PLURALS) as readonly Kind[];
/** Those that the scripted API server of the benches `live` and `mixed` serves. */
export const LIVE_KINDS = ['thin', 'juicefs', 'alluxio'] as const satisfies readonly Kind[];
export type LiveKind = (typeof LIVE_KINDS)[number];

export const paths = {
  namespaces: '/api/v1/namespaces',
  nodes: '/api/v1/nodes',
  volumes: '/api/v1/persistentvolumes',
  profiles: `/apis/${GROUP}/thinruntimeprofiles`,
  classes: `/apis/${GROUP}/cacheruntimeclasses`,
  datasets: (namespace: string) => `/apis/${GROUP}/namespaces/${namespace}/datasets`,
  runtimes: (kind: Kind, namespace: string) => `/apis/${GROUP}/namespaces/${namespace}/${PLURALS[kind]}`,
  core: (namespace: string, plural: string) => `/api/v1/namespaces/${namespace}/${plural}`,
  apps: (namespace: string, plural: string) => `/apis/apps/v1/namespaces/${namespace}/${plural}`,
  rbac: (namespace: string, plural: string) => `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/${plural}`,
};

export const profile: KubeObject = {
  apiVersion: GROUP,
  kind: 'ThinRuntimeProfile',
  metadata: { name: PROFILE },
  spec: { fileSystemType: 'fuse.s3fs', fuse: { image: 'example.io/s3fs', imageTag: 'v1', imagePullPolicy: 'IfNotPresent' } },
};

/** Its program is a stand-in of the simulated pods: no file system of that name exists. */
export const cacheClass: KubeObject = {
  apiVersion: GROUP,
  kind: 'CacheRuntimeClass',
  metadata: { name: CACHE_CLASS },
  fileSystemType: 'plainfs',
  topology: {
    master: {
      template: { spec: { containers: [{ name: 'master', image: 'example.io/plainfs:1' }] } },
      service: { headless: {} },
      executionEntries: { mountUFS: { command: ['plainfs', 'mount', '/data'] }, reportSummary: { command: ['plainfs', 'summary'] } },
    },
    worker: { template: { spec: { containers: [{ name: 'worker', image: 'example.io/plainfs:1' }] } }, service: { headless: {} } },
    client: { template: { spec: { containers: [{ name: 'client', image: 'example.io/plainfs:1' }] } } },
  },
};

const SECRET = 'store';
export const secret: Omit<KubeObject, 'metadata'> & { readonly metadata: { readonly name: string } } = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: SECRET },
  stringData: { metaurl: 'redis://redis:6379/0', 'access-key': 'minioadmin', 'secret-key': 'minioadmin' },
};

export interface Pair {
  readonly dataset: KubeObject;
  readonly runtime: KubeObject;
}

export function pair(kind: Kind, namespace: string, name: string): Pair {
  const metadata = { namespace, name };
  const { runtimeKind, runtime, dataset } = SPECS[kind];
  return {
    dataset: { apiVersion: GROUP, kind: 'Dataset', metadata, spec: dataset },
    runtime: { apiVersion: GROUP, kind: runtimeKind, metadata, spec: runtime },
  };
}

const fromSecret = (name: string, key: string = name) => ({ name, valueFrom: { secretKeyRef: { name: SECRET, key } } });
// Of one node, many share it.
const shared = { accessModes: ['ReadWriteMany'], placement: 'Shared' };
const cachedIn = (path: string) => ({ replicas: 1, tieredstore: { levels: [{ mediumtype: 'SSD', path, quota: '1Gi', low: '0.01' }] } });

const SPECS: Readonly<Record<Kind, { readonly runtimeKind: string; readonly runtime: object; readonly dataset: object }>> = {
  thin: {
    runtimeKind: 'ThinRuntime',
    runtime: { profileName: PROFILE },
    dataset: { mounts: [{ mountPoint: 's3://bucket', name: 'data' }] },
  },
  juicefs: {
    runtimeKind: 'JuiceFSRuntime',
    runtime: cachedIn('/var/lib/juicefs'),
    dataset: {
      ...shared,
      mounts: [
        {
          mountPoint: 'juicefs:///',
          name: 'minio',
          options: { bucket: 'http://minio:9000/minio/test', storage: 'minio' },
          encryptOptions: ['metaurl', 'access-key', 'secret-key'].map((key) => fromSecret(key)),
        },
      ],
    },
  },
  alluxio: {
    runtimeKind: 'AlluxioRuntime',
    runtime: cachedIn('/var/lib/alluxio'),
    dataset: {
      ...shared,
      mounts: [
        {
          mountPoint: 's3://bucket',
          name: 'data',
          options: { 'alluxio.underfs.s3.endpoint': 'http://minio:9000', 'alluxio.underfs.s3.disable.dns.buckets': 'true' },
          encryptOptions: [fromSecret('s3a.accessKeyId', 'access-key'), fromSecret('s3a.secretKey', 'secret-key')],
        },
      ],
    },
  },
  jindo: {
    runtimeKind: 'JindoRuntime',
    runtime: cachedIn('/var/lib/jindo'),
    dataset: {
      ...shared,
      mounts: [
        {
          mountPoint: 'oss://bucket/',
          name: 'data',
          options: { 'fs.oss.endpoint': 'minio:9000' },
          encryptOptions: [fromSecret('fs.oss.accessKeyId', 'access-key'), fromSecret('fs.oss.accessKeySecret', 'secret-key')],
        },
      ],
    },
  },
  cache: {
    runtimeKind: 'CacheRuntime',
    runtime: { runtimeClassName: CACHE_CLASS, worker: { tieredStore: { levels: [{ emptyDir: { quota: '1Gi' } }] } } },
    dataset: {
      ...shared,
      mounts: [
        {
          mountPoint: 's3://bucket',
          name: 'data',
          encryptOptions: [fromSecret('access', 'access-key'), fromSecret('secret', 'secret-key')],
        },
      ],
    },
  },
};
