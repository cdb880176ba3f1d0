import type { ApiError } from '../../../src/kube/errors.ts';
import type { KubeObject } from '../../../src/kube/types.ts';

/** How a request was refused. */
export const refusal = (request: Promise<unknown>): Promise<ApiError> =>
  request.then(
    () => Promise.reject(new Error('it was not refused')),
    (error: ApiError) => error,
  );
/** The part of a refusal that is claimed: status and reason, and what the message says. */
export const refused = (status: number, reason: string | undefined, message: RegExp = /./) => ({
  name: 'ApiError',
  status,
  ...(reason && { reason }),
  message: expect_(message),
});
const expect_ = (message: RegExp) => ({ asymmetricMatch: (text: unknown) => message.test(String(text)), toString: () => String(message) });

let serial = 0;
/** For what belongs to the cluster: other runs may use it too. */
export const unique = (prefix: string): string => `${prefix}-${process.hrtime.bigint().toString(36)}${(serial++).toString(36)}`;

export const configMap = (namespace: string, name: string, data: object = {}, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, ...metadata },
  data,
});
export const dataset = (namespace: string, name: string, spec: object = {}, metadata: object = {}): KubeObject => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'Dataset',
  metadata: { name, namespace, ...metadata },
  spec: { mounts: [{ mountPoint: 's3://bucket', name: 'data' }], ...spec },
});

const labels = (name: string) => ({ app: name });
const template = (name: string, pod: object = {}) => ({
  metadata: { labels: labels(name) },
  spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: 'example.io/main:1' }], ...pod },
});
export const statefulSet = (namespace: string, name: string, spec: object = {}, pod: object = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name, namespace },
  spec: {
    replicas: 0,
    serviceName: name,
    podManagementPolicy: 'Parallel',
    selector: { matchLabels: labels(name) },
    template: template(name, pod),
    ...spec,
  },
});
export const daemonSet = (namespace: string, name: string, pod: object = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name, namespace },
  spec: { selector: { matchLabels: labels(name) }, template: template(name, pod), updateStrategy: { type: 'OnDelete' } },
});
export const volume = (name: string, namespace: string, claim: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    accessModes: ['ReadOnlyMany'],
    capacity: { storage: '1Gi' },
    claimRef: { namespace, name: claim },
    csi: { driver: 'test.example', volumeHandle: name },
    persistentVolumeReclaimPolicy: 'Retain',
    storageClassName: 'none',
  },
});
export const claim = (namespace: string, name: string, volumeName: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace },
  spec: { accessModes: ['ReadOnlyMany'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'none', volumeName },
});
export const pod = (namespace: string, name: string, spec: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace },
  spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: 'example.io/main:1' }], ...spec },
});
export const ownedBy = ({ apiVersion, kind, metadata: { name, uid = '' } }: KubeObject, more: object = {}) => ({
  ownerReferences: [{ apiVersion, kind, name, uid, ...more }],
});
