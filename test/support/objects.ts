/** Users' objects, as small as they can be. Namespaces are filled in by the space in which they are made. */

import { parseAllDocuments } from 'yaml';
import type { AlluxioRuntimeSpec } from '../../runtimes/alluxio/spec.ts';
import type { CacheRuntimeSpec } from '../../runtimes/cache/spec.ts';
import type { EFCRuntimeSpec } from '../../runtimes/efc/spec.ts';
import type { JindoRuntimeSpec } from '../../runtimes/jindo/spec.ts';
import type { JuiceFSRuntimeSpec } from '../../runtimes/juicefs/spec.ts';
import type { VineyardRuntimeSpec } from '../../runtimes/vineyard/spec.ts';
import type { DatasetSpec, ThinRuntimeProfileSpec, ThinRuntimeSpec } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { ExampleRuntimeSpec } from './example-runtime/spec.ts';
import type { PairRuntimeSpec } from './pair-runtime/spec.ts';

type Metadata = Omit<KubeObject['metadata'], 'name'>;

const ours =
  <Spec extends object>(kind: string) =>
  (name: string, spec: Spec, metadata: Metadata = {}): KubeObject => ({
    apiVersion: 'data.fluid.io/v1alpha1',
    kind,
    metadata: { name, ...metadata },
    spec,
  });

export const datasetObject = ours<DatasetSpec>('Dataset');
export const thinRuntime = ours<ThinRuntimeSpec>('ThinRuntime');
export const thinProfile = ours<ThinRuntimeProfileSpec>('ThinRuntimeProfile');
const juiceFSRuntime = ours<JuiceFSRuntimeSpec>('JuiceFSRuntime');
export const alluxioRuntime = ours<AlluxioRuntimeSpec>('AlluxioRuntime');
export const cacheRuntime = ours<CacheRuntimeSpec>('CacheRuntime');
export const efcRuntime = ours<EFCRuntimeSpec>('EFCRuntime');
export const jindoRuntime = ours<JindoRuntimeSpec>('JindoRuntime');
export const vineyardRuntime = ours<VineyardRuntimeSpec>('VineyardRuntime');
export const exampleRuntime = ours<ExampleRuntimeSpec>('ExampleRuntime');
export const pairRuntime = ours<PairRuntimeSpec>('PairRuntime');

/** A class that needs nothing but images, with these components. */
export function plainClass(...components: readonly ('master' | 'worker' | 'client')[]): KubeObject {
  const template = (name: string) => ({ template: { spec: { containers: [{ name, image: `example.io/${name}:1` }] } } });
  return {
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'CacheRuntimeClass',
    metadata: { name: 'plain' },
    fileSystemType: 'plainfs',
    topology: Object.fromEntries(components.map((component) => [component, template(component)])),
  };
}

export const secret = (name: string, stringData: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData,
});

/** A pod of a user who reads the dataset. */
export const reader = (name: string, claim: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    containers: [{ name: 'main', image: 'registry.example/reader:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }],
    terminationGracePeriodSeconds: 1,
  },
});

/** A dataset that needs no credentials. */
export const openDataset = (name: string, more: DatasetSpec = {}): KubeObject =>
  datasetObject(name, { mounts: [{ mountPoint: 's3://bucket', name: 'data' }], ...more });

export const JFS_SECRET = 'jfs-secret';
export const jfsSecret = (): KubeObject =>
  secret(JFS_SECRET, { metaurl: 'redis://redis:6379/0', 'access-key': 'minioadmin', 'secret-key': 'minioadmin' });

/** A file system of JuiceFS' community edition. Shared, so that a few nodes hold the workers of many. */
export const jfsDataset = (name: string, more: DatasetSpec = {}): KubeObject =>
  datasetObject(name, {
    accessModes: ['ReadWriteMany'],
    placement: 'Shared',
    mounts: [
      {
        mountPoint: 'juicefs:///',
        name: 'minio',
        options: { bucket: 'http://minio:9000/minio/test', storage: 'minio' },
        encryptOptions: ['metaurl', 'access-key', 'secret-key'].map((key) => ({
          name: key,
          valueFrom: { secretKeyRef: { name: JFS_SECRET, key } },
        })),
      },
    ],
    ...more,
  });

export const jfsRuntime = (name: string, more: JuiceFSRuntimeSpec = {}): KubeObject =>
  juiceFSRuntime(name, {
    replicas: 1,
    tieredstore: { levels: [{ mediumtype: 'SSD', path: '/var/lib/juicefs', quota: '1Gi', low: '0.1', volumeType: 'hostPath' }] },
    ...more,
  });

/** The objects of a text in YAML, of the types that its examples have. */
export const objectsIn = (text: string): readonly KubeObject[] => parseAllDocuments(text).map((document) => document.toJS() as KubeObject);
