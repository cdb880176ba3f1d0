import { annotation, type VerifiedFuse, verifiedFuseIn, verifiedFuseOn, verifiedFuseText } from '../../../api/index.ts';
import type { KubeObject } from '../../../kube/types.ts';
import type { Owned } from '../../../planning/owner.ts';
import type { Store } from '../store/store.ts';

/**
 * Fuse DaemonSets that are as they were rendered, by value. Whoever may write DaemonSets can forge their names, owners, annotations and the
 * ownership of their fields, and neither UID nor generation. The webhook makes privileged containers from these alone (decision 37).
 */
export interface VerifiedFuses {
  /** Whether exactly this spec was verified, for the manifest with this hash. */
  isVerified(owner: Owned, live: KubeObject, hash: string): boolean;
  /** The object is the answer to a write of ours that leaves nothing of others, or was compared by value in both directions. */
  verified(owner: Owned, rendered: KubeObject, object: KubeObject, hash: string): void;
  /** Annotations of the volume, by which the webhook and the next process know it; undefined if this process has verified none. */
  recordOf(owner: Owned): Readonly<Record<string, string>> | undefined;
  forget(owner: string): void;
}

export function createVerifiedFuses(store: Pick<Store, 'inventory'>): VerifiedFuses {
  /** By UID of the owner, then by name. */
  const known = new Map<string, Map<string, Known>>();

  function know(owner: Owned, fuse: VerifiedFuse, note: string | undefined): Known {
    const record = note === undefined ? undefined : { [annotation.verifiedFuse]: verifiedFuseText(fuse), [annotation.sidecar]: note };
    const fuses = known.get(owner.uid) ?? new Map<string, Known>();
    known.set(owner.uid, fuses.set(fuse.name, { fuse, record }));
    return { fuse, record };
  }

  /** The record of an earlier process for this fuse DaemonSet: from now on this process knows it too. */
  function recorded(owner: Owned, name: string): Known | undefined {
    for (const object of store.inventory(owner)) {
      if (object.kind !== 'PersistentVolume') continue;
      const { fuse: text, note } = verifiedFuseOn(object);
      const fuse = verifiedFuseIn(text);
      if (fuse?.name === name) return know(owner, fuse, note);
    }
    return undefined;
  }

  return {
    isVerified(owner, { metadata: { name, uid, generation } }, hash) {
      const fuse = (known.get(owner.uid)?.get(name) ?? recorded(owner, name))?.fuse;
      return fuse !== undefined && fuse.uid === uid && fuse.generation === generation && fuse.hash === hash;
    },
    verified(owner, rendered, { metadata: { name, uid = '', generation = 0 } }, hash) {
      know(owner, { name, uid, generation, hash }, verifiedFuseOn(rendered).note);
    },
    recordOf(owner) {
      for (const { record } of known.get(owner.uid)?.values() ?? []) if (record !== undefined) return record;
      return undefined;
    },
    forget: (owner) => void known.delete(owner),
  };
}

interface Known {
  readonly fuse: VerifiedFuse;
  /** Annotations of the volume. A DaemonSet that was rendered without a SidecarNote has no FUSE clients, and no record. */
  readonly record: Readonly<Record<string, string>> | undefined;
}
