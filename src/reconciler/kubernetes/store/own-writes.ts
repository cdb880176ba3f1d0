import { ownerUid } from '../../../api/index.ts';
import type { Change, Reflector } from '../../../kube/watch/reflector.ts';
import type { KubeObject } from '../../../kube/types.ts';
import { createGroups } from './groups.ts';

/** What the controller itself wrote or found, until the watch shows it. */
export interface OwnWrites {
  /** The object as the watch shows it, or as the controller knows it to be by now. */
  newest(kind: string, watched: Watched | undefined, namespace: string | undefined, name: string): KubeObject | undefined;
  /** What was kept of exactly this version when a write was answered with it. */
  kept(object: KubeObject): KubeObject | undefined;
  /**
   * The watch shows a change: what it has caught up with is forgotten. Returns whether it shows exactly a version of ours,
   * and nothing that others have written since it last showed the object.
   */
  settle(change: Change<KubeObject>, kind: string): boolean;
  /** The answer to a write. */
  remember(object: KubeObject, watched: Watched): void;
  /** What a read found: others have written it, so that its event is no echo. */
  found(object: KubeObject, watched: Watched): void;
  /** A read found that the object does not exist. */
  forget(object: KubeObject, watched: Watched): void;
  /** What was remembered of the owner with this UID, some of it perhaps shown by now: `newest` decides. */
  of(uid: string): readonly KubeObject[];
  /** How many objects the watches do not show yet. */
  readonly size: number;
}
type Watched = Pick<Reflector<KubeObject>, 'get' | 'status'>;

/** @param project what is kept of an object */
export function createOwnWrites(project: (object: KubeObject, before?: KubeObject) => KubeObject): OwnWrites {
  const recent = new Map<string, KubeObject>();
  /** Those of `recent` that exist, by the UID of their owner: while a watch hangs, there may be thousands of others. */
  const owned = createGroups<KubeObject>();
  /** Of `recent`: the newest version that a read found, and the watch has not shown. Later writes of ours may stand on it. */
  const unshown = new Map<string, number>();

  function set(id: string, ours: KubeObject): void {
    remove(id);
    recent.set(id, ours);
    const owner = ownerUid(ours);
    if (owner !== undefined && !ours.metadata['gone']) owned.set(owner, ours);
  }
  function drop(id: string): void {
    unshown.delete(id);
    remove(id);
  }
  function remove(id: string): void {
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

  function remember(object: KubeObject, watched: Watched): void {
    const { kind, metadata } = object;
    const seen = watched.get(metadata.namespace, metadata.name);
    const before = recent.get(idOf(kind, metadata.namespace, metadata.name)) ?? seen;
    keep(project(object, before && isSameObject(before, object) ? before : undefined), seen, watched);
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
    kept(object) {
      const { kind, metadata } = object;
      const ours = recent.size > 0 ? recent.get(idOf(kind, metadata.namespace, metadata.name)) : undefined;
      return ours && isSameObject(ours, object) && version(ours) === version(object) ? ours : undefined;
    },
    settle({ type, object }, kind) {
      if (recent.size === 0) return false;
      const id = idOf(kind, object.metadata.namespace, object.metadata.name);
      const ours = recent.get(id);
      if (!ours) return false;
      const isEcho = type !== 'deleted' && version(object) === version(ours) && !unshown.has(id);
      if (version(object) >= (unshown.get(id) ?? Infinity)) unshown.delete(id);
      if (hasPassed(type, object, ours)) drop(id);
      return isEcho;
    },
    remember,
    found(object, watched) {
      const id = idOf(object.kind, object.metadata.namespace, object.metadata.name);
      const before = recent.get(id);
      // A write of ours may have been answered since the read was.
      if (before && version(object) <= version(before)) return;
      remember(object, watched);
      if (recent.has(id)) unshown.set(id, version(object));
    },
    forget(object, watched) {
      const { metadata } = object;
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
  // The creation of what is gone may still have to come.
  if (ours.metadata['gone']) return seen ? seen.metadata.uid === ours.metadata.uid : upTo < version(ours);
  return Math.max(seen ? version(seen) : 0, upTo) < version(ours);
}

/** Whether an event shows as much as is kept. Others may have changed an object before they deleted it: what is gone stays gone until that is shown. */
function hasPassed(type: Change<KubeObject>['type'], shown: KubeObject, ours: KubeObject): boolean {
  const isSame = shown.metadata.uid === ours.metadata.uid;
  if (type === 'deleted') return isSame;
  return ours.metadata['gone'] ? !isSame : version(shown) >= version(ours);
}

/** In any version. An object that was found to be deleted is never the same. */
const isSameObject = (kept: KubeObject, object: KubeObject): boolean =>
  kept.metadata.uid === object.metadata.uid && kept.metadata['gone'] === undefined;

const idOf = (kind: string, namespace: string | undefined, name: string): string => `${kind}/${namespace ?? ''}/${name}`;

// Kubernetes 1.35 made resourceVersions comparable by documentation; they always were by construction (etcd revisions).
const version = (object: KubeObject): number => Number(object.metadata.resourceVersion);
