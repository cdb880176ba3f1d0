import type { KubeObject } from '../../../kube/types.ts';
import { type Key, keyOfText, keyText, type LiveObject } from '../../world.ts';
import { createGroups } from './groups.ts';
import { isCopy, isIn } from '../../../planning/owner.ts';
import { claimedBy } from '../../../planning/volumes.ts';
import { ownerUid } from '../../../api/index.ts';
import type { Watches } from './watches.ts';

/** Which runtime has which UID, and the objects that carry it in their label `data.fluid.io/owner-uid`. Any user may write that label. */
export interface Inventories {
  /** Objects of other namespaces that carry its UID are dropped: the label may have been seen first. */
  seen(uid: string, runtime: Key): void;
  gone(uid: string): void;
  isOwner(uid: string): boolean;
  /** The runtime that an object belongs to by this UID; undefined if there is none, or if the object is in another namespace. */
  ownerOf(uid: string, object: KubeObject): Key | undefined;
  /** Kept also before its runtime is seen. */
  add(uid: string, object: LiveObject): void;
  remove(uid: string, object: LiveObject): void;
  of(owner: { readonly uid: string; readonly namespace: string }): readonly LiveObject[];
  /** Volumes of runtimes that are gone, by the Dataset whose claim they name. */
  left(key: Key): readonly LiveObject[];
  /** Objects of this namespace that were made in another cluster: nothing here owns them. */
  copies(namespace: string): readonly LiveObject[];
  /** The Datasets that `left` has volumes of. */
  datasetsOfLeft(): readonly Key[];
}

export function createInventories(): Inventories {
  const runtimes = new Map<string, Key>();
  const objects = createGroups<LiveObject>();
  const left = createGroups<LiveObject>();
  /** Objects with a label and without an owner, by namespace: few, since what the controller makes has one. */
  const ownerless = createGroups<LiveObject>();
  const isOwner = (uid: string) => runtimes.has(uid);
  const volumesOf = (uid: string) => objects.of(uid).filter(isVolume);
  return {
    seen(uid, runtime) {
      runtimes.set(uid, runtime);
      for (const each of volumesOf(uid)) left.delete(claimText(each), each);
      for (const each of objects.of(uid)) if (!isIn(each, runtime)) objects.delete(uid, each);
    },
    gone(uid) {
      runtimes.delete(uid);
      for (const each of volumesOf(uid)) left.set(claimText(each), each);
    },
    isOwner,
    ownerOf(uid, object) {
      const runtime = runtimes.get(uid);
      return runtime && isIn(object, runtime) ? runtime : undefined;
    },
    add(uid, object) {
      const runtime = runtimes.get(uid);
      if (!runtime || isIn(object, runtime)) objects.set(uid, object);
      if (!runtime && isVolume(object)) left.set(claimText(object), object);
      if (isCopy(object, { isOwner: () => false })) ownerless.set(object.metadata.namespace ?? '', object);
      else ownerless.delete(object.metadata.namespace ?? '', object);
    },
    remove(uid, object) {
      objects.delete(uid, object);
      if (isVolume(object)) left.delete(claimText(object), object);
      ownerless.delete(object.metadata.namespace ?? '', object);
    },
    of: ({ uid, namespace }) => objects.of(uid).filter((object) => isIn(object, { namespace })),
    left: (key) => left.of(keyText(key)),
    copies: (namespace) => ownerless.of(namespace).filter((object) => isCopy(object, { isOwner })),
    datasetsOfLeft: () => [...left.names()].map(keyOfText),
  };
}

const isVolume = ({ kind }: LiveObject): boolean => kind === 'PersistentVolume';
const claimText = (volume: LiveObject): string => keyText(claimedBy(volume));

/**
 * All that an owner has: as the watches show it, with what the controller wrote or found since. The event of the controller's own write wakes
 * no key. So the next pass must find what a pass created and the next one no longer wants, though no watch shows it yet.
 */
export function newestInventory(watches: Pick<Watches, 'newest' | 'ownWrites'>, { of }: Pick<Inventories, 'of'>): Inventories['of'] {
  return (owner) => {
    const shown = of(owner);
    const own = watches.ownWrites(owner.uid);
    if (!own) return shown;
    const belongs = (object: KubeObject): boolean => ownerUid(object) === owner.uid && isIn(object, owner);
    const newest = [...shown, ...own].flatMap(({ kind, metadata: { namespace, name } }) => watches.newest(kind, namespace, name) ?? []);
    // The cast: what carries the label of an owner is kept with UID and version.
    return [...new Set(newest.filter(belongs))] as unknown as readonly LiveObject[];
  };
}
