import { type KubeObject, type ResourceType, resourceType } from '../kube/types.ts';
import type { NameRule } from './schema/names.ts';

/** Traits of one of Kubernetes' own kinds, besides its name. */
interface Traits {
  /** As `kubectl api-resources` lists them. */
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** The status is written by a path of its own. With the status of a new object, if it has one. */
  readonly status?: true | { readonly phase: string };
  /** Edits are counted in `metadata.generation`; by the `PrepareForUpdate` of its registry, few kinds have that. */
  readonly generation?: true;
  /** Whether the kind has the subresource scale. */
  readonly scale?: true;
  /** The finalizer that the admission plugin StorageObjectInUseProtection sets. */
  readonly finalizer?: string;
  /** The rule for names. Default: a DNS subdomain. */
  readonly named?: NameRule;
  /** The top-level fields. Default: `spec` and `status`. */
  readonly fields?: readonly string[] | 'any';
}

const ADMISSION = 'admissionregistration.k8s.io';
const RBAC = 'rbac.authorization.k8s.io';

export const Namespace = resourceType('', 'Namespace', 'namespaces', false);
export const ResourceQuota = resourceType('', 'ResourceQuota', 'resourcequotas');
export const CustomResourceDefinition = resourceType(
  'apiextensions.k8s.io',
  'CustomResourceDefinition',
  'customresourcedefinitions',
  false,
);
export const MutatingWebhookConfiguration = resourceType(ADMISSION, 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', false);

const ALL = { categories: ['all'] } as const;
const EXTENSIONS = { categories: ['api-extensions'] } as const;
const WORKLOAD = { ...ALL, status: true, generation: true } as const;

const STORAGE_CLASS = [
  'provisioner',
  'parameters',
  'reclaimPolicy',
  'mountOptions',
  'allowVolumeExpansion',
  'volumeBindingMode',
  'allowedTopologies',
];
/** Nothing acts on most of them: `sluice install` or people write them. */
const KINDS: readonly (readonly [type: ResourceType, traits?: Traits])[] = [
  [resourceType('', 'ConfigMap', 'configmaps'), { shortNames: ['cm'], fields: ['data', 'binaryData', 'immutable'] }],
  [resourceType('', 'Event', 'events'), { shortNames: ['ev'], fields: 'any' }],
  [Namespace, { shortNames: ['ns'], named: 'label', status: { phase: 'Active' } }],
  [resourceType('', 'Node', 'nodes', false), { shortNames: ['no'], status: true }],
  [
    resourceType('', 'PersistentVolume', 'persistentvolumes', false),
    { shortNames: ['pv'], status: { phase: 'Pending' }, finalizer: 'kubernetes.io/pv-protection' },
  ],
  [
    resourceType('', 'PersistentVolumeClaim', 'persistentvolumeclaims'),
    { shortNames: ['pvc'], status: { phase: 'Pending' }, finalizer: 'kubernetes.io/pvc-protection' },
  ],
  [resourceType('', 'Pod', 'pods'), { ...ALL, shortNames: ['po'], status: { phase: 'Pending' }, generation: true }],
  [ResourceQuota, { shortNames: ['quota'], status: true }],
  [resourceType('', 'Secret', 'secrets'), { fields: ['data', 'stringData', 'immutable', 'type'] }],
  [resourceType('', 'Service', 'services'), { ...ALL, shortNames: ['svc'], status: true, named: 'service' }],
  [
    resourceType('', 'ServiceAccount', 'serviceaccounts'),
    { shortNames: ['sa'], fields: ['secrets', 'imagePullSecrets', 'automountServiceAccountToken'] },
  ],
  [resourceType('apps', 'DaemonSet', 'daemonsets'), { ...WORKLOAD, shortNames: ['ds'] }],
  [resourceType('apps', 'Deployment', 'deployments'), { ...WORKLOAD, shortNames: ['deploy'], scale: true }],
  [resourceType('apps', 'ReplicaSet', 'replicasets'), { ...WORKLOAD, shortNames: ['rs'], scale: true }],
  [resourceType('apps', 'StatefulSet', 'statefulsets'), { ...WORKLOAD, shortNames: ['sts'], scale: true }],
  [resourceType('batch', 'CronJob', 'cronjobs'), { ...WORKLOAD, shortNames: ['cj'] }],
  [resourceType('batch', 'Job', 'jobs'), WORKLOAD],
  [resourceType('coordination.k8s.io', 'Lease', 'leases')],
  [resourceType('networking.k8s.io', 'NetworkPolicy', 'networkpolicies'), { shortNames: ['netpol'], generation: true }],
  [resourceType('policy', 'PodDisruptionBudget', 'poddisruptionbudgets'), { shortNames: ['pdb'], status: true, generation: true }],
  [
    resourceType('scheduling.k8s.io', 'PriorityClass', 'priorityclasses', false),
    { shortNames: ['pc'], fields: ['value', 'globalDefault', 'description', 'preemptionPolicy'] },
  ],
  [resourceType('storage.k8s.io', 'CSIDriver', 'csidrivers', false)],
  [resourceType('storage.k8s.io', 'StorageClass', 'storageclasses', false), { shortNames: ['sc'], fields: STORAGE_CLASS }],
  [resourceType(RBAC, 'ClusterRole', 'clusterroles', false), { named: 'path', fields: ['rules', 'aggregationRule'] }],
  [resourceType(RBAC, 'ClusterRoleBinding', 'clusterrolebindings', false), { named: 'path', fields: ['subjects', 'roleRef'] }],
  [resourceType(RBAC, 'Role', 'roles'), { named: 'path', fields: ['rules'] }],
  [resourceType(RBAC, 'RoleBinding', 'rolebindings'), { named: 'path', fields: ['subjects', 'roleRef'] }],
  [CustomResourceDefinition, { ...EXTENSIONS, shortNames: ['crd', 'crds'], status: true, generation: true }],
  [MutatingWebhookConfiguration, { ...EXTENSIONS, generation: true, fields: ['webhooks'] }],
  [resourceType(ADMISSION, 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies', false), { ...EXTENSIONS, generation: true }],
  [
    resourceType(ADMISSION, 'ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings', false),
    { ...EXTENSIONS, generation: true },
  ],
];

/** Kinds that exist without a CustomResourceDefinition. */
export const builtInKinds: readonly ResourceType[] = KINDS.map(([type]) => type);

const traits = new Map(KINDS.map(([type, of]) => [type.kind, of ?? {}]));
/** Nothing for custom resources, and for kinds that are not in the table. */
export const traitsOf = (type: ResourceType): Traits => (isBuiltIn(type) && traits.get(type.kind)) || {};

/** Groups of Kubernetes itself have no dot, or are its own. */
export const isBuiltIn = ({ group }: ResourceType): boolean => !group.includes('.') || group.endsWith('.k8s.io');

/** Whether status is written by its own path only; custom resources here all have the subresource. */
export const hasStatus = (type: ResourceType): boolean => !isBuiltIn(type) || traitsOf(type).status !== undefined;

export const countsEdits = (type: ResourceType): boolean => !isBuiltIn(type) || traitsOf(type).generation === true;

/** An object with the status of a new one; a status that was sent is dropped. */
export function withFirstStatus(type: ResourceType, object: KubeObject): KubeObject {
  if (!hasStatus(type) || type.kind === 'Node') return object;
  const { status: _, ...rest } = object;
  const { status } = traitsOf(type);
  return { ...rest, ...(typeof status === 'object' && { status }) } as KubeObject;
}

/** The admission plugin StorageObjectInUseProtection. */
export function protectedFromLoss(type: ResourceType, object: KubeObject): KubeObject {
  const { finalizer } = traitsOf(type);
  const { finalizers = [] } = object.metadata;
  if (!finalizer || finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
}

/** Fields of an object at the top that its kind does not have; deeper ones are not looked at. Custom resources have their schemas. */
export function unknownFields(type: ResourceType, object: KubeObject): readonly string[] {
  const { fields = ['spec', 'status'] } = traitsOf(type);
  if (!isBuiltIn(type) || fields === 'any') return [];
  const known = new Set(['apiVersion', 'kind', 'metadata', ...fields]);
  return Object.keys(object).filter((field) => !known.has(field));
}
