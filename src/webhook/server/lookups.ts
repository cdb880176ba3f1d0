import type { Clock } from '../../kube/clock.ts';
import { createLimiter } from '../../kube/turns/limiter.ts';
import { shareOf } from '../../kube/turns/fair-queue.ts';
import { type KnownObjects, type Unknown, unknownKey } from '../known.ts';
import type { Knowledge } from '../knowledge.ts';
import { deadlineAfter } from './deadline.ts';
import type { AdmissionMetrics } from './metrics.ts';
import { messageOf } from '../../kube/errors.ts';

export type LookedUp = { readonly known: KnownObjects; readonly failed?: undefined } | { readonly failed: string };

/** Admissions that may ask the API server at once: pods that name what does not exist must not use up its patience. */
const AT_ONCE = 16;

/** Reads of objects before a pod is denied, a few at a time, namespaces in turn. One that has waited for too long is not begun. */
export function createLookups(knowledge: Knowledge, metrics: AdmissionMetrics, clock: Clock) {
  const limiter = createLimiter(AT_ONCE, clock, shareOf(AT_ONCE));
  return {
    /**
     * @param namespace of the pod
     * @param withinMs how long the admission can wait
     */
    async read(namespace: string, unknown: readonly Unknown[], withinMs: number): Promise<LookedUp> {
      const deadline = deadlineAfter(withinMs, clock);
      try {
        const known = await deadline.ask(limiter, namespace, (signal) => knowledge.read(unknown, signal));
        metrics.lookedUp('read', unknown.length);
        return { known };
      } catch (error) {
        metrics.lookedUp('failed', unknown.length);
        return { failed: messageOf(error) };
      } finally {
        deadline.end();
      }
    },
  };
}

/** Objects with these keys as `fresh` says, and all others as `base` says. */
export function layered(base: KnownObjects, fresh: KnownObjects, keys: ReadonlySet<string>): KnownObjects {
  const by = (unknown: Unknown): KnownObjects => (keys.has(unknownKey(unknown)) ? fresh : base);
  return {
    claim: (namespace, name) => by({ kind: 'claim', namespace, name }).claim(namespace, name),
    dataset: (namespace, name) => by({ kind: 'dataset', namespace, name }).dataset(namespace, name),
    runtime: base.runtime,
    fuse: (namespace, name) => by({ kind: 'fuse', namespace, name }).fuse(namespace, name),
    volume: (name) => by({ kind: 'volume', name }).volume(name),
  };
}
