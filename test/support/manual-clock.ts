import type { Clock } from '../../src/kube/clock.ts';

/** A clock that a test moves by hand. Chance always falls at its lowest. */
export interface ManualClock extends Clock {
  /** Time goes on by `ms`; what falls due meanwhile runs in order. */
  advance(ms: number): void;
  /** The wall clock alone is set, as NTP or a suspended machine would. */
  setWall(byMs: number): void;
  /** Waits until something waits for exactly `ms`, then lets that time pass. */
  passes(ms: number): Promise<void>;
  /** How long the timers that are set were set for, ms. */
  readonly waits: readonly number[];
}

export function manualClock(startMs = Date.parse('2026-01-02T03:04:05.678Z')): ManualClock {
  const timers = new Set<{ at: number; ms: number; run: () => void }>();
  let elapsed = 1_000;
  let wall = startMs - elapsed;

  function advance(ms: number): void {
    const end = elapsed + ms;
    for (;;) {
      const due = [...timers].filter((timer) => timer.at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (!due) break;
      timers.delete(due);
      elapsed = Math.max(elapsed, due.at);
      due.run();
    }
    elapsed = end;
  }

  return {
    wall: () => wall + elapsed,
    monotonic: () => elapsed,
    random: () => 0,
    after(ms, run) {
      const timer = { at: elapsed + ms, ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance,
    setWall(byMs) {
      wall += byMs;
    },
    async passes(ms) {
      await until(() => [...timers].some((timer) => timer.ms === ms && timer.at > elapsed), `nothing waits for ${ms} ms`);
      advance(ms);
    },
    get waits() {
      return [...timers].map(({ ms }) => ms);
    },
  };
}

// Before a test fakes them.
const { setTimeout: realTimeout, performance: realPerformance } = globalThis;
const realNow = realPerformance.now.bind(realPerformance);

/** Waits, in real time, for something that other processes or sockets bring about. The cap is for what hangs, not for what is slow. */
export async function until(isSo: () => boolean, otherwise: string, withinMs = 25_000): Promise<void> {
  const end = realNow() + withinMs;
  while (!isSo()) {
    if (realNow() > end) throw new Error(otherwise);
    await new Promise((resolve) => realTimeout(resolve, 2));
  }
}

/** Long enough for what must not happen to have happened. */
export const aMoment = (ms = 30): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
