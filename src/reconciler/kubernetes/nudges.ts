import { annotation } from '../../api/index.ts';
import type { KubeClient } from '../../kube/contract.ts';
import type { Log } from '../../kube/types.ts';
import type { LiveObject } from '../world.ts';
import { ownedKinds } from './kinds.ts';
import type { Store } from './store.ts';

/** In a burst the controller manager is behind, not forgetful: each claim that waits gives every claim so much more time. */
const EACH_WAITING_MS = 20;
const LONGEST_MS = 10_000;

export interface Nudges {
  /** Has the volume controller look at a claim again, after a while and only if it is still not bound; each time later. */
  nudge(claim: LiveObject, afterMs: number): void;
}

export function createNudges(client: KubeClient, store: Store, now: () => number, log: Log): Nudges {
  const waiting = new Map<string, Waiting>();

  function wait(entry: Waiting): void {
    const crowd = EACH_WAITING_MS * (waiting.size - 1);
    entry.timer = setTimeout(() => look(entry), Math.min(LONGEST_MS, (entry.afterMs + crowd) * 2 ** entry.tries++)).unref();
  }
  function look(entry: Waiting): void {
    const { uid, namespace, name } = entry.claim.metadata;
    const live = store.live('PersistentVolumeClaim', namespace, name);
    if (live?.metadata.uid !== uid || live.status?.['phase'] === 'Bound') {
      waiting.delete(uid);
      return;
    }
    const body = { metadata: { uid, annotations: { [annotation.nudge]: new Date(now()).toISOString() } } };
    client.patch(ownedKinds.PersistentVolumeClaim, { namespace, name }, body, { type: 'merge' }).then(
      () => waiting.get(uid) === entry && wait(entry),
      (error: unknown) => {
        if (waiting.get(uid) === entry) waiting.delete(uid);
        log.info({ claim: name, namespace, error: String(error) }, 'claim was not nudged');
      },
    );
  }

  return {
    nudge(claim, afterMs) {
      const { uid } = claim.metadata;
      const known = waiting.get(uid);
      // Further on than when we last looked, it should be done sooner.
      if (known && known.afterMs <= afterMs) return;
      clearTimeout(known?.timer);
      const entry: Waiting = { claim, afterMs, tries: 0 };
      waiting.set(uid, entry);
      wait(entry);
    },
  };
}

interface Waiting {
  readonly claim: LiveObject;
  readonly afterMs: number;
  tries: number;
  timer?: NodeJS.Timeout;
}
