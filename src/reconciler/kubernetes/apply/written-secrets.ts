import type { Monotonic } from '../../../kube/clock.ts';
import type { KubeClient } from '../../../kube/contract.ts';
import { isNotFound } from '../../../kube/errors.ts';
import { keptOf } from '../../status/kept.ts';
import type { Kept, LiveObject, DesiredObject } from '../../world.ts';
import { Secret } from '../../../planning/kinds.ts';
import { SECRET_FRESH_MS } from '../plans/needed-secrets.ts';
import type { Owner } from '../../../planning/owner.ts';

/** Reads of the Secrets that the controller writes, which it does not watch. Of a Secret no more than a hash, a time, and what keeps it is known. */
export interface WrittenSecrets {
  /** The Secret as it is; `unchanged` if the same content was looked at within the last second. */
  read(owner: Owner, desired: DesiredObject): Promise<LiveObject | 'unchanged' | undefined>;
  /** The finalizers of a Secret that is being deleted, as last read. */
  kept(owner: Owner, name: string): readonly Kept[];
  /** The next `read` of this Secret asks the API server. */
  expire(owner: Owner, name: string): void;
  /** Forgets the Secrets of an owner. */
  forget(uid: string): void;
}

interface Read {
  /** Hash of what was rendered. */
  readonly hash: string;
  readonly at: number;
  readonly kept: readonly Kept[];
}

export function createWrittenSecrets(client: Pick<KubeClient, 'get'>, clock: Monotonic): WrittenSecrets {
  // By UID of the owner, then by name.
  const reads = new Map<string, Map<string, Read>>();
  return {
    async read(owner, { name, hash }) {
      const ofOwner = reads.get(owner.uid) ?? new Map<string, Read>();
      const last = ofOwner.get(name);
      if (last?.hash === hash && clock.monotonic() - last.at < SECRET_FRESH_MS) return 'unchanged';
      const read = { hash, at: clock.monotonic(), kept: [] };
      reads.set(owner.uid, ofOwner.set(name, read));
      const found = await client.get(Secret, { namespace: owner.namespace, name }).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        ofOwner.delete(name);
        throw error;
      });
      const kept = keptOf(found);
      if (kept.length > 0) ofOwner.set(name, { ...read, kept });
      // The cast: it was read from the API server.
      return found as LiveObject | undefined;
    },
    kept: ({ uid }, name) => reads.get(uid)?.get(name)?.kept ?? [],
    expire: ({ uid }, name) => void reads.get(uid)?.delete(name),
    forget: (uid) => void reads.delete(uid),
  };
}
