import type { KubeObject } from '../../../kube/types.ts';
import type { Key } from '../../world.ts';

/** Whether an object may belong to something in this namespace: it is in the namespace, or belongs to the whole cluster. */
export const isIn = ({ metadata }: KubeObject, { namespace }: Pick<Key, 'namespace'>): boolean =>
  (metadata.namespace ?? namespace) === namespace;

export const phaseOf = ({ status }: KubeObject): unknown => (status as { readonly phase?: unknown } | undefined)?.phase;
