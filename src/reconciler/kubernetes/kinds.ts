import { type CustomResource, GROUP, VERSION } from '../../api/index.ts';
import type { Role } from '../../constructs/index.ts';
import type { ResourceType } from '../../kube/types.ts';

const kind = (group: string, name: string, plural: string, namespaced = true): ResourceType => ({
  group,
  version: 'v1',
  plural,
  kind: name,
  namespaced,
});

/** Everything that a runtime may be made of. Inventory and prune look at no other kind. */
export const ownedKinds = {
  ConfigMap: kind('', 'ConfigMap', 'configmaps'),
  Service: kind('', 'Service', 'services'),
  ServiceAccount: kind('', 'ServiceAccount', 'serviceaccounts'),
  Role: kind('rbac.authorization.k8s.io', 'Role', 'roles'),
  RoleBinding: kind('rbac.authorization.k8s.io', 'RoleBinding', 'rolebindings'),
  StatefulSet: kind('apps', 'StatefulSet', 'statefulsets'),
  DaemonSet: kind('apps', 'DaemonSet', 'daemonsets'),
  PersistentVolume: kind('', 'PersistentVolume', 'persistentvolumes', false),
  PersistentVolumeClaim: kind('', 'PersistentVolumeClaim', 'persistentvolumeclaims'),
} as const;
/** Owned as well, but never listed nor watched: who can list Secrets can read them all. */
export const Secret = kind('', 'Secret', 'secrets');
export const Pod = kind('', 'Pod', 'pods');
export const Node = kind('', 'Node', 'nodes', false);

export const workloadKind = (role: Role) => (role === 'fuse' ? 'DaemonSet' : 'StatefulSet');

export const typeOf = ({ kind: name, plural, namespaced }: CustomResource): ResourceType => ({
  group: GROUP,
  version: VERSION,
  plural,
  kind: name,
  namespaced,
});

/** The type of an object that a runtime rendered. */
export function ownedType(name: string): ResourceType {
  const type = name === 'Secret' ? Secret : ownedKinds[name as keyof typeof ownedKinds];
  if (!type) throw new Error(`runtimes may not make objects of kind ${name}: it is not in the inventory`);
  return type;
}
