import { type CustomResource, GROUP, type Manifest, VERSION } from '../api/index.ts';
import type { Role, WorkloadKind } from '../constructs/index.ts';
import { LEASE } from '../kube/lease/lease-record.ts';
import { type ResourceType, resourceType } from '../kube/types.ts';

/** The kinds that a runtime or an operation may consist of. Inventory and prune handle no other kind. */
export const ownedKinds = {
  ConfigMap: resourceType('', 'ConfigMap', 'configmaps'),
  Service: resourceType('', 'Service', 'services'),
  ServiceAccount: resourceType('', 'ServiceAccount', 'serviceaccounts'),
  Role: resourceType('rbac.authorization.k8s.io', 'Role', 'roles'),
  RoleBinding: resourceType('rbac.authorization.k8s.io', 'RoleBinding', 'rolebindings'),
  StatefulSet: resourceType('apps', 'StatefulSet', 'statefulsets'),
  DaemonSet: resourceType('apps', 'DaemonSet', 'daemonsets'),
  PersistentVolume: resourceType('', 'PersistentVolume', 'persistentvolumes', false),
  PersistentVolumeClaim: resourceType('', 'PersistentVolumeClaim', 'persistentvolumeclaims'),
  Job: resourceType('batch', 'Job', 'jobs'),
  CronJob: resourceType('batch', 'CronJob', 'cronjobs'),
} as const;
/** Owned as well, but never listed or watched: the right to list Secrets is the right to read them all. */
export const Secret = resourceType('', 'Secret', 'secrets');
export const Pod = resourceType('', 'Pod', 'pods');
export const Node = resourceType('', 'Node', 'nodes', false);
export const Event = resourceType('', 'Event', 'events');

export const workloadKind = (role: Role) => (role === 'fuse' ? 'DaemonSet' : 'StatefulSet');

export const typeOf = ({ kind: name, plural, namespaced }: CustomResource): ResourceType => ({
  group: GROUP,
  version: VERSION,
  plural,
  kind: name,
  namespaced,
});

/** A kind of Fluid that holds pods. */
export const workloadType = (workload: WorkloadKind): ResourceType => ({ ...workload, namespaced: true });

/** The type of an object of an installation: the plural by the rules of English, which hold for every kind there. */
export function typeOfManifest({ apiVersion, kind, metadata: { namespace } }: Manifest): ResourceType {
  if (kind === LEASE.kind) return LEASE;
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const word = kind.toLowerCase();
  const plural = word.endsWith('y') ? `${word.slice(0, -1)}ies` : word.endsWith('s') ? `${word}es` : `${word}s`;
  return { group, version, plural, kind, namespaced: namespace !== undefined };
}

/** The type of an object that a runtime rendered. Throws an Error for a kind that runtimes may not create. */
export function ownedType(name: string): ResourceType {
  const type = name === 'Secret' ? Secret : ownedKinds[name as keyof typeof ownedKinds];
  if (!type)
    throw new Error(`a runtime rendered an object of kind ${name}: expected one of ${Object.keys(ownedKinds).join(', ')} or Secret`);
  return type;
}

/** Annotation that kubectl writes: the whole object once more, as text. No plan reads it, and no store keeps it. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
