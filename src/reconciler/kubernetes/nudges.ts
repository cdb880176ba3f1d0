import { annotation } from '../../api/index.ts';
import type { LiveObject } from '../world.ts';
import { ownedKinds } from './kinds.ts';
import { BINDER } from './managed-fields.ts';
import type { Parts } from './parts.ts';

/** In a burst the controller manager is behind, not forgetful. So each claim that waits gives every claim so much more time. */
const EACH_WAITING_MS = 20;
const LONGEST_MS = 10_000;
/** By then the resync of the controller manager, every 15 s, looks at every claim; and one that is down is not to find a thousand writes a minute. */
const TRIES = 3;

/** Should the volume controller's own two views have been apart when it was told: it drops what conflicts until its resync. */
const COMPLETED_BY_MS = 3000;

export interface Nudges {
  /** Says on a claim that it and its volume name each other, which has the volume controller write its phase; and nudges it if it does not. */
  complete(claim: LiveObject): void;
  /** Has the volume controller look at a claim again, after a while and only if it is still not bound; each time later. */
  nudge(claim: LiveObject, afterMs: number): void;
}

export function createNudges({ client, store, now, log, signal }: Pick<Parts, 'client' | 'store' | 'now' | 'log' | 'signal'>): Nudges {
  const waiting = new Map<string, Waiting>();

  async function patch({ metadata: { uid, namespace, name } }: LiveObject, annotations: Readonly<Record<string, string>>): Promise<void> {
    const options = { type: 'merge', fieldManager: BINDER } as const;
    store.remember(await client.patch(ownedKinds.PersistentVolumeClaim, { namespace, name }, { metadata: { uid, annotations } }, options));
  }
  const nudged = () => ({ [annotation.nudge]: new Date(now()).toISOString() });

  function wait(entry: Waiting): void {
    if (entry.tries === TRIES) {
      waiting.delete(entry.claim.metadata.uid);
      return;
    }
    const crowd = EACH_WAITING_MS * (waiting.size - 1);
    entry.timer = setTimeout(() => look(entry), Math.min(LONGEST_MS, (entry.afterMs + crowd) * 2 ** entry.tries++)).unref();
  }
  function look(entry: Waiting): void {
    // The next reign has nudges of its own.
    if (signal?.aborted) return;
    const { uid, namespace, name } = entry.claim.metadata;
    const live = store.live('PersistentVolumeClaim', namespace, name);
    if (live?.metadata.uid !== uid || live.status?.['phase'] === 'Bound') {
      waiting.delete(uid);
      return;
    }
    patch(entry.claim, nudged()).then(
      () => waiting.get(uid) === entry && wait(entry),
      (error: unknown) => {
        if (waiting.get(uid) === entry) waiting.delete(uid);
        log.info({ claim: name, namespace, error: String(error) }, 'claim was not nudged');
      },
    );
  }

  return {
    complete(claim) {
      const { uid } = claim.metadata;
      const known = waiting.get(uid);
      if (known?.completes) return;
      clearTimeout(known?.timer);
      const entry: Waiting = { claim, afterMs: COMPLETED_BY_MS, completes: true, tries: 0 };
      waiting.set(uid, entry);
      wait(entry);
      // One that was lost has the mark already.
      const isLost = claim.status?.['phase'] === 'Lost';
      patch(claim, { [annotation.bindCompleted]: 'yes', ...(isLost && nudged()) }).catch((error: unknown) =>
        // A nudge will do instead.
        log.info({ claim: claim.metadata.name, namespace: claim.metadata.namespace, error: String(error) }, 'claim was not completed'),
      );
    },
    nudge(claim, afterMs) {
      const { uid } = claim.metadata;
      const known = waiting.get(uid);
      if (known) return;
      const entry: Waiting = { claim, afterMs, completes: false, tries: 0 };
      waiting.set(uid, entry);
      wait(entry);
    },
  };
}

interface Waiting {
  readonly claim: LiveObject;
  readonly afterMs: number;
  readonly completes: boolean;
  tries: number;
  timer?: NodeJS.Timeout;
}
