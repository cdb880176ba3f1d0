import { backoff, type Clock, sleep } from '../../kube/clock.ts';
import { isAlreadyExists, isConflict, mayPass, messageOf } from '../../kube/errors.ts';
import type { Contribution } from './step.ts';
import { Stopped } from './stopped.ts';

const POLL_MS = 500;
/** An API server that restarts answers again sooner. */
const PATIENCE_MS = 60_000;
/** Writes that succeed, and never have the effect that they should have. */
const MOST_ALIKE = 5;

/** How long a run waits, and how often it tries again. */
export const createPace = (clock: Clock, signal: AbortSignal | undefined) => ({
  ...createTries(clock, signal),
  ...createLimits(clock, signal),
});

/** Requests that are tried again. */
function createTries(clock: Clock, signal: AbortSignal | undefined) {
  const writes = { since: 0, failures: 0 };

  /** Waits for the next try, or gives up. */
  async function again(tries: typeof writes, error: unknown, what: string): Promise<void> {
    if (tries.failures === 0) tries.since = clock.monotonic();
    tries.failures++;
    if (clock.monotonic() - tries.since >= PATIENCE_MS) throw new Stopped([`${what}: ${messageOf(error)}`], { cause: error });
    await sleep(
      clock,
      backoff(tries.failures, () => clock.random()),
      signal,
    );
  }

  return {
    /** The result of a read, which is repeated while the API server does not answer. */
    async retried<T>(read: () => Promise<T>): Promise<T> {
      for (const reads = { since: 0, failures: 0 }; ; ) {
        signal?.throwIfAborted();
        try {
          return await read();
        } catch (error) {
          if (!mayPass(error)) throw error;
          await again(reads, error, 'the cluster cannot be read');
        }
      }
    },
    /** Whether a write succeeded; false: the cluster has to be read again. */
    async written(write: () => Promise<unknown>, what: string): Promise<boolean> {
      signal?.throwIfAborted();
      try {
        await write();
        writes.failures = 0;
        return true;
      } catch (error) {
        const isPassing = mayPass(error) || isConflict(error) || isAlreadyExists(error);
        if (!isPassing) throw new Stopped([`cannot ${what}: ${messageOf(error)}`], { cause: error });
        await again(writes, error, `cannot ${what}`);
        return false;
      }
    },
  };
}

/** Waits that end, and writes without effect. */
function createLimits(clock: Clock, signal: AbortSignal | undefined) {
  let wait: { readonly what: string; readonly since: number } | undefined;
  /** How often each was done, in the whole run: who undoes it may let others be done in between. */
  const times = new Map<string, number>();
  return {
    acted(actions: readonly string[], undoneBy: readonly string[] = []): void {
      const what = actions.join('; ');
      wait = undefined;
      const count = (times.get(what) ?? 0) + 1;
      times.set(what, count);
      if (count > MOST_ALIKE) throw new Stopped([`tried ${MOST_ALIKE} times without lasting effect: ${what}`, ...undoneBy]);
    },
    /** Waits for a moment. @returns true, at once, if an optional wait has lasted long enough @throws Stopped if another one has */
    async isOver(
      { waitsFor = '', because, withinMs = 0, isOptional }: Contribution,
      title: string,
      tookMs: number,
      say?: (what: string) => void,
    ): Promise<boolean> {
      const what = isOptional ? title : waitsFor;
      if (wait?.what !== what) {
        wait = { what, since: clock.monotonic() };
        say?.(waitsFor);
      }
      if (clock.monotonic() - wait.since >= withinMs) {
        if (isOptional) return true;
        throw new Stopped([`waited ${withinMs / 1000} s in vain until ${waitsFor}${because === undefined ? '' : `: ${because}`}`]);
      }
      // The reading of a large cluster takes long, and costs the API server much.
      await sleep(clock, Math.max(POLL_MS, 2 * tookMs), signal);
      return false;
    },
  };
}
