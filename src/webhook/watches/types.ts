import { type CustomResource, Dataset, GROUP, VERSION } from '../../api/index.ts';
import { type ResourceType, resourceType } from '../../kube/types.ts';

/** A kind of runtime. */
export type RuntimeKind = Pick<CustomResource, 'plural' | 'kind'>;

/** The type of a kind of ours. */
export const ours = ({ plural, kind, namespaced = true }: RuntimeKind & { readonly namespaced?: boolean }): ResourceType => ({
  group: GROUP,
  version: VERSION,
  plural,
  kind,
  namespaced,
});

export const CLAIM = resourceType('', 'PersistentVolumeClaim', 'persistentvolumeclaims');
export const VOLUME = resourceType('', 'PersistentVolume', 'persistentvolumes', false);
export const CONFIG_MAP = resourceType('', 'ConfigMap', 'configmaps');
export const DAEMON_SET = resourceType('apps', 'DaemonSet', 'daemonsets');
export const DATASET = ours(Dataset);
