import { ownerUid } from '../../../api/index.ts';
import type { ObjectChange, Reflector } from '../../../kube/watch/reflector.ts';
import type { KubeObject } from '../../../kube/types.ts';
import { createGroups } from './groups.ts';

/** The controller's own writes and reads, until the watch shows them. */
export interface OwnWrites {
  /** The object as the watch shows it, or as the controller knows it to be by now. */
  newest(kind: string, watched: Watched | undefined, namespace: string | undefined, name: string): KubeObject | undefined;
  /** The projection of exactly this version, if a write was answered with it. */
  kept(object: KubeObject): KubeObject | undefined;
  /** The watch shows a change: what it has caught up with is forgotten. */
  settle(change: ObjectChange<KubeObject>, kind: string, watched: Watched): Settled;
  /** The watch has read a list: forgets what was deleted before any event showed it, and returns that. @param of the one namespace watched */
  unlisted(kind: string, watched: Watched, of?: string): readonly KubeObject[];
  /** The answer to a write. If that changed nothing, another writer has written just this, and the event of that is an echo too. */
  remember(object: KubeObject, watched: Watched): void;
  /** The answer to a creation. */
  created(object: KubeObject, watched: Watched): void;
  /** Keeps an object that was read: others have written it, so that its event is no echo. */
  found(object: KubeObject, watched: Watched): void;
  /** A read found that the object does not exist. */
  forget(object: KubeObject, watched: Watched): void;
  /** Objects remembered for the owner with this UID. The watch may show some of them by now: `newest` decides. */
  of(uid: string): readonly KubeObject[];
  /** How many objects the watches do not show yet. */
  readonly size: number;
}
type Watched = Pick<Reflector<KubeObject>, 'get' | 'status'>;

export interface Settled {
  /** Whether the event shows exactly a version of ours, and nothing that others have written since the watch last showed the object. */
  readonly isEcho: boolean;
  /** A predecessor, which was deleted before any event showed it. */
  readonly missed?: KubeObject;
}
const NEWS: Settled = { isEcho: false };

