import { Node, ownedKinds, Pod, Secret } from '../reconciler/kubernetes/kinds.ts';
import type { KubeObject, ResourceType } from '../kube/types.ts';

const builtIn = (group: string, kind: string, plural: string, namespaced = true): ResourceType => ({
  group,
  version: 'v1',
  plural,
  kind,
  namespaced,
});

export const Namespace = builtIn('', 'Namespace', 'namespaces', false);
export const ResourceQuota = builtIn('', 'ResourceQuota', 'resourcequotas');

/** Kinds that exist without a CustomResourceDefinition. */
export const builtInKinds: readonly ResourceType[] = [
  ...Object.values(ownedKinds),
  Secret,
  Pod,
  Node,
  Namespace,
  ResourceQuota,
  builtIn('', 'Event', 'events'),
  builtIn('coordination.k8s.io', 'Lease', 'leases'),
];

/** Groups of Kubernetes itself have no dot, or are its own. */
export const isBuiltIn = ({ group }: ResourceType): boolean => !group.includes('.') || group.endsWith('.k8s.io');

const WITH_STATUS = new Set([
  'StatefulSet',
  'DaemonSet',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Pod',
  'Node',
  'Namespace',
  'ResourceQuota',
  'Service',
  'Job',
  'CronJob',
  'CustomResourceDefinition',
  'Deployment',
  'PodDisruptionBudget',
  'ReplicaSet',
]);
/** Of built-in kinds, by apimachinery `PrepareForUpdate`: few count their edits. */
const WITH_GENERATION = new Set([
  'CronJob',
  'CustomResourceDefinition',
  'DaemonSet',
  'Deployment',
  'Job',
  'MutatingWebhookConfiguration',
  'NetworkPolicy',
  'Pod',
  'PodDisruptionBudget',
  'ReplicaSet',
  'StatefulSet',
  'ValidatingAdmissionPolicy',
]);
const FINALIZERS: Readonly<Record<string, string>> = {
  PersistentVolume: 'kubernetes.io/pv-protection',
  PersistentVolumeClaim: 'kubernetes.io/pvc-protection',
};
const FIRST_STATUS: Readonly<Record<string, object>> = {
  PersistentVolume: { phase: 'Pending' },
  PersistentVolumeClaim: { phase: 'Pending' },
  Pod: { phase: 'Pending' },
  Namespace: { phase: 'Active' },
};

/** Whether status is written by its own path only; custom resources here all have the subresource. */
export const hasStatus = (type: ResourceType): boolean => !isBuiltIn(type) || WITH_STATUS.has(type.kind);

export const countsEdits = (type: ResourceType): boolean => !isBuiltIn(type) || WITH_GENERATION.has(type.kind);

/** The status of a new object, whatever was sent. */
export function withFirstStatus(type: ResourceType, object: KubeObject): KubeObject {
  if (!hasStatus(type) || type.kind === 'Node') return object;
  const { status: _, ...rest } = object;
  const status = isBuiltIn(type) ? FIRST_STATUS[type.kind] : undefined;
  return { ...rest, ...(status && { status }) } as KubeObject;
}

/** The admission plugin StorageObjectInUseProtection. */
export function protectedFromLoss(type: ResourceType, object: KubeObject): KubeObject {
  const finalizer = isBuiltIn(type) ? FINALIZERS[type.kind] : undefined;
  const { finalizers = [] } = object.metadata;
  if (!finalizer || finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
}

/** Top-level fields of an object; deeper fields are not validated here. */
const TOP_LEVEL: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: ['data', 'binaryData', 'immutable'],
  Secret: ['data', 'stringData', 'immutable', 'type'],
  ServiceAccount: ['secrets', 'imagePullSecrets', 'automountServiceAccountToken'],
  Role: ['rules'],
  RoleBinding: ['subjects', 'roleRef'],
};
export function unknownFields(type: ResourceType, object: KubeObject): readonly string[] {
  if (!isBuiltIn(type) || type.kind === 'Event') return [];
  const known = new Set(['apiVersion', 'kind', 'metadata', ...(TOP_LEVEL[type.kind] ?? ['spec', 'status'])]);
  return Object.keys(object).filter((field) => !known.has(field));
}
