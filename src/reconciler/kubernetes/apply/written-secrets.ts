import type { Monotonic } from '../../../kube/clock.ts';
import type { KubeClient } from '../../../kube/contract.ts';
import { isNotFound } from '../../../kube/errors.ts';
import type { LiveObject, Outline } from '../../world.ts';
import { Secret } from '../kinds.ts';
import { SECRET_FRESH_MS } from '../plans/needed-secrets.ts';
import type { Owner } from '../store/owner.ts';

/** Reads of the Secrets that the controller writes, which it does not watch. Of a Secret no more than a hash and a time is kept. */
export interface WrittenSecrets {
  /** The Secret as it is; `unchanged` if the same content was looked at within the last second. */
  read(owner: Owner, outline: Outline): Promise<LiveObject | 'unchanged' | undefined>;
  /** The next `read` of this Secret asks the API server. */
  expire(owner: Owner, name: string): void;
  /** Forgets the Secrets of an owner. */
  forget(uid: string): void;
}

export function createWrittenSecrets(client: Pick<KubeClient, 'get'>, clock: Monotonic): WrittenSecrets {
  // By UID of the owner, then by name; the hash is that of what was rendered.
  const reads = new Map<string, Map<string, { readonly hash: string; readonly at: number }>>();
  return {
    async read(owner, { name, hash }) {
      const ofOwner = reads.get(owner.uid) ?? new Map<string, { readonly hash: string; readonly at: number }>();
      const last = ofOwner.get(name);
      if (last?.hash === hash && clock.monotonic() - last.at < SECRET_FRESH_MS) return 'unchanged';
      reads.set(owner.uid, ofOwner.set(name, { hash, at: clock.monotonic() }));
      return (await client.get(Secret, { namespace: owner.namespace, name }).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        ofOwner.delete(name);
        throw error;
        // The cast: it was read from the API server.
      })) as LiveObject | undefined;
    },
    expire: ({ uid }, name) => void reads.get(uid)?.delete(name),
    forget: (uid) => void reads.delete(uid),
  };
}
