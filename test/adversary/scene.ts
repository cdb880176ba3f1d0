import { annotation } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { ApiServer } from '../../src/api-server/index.ts';
import * as write from '../support/objects.ts';

/** The victim's namespace. */
export const V = 'ml';
/** Namespaces of the attacker: the first one has a grant. Names may continue the victim's, as names of teams do. */
export const A = 'ml-x';
export const B = 'ml-x-y';
/** An administrator's. */
export const INFRA = 'infra';
export const NODES = ['node-1', 'node-2', 'node-3'];

/** In texts of the victim that nobody else may read; and in the attacker's, which nobody else may run. */
export const PRIVATE = 'v1ct1m';
export const CANARY = 'att4cker';

const into = (namespace: string, { metadata, ...rest }: KubeObject, more: object = {}): KubeObject =>
  ({ ...rest, metadata: { ...metadata, ...more, namespace } }) as KubeObject;
const sharedWith = (list: string) => ({ annotations: { [annotation.sharedWith]: list } });
const refersTo = (name: string, mountPoint: string) => write.datasetObject(name, { mounts: [{ mountPoint, name: 'r' }] });
const thin = (name: string, more: object = {}) => write.thinRuntime(name, { profileName: 'profile', ...more });
const own = (name: string) =>
  write.datasetObject(name, { mounts: [{ mountPoint: `s3://${PRIVATE}-${name}`, name: 'data' }], placement: 'Shared' });

/** A pod that reads a Dataset, on this node. */
export function client(name: string, claim: string, node: string): KubeObject {
  const pod = write.reader(name, claim);
  return { ...pod, spec: { ...(pod['spec'] as object), nodeName: node } } as KubeObject;
}

/** The administrator's set-up. */
export function infrastructure(server: ApiServer): void {
  for (const name of NODES)
    server.put({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'kubernetes.io/hostname': name } },
      spec: {},
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
  const fuse = { image: 'example.io/s3fs', imageTag: 'v1' };
  const worker = { image: 'example.io/worker', imageTag: 'v1' };
  server.put(write.thinProfile('profile', { fileSystemType: 'fuse.s3fs', fuse, worker }));
  server.put(write.plainClass('master', 'worker', 'client'));
  server.put(into(INFRA, write.secret('publish', { token: `${PRIVATE}-publish` })));
  server.put({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: B } });
  const claimRef = { namespace: A, name: 'provisioned' };
  const csi = {
    driver: 's3.example.com',
    volumeHandle: 'provisioned',
    volumeAttributes: { bucket: 'b' },
    nodePublishSecretRef: { namespace: INFRA, name: 'publish' },
  };
  const spec = { accessModes: ['ReadWriteMany'], capacity: { storage: '1Gi' }, persistentVolumeReclaimPolicy: 'Retain' };
  server.put({ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'provisioned' }, spec: { ...spec, csi, claimRef } });
  const claim = { accessModes: ['ReadWriteMany'], volumeName: 'provisioned', resources: { requests: spec.capacity } };
  server.put({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'provisioned', namespace: A }, spec: claim });
}

/** The victim's Datasets: kinds with workers and without, one that it shares with the attacker, and one that it has from the attacker. */
export function victims(server: ApiServer): void {
  const put = (object: KubeObject, more: object = {}) => server.put(into(V, object, more));
  put(own('x-data'));
  put(thin('x-data', { replicas: 1, worker: { enabled: true } }));
  put(own('shared'), sharedWith(A));
  put(thin('shared'));
  put(write.secret(write.JFS_SECRET, { metaurl: 'redis://redis:6379/0', 'access-key': 'a', 'secret-key': `${PRIVATE}-key` }));
  put(write.jfsDataset('jfs'));
  put(write.jfsRuntime('jfs'));
  put(refersTo('borrowed', `dataset://${A}/pub`));
}
/** Pods of the victim that read, once there are claims. */
export function victimsClients(server: ApiServer): void {
  for (const [claim, node] of [
    ['x-data', 'node-1'],
    ['shared', 'node-2'],
    ['jfs', 'node-3'],
    ['borrowed', 'node-2'],
  ] as const)
    server.put(into(V, client(`app-${claim}`, claim, node)));
}

/** The attacker's first Datasets: one that the victim uses, and one that uses the victim's. */
export function attackers(server: ApiServer): void {
  server.put(into(A, write.openDataset('pub'), sharedWith(`${V},${B}`)));
  server.put(into(A, thin('pub')));
  server.put(into(A, refersTo('mid', `dataset://${V}/shared`), sharedWith(B)));
}