/** @param project what is kept of an object */
export function createOwnWrites(project: (object: KubeObject, before?: KubeObject) => KubeObject): OwnWrites {
  const recent = new Map<string, KubeObject>();
  /** Those of `recent` that exist, by the UID of their owner: while a watch hangs, there may be thousands of others. */
  const owned = createGroups<KubeObject>();
  /** Objects that are the answers to writes and to creations. */
  const answers = new WeakSet<KubeObject>();
  const creations = new WeakSet<KubeObject>();

  function set(id: string, ours: KubeObject): void {
    drop(id);
    recent.set(id, ours);
    const owner = ownerUid(ours);
    if (owner !== undefined && !ours.metadata['gone']) owned.set(owner, ours);
  }
  function drop(id: string): void {
    const ours = recent.get(id);
    if (!ours) return;
    recent.delete(id);
    owned.delete(ownerUid(ours) ?? '', ours);
  }

  /** An answer may come after its event, which would then be awaited for ever. */
  function keep(ours: KubeObject, seen: KubeObject | undefined, watched: Watched): void {
    const id = idOf(ours.kind, ours.metadata.namespace, ours.metadata.name);
    if (isBehind(seen, ours, watched.status.resourceVersion)) set(id, ours);
    else drop(id);
  }

  /** Answers come late and in any order: one that is older than what is kept says nothing new, nor does any of an object that is gone. */
  function learn(object: KubeObject, watched: Watched): KubeObject | undefined {
    const { kind, metadata } = object;
    const ours = recent.get(idOf(kind, metadata.namespace, metadata.name));
    if (ours && (version(ours) > version(object) || (ours.metadata['gone'] && ours.metadata.uid === metadata.uid))) return undefined;
    const seen = watched.get(metadata.namespace, metadata.name);
    const before = ours ?? seen;
    const learnt = project(object, before && isSameObject(before, object) ? before : undefined);
    keep(learnt, seen, watched);
    return learnt;
  }

  function answered(object: KubeObject, watched: Watched, ...as: readonly WeakSet<KubeObject>[]): void {
    const learnt = learn(object, watched);
    if (learnt) for (const each of as) each.add(learnt);
  }

  function kept(object: KubeObject): KubeObject | undefined {
    const { kind, metadata } = object;
    const ours = recent.size > 0 ? recent.get(idOf(kind, metadata.namespace, metadata.name)) : undefined;
    return ours && isSameObject(ours, object) && version(ours) === version(object) ? ours : undefined;
  }

  return {
    newest(kind, watched, namespace, name) {
      const seen = watched?.get(namespace, name);
      // Nearly always, and thousands of pods come and go.
      if (recent.size === 0) return seen;
      const id = idOf(kind, namespace, name);
      const ours = recent.get(id);
      if (!ours) return seen;
      if (isBehind(seen, ours, watched?.status.resourceVersion)) return ours.metadata['gone'] ? undefined : ours;
      // An answer may come after its event, and even after that of the object's deletion. What the watch has passed, it knows better.
      drop(id);
      return seen;
    },
    kept,
    settle({ type, object }, kind, watched) {
      if (recent.size === 0) return NEWS;
      const id = idOf(kind, object.metadata.namespace, object.metadata.name);
      const ours = recent.get(id);
      if (!ours) return NEWS;
      const isOfList = watched.status.resourceVersion === undefined;
      const isPassed = hasPassed(type, object, ours, isOfList);
      if (isPassed) drop(id);
      if (isPassed && ours.metadata.uid !== object.metadata.uid) return { isEcho: false, missed: ours };
      // A watch shows each version, but a list only the last, and a selection none before the object was in it: others may have written the
      // one on which our write stands.
      const showsEach = !isOfList && (type === 'changed' || creations.has(ours));
      return { isEcho: type !== 'deleted' && version(object) === version(ours) && answers.has(ours) && showsEach };
    },
    unlisted(kind, watched, of) {
      return [...recent].flatMap(([id, ours]) => {
        const { namespace, name } = ours.metadata;
        const seen = watched.get(namespace, name);
        if (ours.kind !== kind || (of !== undefined && of !== namespace) || isBehind(seen, ours, watched.status.resourceVersion)) return [];
        drop(id);
        return seen ? [] : [ours];
      });
    },
    remember: (object, watched) => answered(object, watched, answers),
    created: (object, watched) => answered(object, watched, answers, creations),
    found(object, watched) {
      // A write of ours may have been answered with this version.
      if (!kept(object)) learn(object, watched);
    },
    forget(object, watched) {
      const { kind, metadata } = object;
      const ours = recent.get(idOf(kind, metadata.namespace, metadata.name));
      // The answer comes late: a successor is known.
      if (ours && ours.metadata.uid !== metadata.uid && version(ours) > version(object)) return;
      keep({ ...object, metadata: { ...metadata, gone: true } }, watched.get(metadata.namespace, metadata.name), watched);
    },
    of: owned.of,
    get size() {
      return recent.size;
    },
  };
}

/** Whether the watch does not show yet what was written, or found to be deleted. */
export function isBehind(seen: KubeObject | undefined, ours: KubeObject, watchedUpTo: string | undefined): boolean {
  const upTo = Number(watchedUpTo ?? 0);
  // The creation of what is gone may still have to come, and the deletion of its predecessor.
  if (ours.metadata['gone']) return seen ? seen.metadata.uid === ours.metadata.uid || version(seen) < version(ours) : upTo < version(ours);
  return Math.max(seen ? version(seen) : 0, upTo) < version(ours);
}

/**
 * Whether an event shows as much as is kept. Others may have changed an object before they deleted it: what is gone stays gone until that is
 * shown. One that left the selection of a watch may be in it again. What a list lacks is reported as it was last seen.
 */
function hasPassed(type: ObjectChange<KubeObject>['type'], shown: KubeObject, ours: KubeObject, isOfList: boolean): boolean {
  const isSame = shown.metadata.uid === ours.metadata.uid;
  if (type === 'deleted') return isSame && (isOfList || version(shown) >= version(ours));
  return version(shown) >= version(ours) && !(ours.metadata['gone'] && isSame);
}

/** In any version. An object that was found to be deleted is never the same. */
const isSameObject = (kept: KubeObject, object: KubeObject): boolean =>
  kept.metadata.uid === object.metadata.uid && kept.metadata['gone'] === undefined;

const idOf = (kind: string, namespace: string | undefined, name: string): string => `${kind}/${namespace ?? ''}/${name}`;

// Kubernetes 1.35 made resourceVersions comparable by documentation; they always were by construction (etcd revisions).
const version = (object: KubeObject): number => Number(object.metadata.resourceVersion);
