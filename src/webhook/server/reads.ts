import type { Clock } from '../../kube/clock.ts';
import { shareOf } from '../../kube/turns/fair-queue.ts';
import { createLimiter } from '../../kube/turns/limiter.ts';
import type { KubeObject, Log } from '../../kube/types.ts';
import type { Find } from '../validation/judge.ts';
import { deadlineAfter } from './deadline.ts';
import type { ReadOther } from '../watches/other-halves.ts';
import type { ValidationMetrics } from './validation-metrics.ts';
import { messageOf } from '../../kube/errors.ts';

/** Reads at once, of all validations. */
const AT_ONCE = 16;
/** Objects that one validation may read. */
const MOST_READ = 16;

/** Reads of other objects, a few at a time, namespaces in turn. */
export function createReads(read: ReadOther, metrics: Pick<ValidationMetrics, 'read'>, log: Log, clock: Clock) {
  const limiter = createLimiter(AT_ONCE, clock, shareOf(AT_ONCE));
  return {
    /**
     * Reads for one validation: each object once, and none after its time. An object that cannot be read counts as none.
     * @param group its namespace
     * @param turn resolves when it may compute again
     */
    within(ms: number, group: string, turn?: () => Promise<unknown>): { readonly find: Find; end(): void } {
      const deadline = deadlineAfter(ms, clock);
      const known = new Map<string, Promise<KubeObject | undefined>>();

      async function answered(kind: string, namespace: string | undefined, ask: NonNullable<ReturnType<ReadOther>>) {
        let found: KubeObject | undefined;
        try {
          found = await deadline.ask(limiter, group, ask);
          metrics.read('read');
        } catch (error) {
          metrics.read('failed');
          log.warn({ kind, namespace, error: messageOf(error) }, 'an object is judged without another');
        }
        // Several may have been answered at once.
        await turn?.();
        return found;
      }

      return {
        async find(kind, namespace, name) {
          const key = JSON.stringify([kind, namespace, name]);
          const before = known.get(key);
          if (before) return before;
          const ask = known.size < MOST_READ && !deadline.isOver ? read(kind, namespace, name) : undefined;
          if (!ask) return undefined;
          const found = answered(kind, namespace, ask);
          known.set(key, found);
          return found;
        },
        end: deadline.end,
      };
    },
  };
}
