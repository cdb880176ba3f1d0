import { annotation, type VerifiedFuse, verifiedFuseIn, verifiedFuseOn, verifiedFuseText } from '../../../api/index.ts';
import type { KubeObject } from '../../../kube/types.ts';
import type { Owned } from '../store/owner.ts';
import type { Store } from '../store/store.ts';

/**
 * Fuse DaemonSets that are as they were rendered, by value. Whoever may write DaemonSets can forge their names, owners, annotations and the
 * ownership of their fields, and neither UID nor generation. The webhook makes privileged containers from these alone (decision 37).
 */
export interface VerifiedFuses {
  /** Whether exactly this spec was verified, for the manifest with this hash. */
  isVerified(owner: Owned, live: KubeObject, hash: string): boolean;
  /** It is the answer to a write of ours that leaves nothing of others, or was compared by value in both directions. */
  verified(owner: Owned, rendered: KubeObject, object: KubeObject, hash: string): void;
  /** Annotations of the volume, by which the webhook and the next process know it; undefined if this process has verified none. */
  recordOf(owner: Owned): Readonly<Record<string, string>> | undefined;
  forget(owner: string): void;
}

export function createVerifiedFuses(store: Pick<Store, 'inventory'>): VerifiedFuses {
  /** By UID of the owner, then by name. */
  const known = new Map<string, Map<string, Known>>();

  /** What an earlier process has recorded. */
  function recorded(owner: Owned): VerifiedFuse | undefined {
    const texts = store.inventory(owner).flatMap((object) => {
      const text = object.kind === 'PersistentVolume' ? verifiedFuseOn(object).fuse : undefined;
      return text === undefined ? [] : [text];
    });
    return verifiedFuseIn(texts[0]);
  }

  return {
    isVerified(owner, { metadata: { name, uid, generation } }, hash) {
      const fuse = known.get(owner.uid)?.get(name)?.fuse ?? recorded(owner);
      return fuse?.name === name && fuse.uid === uid && fuse.generation === generation && fuse.hash === hash;
    },
    verified(owner, rendered, { metadata: { name, uid = '', generation = 0 } }, hash) {
      const fuses = known.get(owner.uid) ?? new Map<string, Known>();
      known.set(owner.uid, fuses.set(name, { fuse: { name, uid, generation, hash }, note: verifiedFuseOn(rendered).note }));
    },
    recordOf(owner) {
      for (const { fuse, note } of known.get(owner.uid)?.values() ?? [])
        if (note !== undefined) return { [annotation.verifiedFuse]: verifiedFuseText(fuse), [annotation.sidecar]: note };
      return undefined;
    },
    forget: (owner) => void known.delete(owner),
  };
}

interface Known {
  readonly fuse: VerifiedFuse;
  /** The SidecarNote that was rendered. A DaemonSet without one has no FUSE clients. */
  readonly note: string | undefined;
}
