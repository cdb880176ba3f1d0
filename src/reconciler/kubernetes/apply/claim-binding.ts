import { annotation } from '../../../api/index.ts';
import { ignoreNotFound, isNotFound } from '../../../kube/errors.ts';
import { createAlarms } from '../../../kube/turns/alarms.ts';
import type { LiveObject } from '../../world.ts';
import { ownedKinds } from '../../../planning/kinds.ts';
import { BINDER } from '../../../planning/diff/managed-fields.ts';
import type { ClusterContext } from '../cluster-context.ts';
import type { Cluster } from '../../cluster.ts';
import { sourcesOf } from './fresh.ts';

/** In a burst the controller manager is late, and misses nothing. So each claim that waits gives every claim so much more time. */
const EACH_WAITING_MS = 20;
const LONGEST_MS = 10_000;
/** While nudges are rejected: as long as the longest back-off of a pass that fails. */
const LONGEST_REFUSED_MS = 300_000;
/** By then the controller manager has seen every claim in its resync, every 15 s. While it is down, nudges must not be a thousand writes a minute. */
const TRIES = 3;

/** If the volume controller's watches of claims and volumes were apart, it drops the conflicting claim until its resync. */
const COMPLETED_BY_MS = 3000;

/** Writes on a claim that have Kubernetes' volume controller bind it, or see that it is bound. */
export interface ClaimBinding {
  /**
   * Writes on a claim that it and its volume name each other, so that the volume controller writes its phase; nudges the claim if that does
   * not happen.
   * @throws ApiError why this or the last nudge was rejected
   */
  complete(claim: LiveObject): Promise<void>;
  /**
   * Has the volume controller read a claim again, `afterMs` from now and only if it is not bound by then; each time later.
   * @throws ApiError why the last nudge was rejected
   */
  nudge(claim: LiveObject, afterMs: number): void;
}

export function createClaimBinding({
  client,
  store,
  clock,
  signal,
  wake,
}: Pick<ClusterContext, 'client' | 'store' | 'clock' | 'signal' | 'wake'>): ClaimBinding {
  /** By UID of the claim. */
  const waiting = new Map<string, PendingNudge>();
  const alarms = createAlarms((uid) => {
    const entry = waiting.get(uid);
    if (entry) void nudgeUnlessBound(entry);
  }, clock);
  // The next leader has nudges of its own.
  signal?.addEventListener('abort', alarms.clearAll, { once: true });

  async function patch({ metadata: { uid, namespace, name } }: LiveObject, annotations: Readonly<Record<string, string>>): Promise<void> {
    const options = { type: 'merge', fieldManager: BINDER } as const;
    store.remember(await client.patch(ownedKinds.PersistentVolumeClaim, { namespace, name }, { metadata: { uid, annotations } }, options));
  }
  const nudged = () => ({ [annotation.nudge]: new Date(clock.wall()).toISOString() });

  function wait(entry: PendingNudge): void {
    // A nudge that is rejected is retried until it is accepted or the claim is bound by other means: the pass reports it.
    if (entry.tries >= TRIES && !entry.refusal) {
      waiting.delete(entry.claim.metadata.uid);
      return;
    }
    const crowd = EACH_WAITING_MS * (waiting.size - 1);
    const longest = entry.refusal ? LONGEST_REFUSED_MS : LONGEST_MS;
    const ms = Math.min(longest, (entry.afterMs + crowd) * 2 ** entry.tries++);
    alarms.set(entry.claim.metadata.uid, ms);
  }
  async function nudgeUnlessBound(entry: PendingNudge): Promise<void> {
    if (signal?.aborted) return;
    const { uid, namespace = '', name } = entry.claim.metadata;
    const live = store.live('PersistentVolumeClaim', namespace, name);
    if (live?.metadata.uid !== uid || live.status?.['phase'] === 'Bound') {
      waiting.delete(uid);
      return;
    }
    const before = entry.refusal;
    entry.refusal = await patch(entry.claim, nudged()).then(
      () => undefined,
      (error: unknown) => (isNotFound(error) ? undefined : { error }),
    );
    if (waiting.get(uid) !== entry) return;
    if (Boolean(before) !== Boolean(entry.refusal)) wake({ namespace, name });
    wait(entry);
  }

  return {
    async complete(claim) {
      const { uid } = claim.metadata;
      const known = waiting.get(uid);
      if (known?.completes) return check(known);
      const entry: PendingNudge = { claim, afterMs: COMPLETED_BY_MS, completes: true, tries: 0 };
      waiting.set(uid, entry);
      wait(entry);
      try {
        // A claim that was lost has the mark already.
        const isLost = claim.status?.['phase'] === 'Lost';
        await patch(claim, { [annotation.bindCompleted]: 'yes', ...(isLost && nudged()) });
      } catch (error) {
        // The next pass retries.
        alarms.clear(uid);
        waiting.delete(uid);
        ignoreNotFound(error);
      }
    },
    nudge(claim, afterMs) {
      const { uid } = claim.metadata;
      const known = waiting.get(uid);
      if (known) return check(known);
      const entry: PendingNudge = { claim, afterMs, completes: false, tries: 0 };
      waiting.set(uid, entry);
      wait(entry);
    },
  };
}

function check({ refusal }: PendingNudge): void {
  if (refusal) throw refusal.error;
}

interface PendingNudge {
  readonly claim: LiveObject;
  readonly afterMs: number;
  readonly completes: boolean;
  tries: number;
  /** Why the last nudge was rejected. */
  refusal?: { readonly error: unknown } | undefined;
}

/** Writes which claim the volume names, so that it can be bound to a claim that was created again. */
export function claimReference({ client, store, confirmed }: Pick<ClusterContext, 'client' | 'store' | 'confirmed'>): Cluster['release'] {
  return async (world, volume, seen, to) => {
    await confirmed([...sourcesOf(world), seen]);
    const body = {
      metadata: { resourceVersion: volume.metadata.resourceVersion },
      spec: { claimRef: { uid: to?.metadata.uid ?? null, resourceVersion: to?.metadata.resourceVersion ?? null } },
    };
    // As a manager of its own: the next apply of the volume does not send these fields, and would remove them as its own.
    const options = { type: 'merge', fieldManager: BINDER } as const;
    store.remember(await client.patch(ownedKinds.PersistentVolume, volume.metadata, body, options));
  };
}
