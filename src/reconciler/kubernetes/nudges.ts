import { annotation } from '../../api/index.ts';
import type { KubeClient } from '../../kube/contract.ts';
import type { Log } from '../../kube/types.ts';
import type { LiveObject } from '../world.ts';
import { ownedKinds } from './kinds.ts';
import type { Store } from './store.ts';

/** Binding takes the controller manager two requests; what is not done by then was forgotten. */
const FIRST_MS = 100;
/** In a burst the controller manager is behind, not forgetful: each claim that waits gives every claim so much more time. */
const EACH_WAITING_MS = 20;
const LONGEST_MS = 10_000;

export interface Nudges {
  /** Has the volume controller look at a claim again, after a moment and only if it is still not bound; each time later. */
  nudge(claim: LiveObject): void;
}

export function createNudges(client: KubeClient, store: Store, now: () => number, log: Log): Nudges {
  const waiting = new Map<string, { tries: number }>();
  return {
    nudge({ metadata: { uid, namespace, name } }) {
      if (waiting.has(uid)) return;
      const entry = { tries: 0 };
      waiting.set(uid, entry);
      later();

      function later(): void {
        setTimeout(look, Math.min(LONGEST_MS, (FIRST_MS + EACH_WAITING_MS * (waiting.size - 1)) * 2 ** entry.tries++)).unref();
      }
      function look(): void {
        const live = store.live('PersistentVolumeClaim', namespace, name);
        if (live?.metadata.uid !== uid || live.status?.['phase'] === 'Bound') {
          waiting.delete(uid);
          return;
        }
        const body = { metadata: { uid, annotations: { [annotation.nudge]: new Date(now()).toISOString() } } };
        client.patch(ownedKinds.PersistentVolumeClaim, { namespace, name }, body, { type: 'merge' }).then(later, (error: unknown) => {
          waiting.delete(uid);
          log.info({ claim: name, namespace, error: String(error) }, 'claim was not nudged');
        });
      }
    },
  };
}
