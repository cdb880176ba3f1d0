import { backoff, type Clock } from '../../kube/clock.ts';

/** How often one replica writes certificates. */
export interface RenewalPace {
  /** Until it may write again, ms. */
  left(): number;
  /** Called after a write. */
  renewed(): void;
}

/** In a row without a wait: a Secret that is deleted is written again at once. */
const AT_ONCE = 3;
const FIRST_MS = 10_000;
const MOST_MS = 3600_000;
/** After which a renewal is the first of a row. */
const QUIET_MS = 2 * MOST_MS;

/** Two replicas whose clocks differ by months would each replace what the other one wrote, for ever. */
export function createRenewalPace(clock: Clock): RenewalPace {
  let [inRow, last, next] = [0, -Infinity, -Infinity];
  return {
    left: () => Math.max(0, next - clock.monotonic()),
    renewed() {
      const now = clock.monotonic();
      inRow = now - last > QUIET_MS ? 1 : inRow + 1;
      last = now;
      next = inRow < AT_ONCE ? now : now + backoff(inRow - AT_ONCE + 1, clock.random, { firstMs: FIRST_MS, mostMs: MOST_MS });
    },
  };
}
