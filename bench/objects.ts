/** What the user writes: the smallest that works, as in Fluid's baseline. */
import type { KubeObject } from '../src/kube/types.ts';

const GROUP = 'data.fluid.io/v1alpha1';
export const PROFILE = 'bench';

export type Kind = 'thin' | 'juicefs';
export const PLURALS = { thin: 'thinruntimes', juicefs: 'juicefsruntimes' } as const;

export const paths = {
  namespaces: '/api/v1/namespaces',
  nodes: '/api/v1/nodes',
  volumes: '/api/v1/persistentvolumes',
  profiles: `/apis/${GROUP}/thinruntimeprofiles`,
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

const SECRET = 'juicefs';
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
  return kind === 'thin'
    ? {
        dataset: { apiVersion: GROUP, kind: 'Dataset', metadata, spec: { mounts: [{ mountPoint: 's3://bucket', name: 'data' }] } },
        runtime: { apiVersion: GROUP, kind: 'ThinRuntime', metadata, spec: { profileName: PROFILE } },
      }
    : {
        dataset: {
          apiVersion: GROUP,
          kind: 'Dataset',
          metadata,
          spec: { accessModes: ['ReadWriteMany'], placement: 'Shared', mounts: [juicefsMount] },
        },
        runtime: { apiVersion: GROUP, kind: 'JuiceFSRuntime', metadata, spec: { replicas: 1, tieredstore: { levels: [level] } } },
      };
}

const fromSecret = (key: string) => ({ name: key, valueFrom: { secretKeyRef: { name: SECRET, key } } });
const juicefsMount = {
  mountPoint: 'juicefs:///',
  name: 'minio',
  options: { bucket: 'http://minio:9000/minio/test', storage: 'minio' },
  encryptOptions: ['metaurl', 'access-key', 'secret-key'].map(fromSecret),
};
const level = { mediumtype: 'SSD', path: '/var/lib/juicefs', quota: '1Gi', low: '0.01' };
