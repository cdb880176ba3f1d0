import { controllerOf, isFluids, isOwnedBy, managerOf, ownersOf, ownerUid } from '../api/index.ts';
import type { KubeObject } from '../kube/types.ts';
import type { Key } from './key.ts';
import { claimedBy } from './volumes.ts';

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
 * threat-model: R-fluid-script
 */
export function isOurs(object: KubeObject, owner: Owned, { isOwner }: { isOwner(uid: string): boolean }): boolean {
  const { annotations, namespace } = object.metadata;
  const holder = ownerUid(object);
  if (holder === owner.uid || isOwnedBy(object, owner.uid)) return true;
  if (object.kind === 'ConfigMap' && ownersOf(object).length === 0 && holder === undefined && managerOf(object) === 'fluid')
    return namespace === owner.namespace && (annotations?.[HELM_RELEASE] ?? '').startsWith(`${owner.name}-`);
  if (!isFluids(object) || (holder !== undefined && isOwner(holder))) return false;
  if (object.kind === 'PersistentVolumeClaim') return namespace === owner.namespace && object.metadata.name === owner.name;
  const claim = (object['spec'] as { claimRef?: { namespace?: string; name?: string } } | undefined)?.claimRef;
  return object.kind === 'PersistentVolume' && claim?.namespace === owner.namespace && claim.name === owner.name;
}

/**
 * Whether an object belongs to an earlier runtime of the same kind and name, which cannot exist beside this one. Earlier by creation time,
 * since it may be this controller that still sees an old runtime.
 */
export function isLeft(object: KubeObject, { kind, name, uid, creationTimestamp: born = '' }: Owner): boolean {
  const owner = controllerOf(object);
  const isPredecessor = owner?.kind === kind && owner.name === name && owner.uid !== uid;
  return isPredecessor && ownerUid(object) === owner.uid && (object.metadata.creationTimestamp ?? '') <= born;
}

/**
 * Whether an object was made for a runtime or an operation of another cluster, and a restore tool has made it again here: its label names
 * nobody, and it has no owner. Whatever the controller makes has one, but for volumes and claims, which are adopted (`isOurs`).
 *
 * @param isOwner whether a runtime or an operation has this UID
 */
export function isCopy(object: KubeObject, { isOwner }: { isOwner(uid: string): boolean }): boolean {
  const holder = ownerUid(object);
  if (holder === undefined || isOwner(holder) || ownersOf(object).length > 0) return false;
  return object.kind !== 'PersistentVolume' && object.kind !== 'PersistentVolumeClaim';
}

export const ownersInWords = (object: KubeObject): string =>
  ownersOf(object)
    .map(({ kind, name }) => `${kind}/${name}`)
    .join(', ') || (ownerUid(object) ? `another runtime (uid ${ownerUid(object)})` : 'no known owner');

/**
 * Whether an object may belong to something in this namespace: it is in the namespace, it is a volume for a claim there, or it belongs to the
 * whole cluster. Otherwise whoever may create volumes could make another tenant's runtime wait for them.
 */
export const isIn = (object: KubeObject, { namespace }: Pick<Key, 'namespace'>): boolean =>
  (object.metadata.namespace ?? (object.kind === 'PersistentVolume' ? claimedBy(object).namespace : namespace)) === namespace;
