/** Objects that the runtimes of benches name. */
import type { KubeObject } from '../src/kube/types.ts';

const GROUP = 'data.fluid.io/v1alpha1';
export const PROFILE = 'bench';
export const CACHE_CLASS = 'bench';
export const SECRET = 'store';

export const profile: KubeObject = {
  apiVersion: GROUP,
  kind: 'ThinRuntimeProfile',
  metadata: { name: PROFILE },
  spec: { fileSystemType: 'fuse.s3fs', fuse: { image: 'example.io/s3fs', imageTag: 'v1', imagePullPolicy: 'IfNotPresent' } },
};

/** The program is a stand-in of the simulated pods: no file system of that name exists. */
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

export const secret: Omit<KubeObject, 'metadata'> & { readonly metadata: { readonly name: string } } = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: SECRET },
  stringData: { metaurl: 'redis://redis:6379/0', 'access-key': 'minioadmin', 'secret-key': 'minioadmin' },
};
