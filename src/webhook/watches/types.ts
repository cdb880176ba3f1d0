import { type CustomResource, Dataset, GROUP, VERSION } from '../../api/index.ts';
import type { ResourceType } from '../../kube/types.ts';

/** A kind of runtime. */
export type RuntimeKind = Pick<CustomResource, 'plural' | 'kind'>;

const core = (plural: string, kind: string, namespaced = true): ResourceType => ({ group: '', version: 'v1', plural, kind, namespaced });
const ours = ({ plural, kind }: RuntimeKind): ResourceType => ({ group: GROUP, version: VERSION, plural, kind, namespaced: true });

export const CLAIM = core('persistentvolumeclaims', 'PersistentVolumeClaim');
export const VOLUME = core('persistentvolumes', 'PersistentVolume', false);
export const CONFIG_MAP = core('configmaps', 'ConfigMap');
export const DAEMON_SET: ResourceType = { group: 'apps', version: 'v1', plural: 'daemonsets', kind: 'DaemonSet', namespaced: true };
export const DATASET = ours(Dataset);
export const runtimeResource = ours;
