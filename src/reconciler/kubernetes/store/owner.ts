import { annotation, label } from '../../../api/index.ts';
import type { KubeObject } from '../../../kube/types.ts';
import type { Store } from './store.ts';

export interface Owned {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}
export interface Owner extends Owned {
  readonly kind: string;
  readonly creationTimestamp?: string | undefined;
  /** Tells the specs as they are from what they were before an edit. */
  readonly edition?: string;
  /** Its user wants fuse pods to leave nodes at once, whoever reads there. */
  readonly placesNow?: boolean;
}

/**
 * Ours by our label, by owner reference, or, for the volume and claim that Fluid or a runtime that is gone left, by Fluid's mark and the
 * claim's name.
 */
export function isOurs(object: KubeObject, owner: Owned, { isRuntime }: Pick<Store, 'isRuntime'>): boolean {
  const { labels, ownerReferences, annotations, namespace } = object.metadata;
  const holder = labels?.[label.owner];
  if (holder === owner.uid || ownerReferences?.some(({ uid }) => uid === owner.uid)) return true;
  if (annotations?.[annotation.createdBy] !== 'fluid' || (holder !== undefined && isRuntime(holder))) return false;
  if (object.kind === 'PersistentVolumeClaim') return namespace === owner.namespace && object.metadata.name === owner.name;
  const claim = (object['spec'] as { claimRef?: { namespace?: string; name?: string } } | undefined)?.claimRef;
  return object.kind === 'PersistentVolume' && claim?.namespace === owner.namespace && claim.name === owner.name;
}

/**
 * What belongs to an earlier runtime of the same kind and name: two of a name cannot be, so that one is gone. Earlier by the clock, since
 * we ourselves might be the ones who see an old runtime still.
 */
export function isLeft({ metadata }: KubeObject, { kind, name, uid, creationTimestamp: born = '' }: Owner): boolean {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  const isPredecessor = owner?.kind === kind && owner.name === name && owner.uid !== uid;
  return isPredecessor && metadata.labels?.[label.owner] === owner.uid && (metadata.creationTimestamp ?? '') <= born;
}

export const ownersInWords = ({ metadata: { labels, ownerReferences } }: KubeObject): string =>
  ownerReferences?.map(({ kind, name }) => `${kind}/${name}`).join(', ') ||
  (labels?.[label.owner] ? `another runtime (uid ${labels[label.owner]})` : 'nobody known');
