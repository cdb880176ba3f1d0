import type { KubeObject } from '../../../kube/types.ts';
import type { Key } from '../../world.ts';
import { claimedBy } from './volumes.ts';

/**
 * Whether an object may belong to something in this namespace: it is in the namespace, it is a volume for a claim there, or it belongs to the
 * whole cluster. Otherwise whoever may create volumes could make another tenant's runtime wait for them.
 */
export const isIn = (object: KubeObject, { namespace }: Pick<Key, 'namespace'>): boolean =>
  (object.metadata.namespace ?? (object.kind === 'PersistentVolume' ? claimedBy(object).namespace : namespace)) === namespace;

export const phaseOf = ({ status }: KubeObject): unknown => (status as { readonly phase?: unknown } | undefined)?.phase;
