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
  /** Changes with each edit of the specs. */
  readonly edition?: string;
  /** The user wants fuse pods to leave nodes at once, although pods read there. */
  readonly placesNow?: boolean;
}

const HELM_RELEASE = 'meta.helm.sh/release-name';

/**
 * Whether an object belongs to this owner: by its label, by owner reference, or, for the volume and claim that Fluid or a deleted runtime
 * left, by Fluid's mark and the claim's name. Fluid's scripts of an operation have no owner, but the name of its helm release.
 */
export function isOurs(object: KubeObject, owner: Owned, { isOwner }: Pick<Store, 'isOwner'>): boolean {
  const { labels, ownerReferences, annotations, namespace } = object.metadata;
  const holder = labels?.[label.owner];
  if (holder === owner.uid || ownerReferences?.some(({ uid }) => uid === owner.uid)) return true;
  if (object.kind === 'ConfigMap' && !ownerReferences?.length && holder === undefined && labels?.[label.managedBy] === 'fluid')
    return namespace === owner.namespace && (annotations?.[HELM_RELEASE] ?? '').startsWith(`${owner.name}-`);
  if (annotations?.[annotation.createdBy] !== 'fluid' || (holder !== undefined && isOwner(holder))) return false;
  if (object.kind === 'PersistentVolumeClaim') return namespace === owner.namespace && object.metadata.name === owner.name;
  const claim = (object['spec'] as { claimRef?: { namespace?: string; name?: string } } | undefined)?.claimRef;
  return object.kind === 'PersistentVolume' && claim?.namespace === owner.namespace && claim.name === owner.name;
}

/**
 * Whether an object belongs to an earlier runtime of the same kind and name, which cannot exist beside this one. Earlier by creation time,
 * since it may be this controller that still sees an old runtime.
 */
export function isLeft({ metadata }: KubeObject, { kind, name, uid, creationTimestamp: born = '' }: Owner): boolean {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  const isPredecessor = owner?.kind === kind && owner.name === name && owner.uid !== uid;
  return isPredecessor && metadata.labels?.[label.owner] === owner.uid && (metadata.creationTimestamp ?? '') <= born;
}

export const ownersInWords = ({ metadata: { labels, ownerReferences } }: KubeObject): string =>
  ownerReferences?.map(({ kind, name }) => `${kind}/${name}`).join(', ') ||
  (labels?.[label.owner] ? `another runtime (uid ${labels[label.owner]})` : 'no known owner');
