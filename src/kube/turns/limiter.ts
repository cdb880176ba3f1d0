import type { Timers } from '../clock.ts';
import { createFairQueue } from './fair-queue.ts';

/**
 * Limits concurrent requests: at most `slots` at a time, namespaces in turn, and none while the server asked for a pause. Waiting here
 * rather than inside undici means that the timeout and the fencing of a request count from when it is really sent.
 *
 * After a pause half as many may be sent at once, and one more for each round that succeeds, as in TCP (RFC 5681 §3.1): a client that
 * retries everything at once is rejected again, and for longer.
 */
export interface Limiter {
  /** Resolves when the caller holds a slot; rejects with the signal's reason. Requests without a namespace are a group of their own. */
  acquire(signal?: AbortSignal, namespace?: string): Promise<void>;
  /** @param namespace the one that the slot was acquired with */
  release(namespace?: string): void;
  /** No slot is acquired for `ms`. Pauses do not add up: the longest counts, and those of one round count once. */
  pause(ms: number): void;
}

/** @param mostOfOne slots that one namespace may hold */
export function createLimiter(slots: number, clock: Timers, mostOfOne = slots): Limiter {
  const line = createFairQueue<() => void>(mostOfOne);
  let inside = 0;
  let limit = slots;
  let openAt = 0;
  let cancelWake: (() => void) | undefined;

  function admit(): void {
    const pause = openAt - clock.monotonic();
    if (pause > 0) {
      if (line.waiting > 0) cancelWake ??= clock.after(pause, wake);
      return;
    }
    while (inside < Math.floor(limit)) {
      const go = line.shift();
      if (!go) return;
      inside++;
      go();
    }
  }

  function wake(): void {
    cancelWake = undefined;
    admit();
  }

  return {
    acquire(signal, namespace = '') {
      if (signal?.aborted) return Promise.reject(signal.reason);
      return new Promise((resolve, reject) => {
        const go = () => {
          signal?.removeEventListener('abort', giveUp);
          resolve();
        };
        const giveUp = () => {
          line.remove(namespace, go);
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', giveUp, { once: true });
        line.push(namespace, go);
        admit();
      });
    },
    release(namespace = '') {
      inside--;
      line.leave(namespace);
      if (clock.monotonic() >= openAt) limit = Math.min(slots, limit + 1 / limit);
      admit();
    },
    pause(ms) {
      const now = clock.monotonic();
      if (now >= openAt) limit = Math.max(1, limit / 2);
      openAt = Math.max(openAt, now + ms);
    },
  };
}

/** A slot that its holder loses after `patienceMs` without progress; the holder then goes on beside the next one. */
export interface Slot {
  /** The holder made progress. */
  renew(): void;
  release(): void;
}

export async function takeSlot(
  limiter: Limiter,
  clock: Timers,
  patienceMs: number,
  { signal, namespace }: { readonly signal?: AbortSignal; readonly namespace?: string } = {},
): Promise<Slot> {
  await limiter.acquire(signal, namespace);
  let isOver = false;
  let cancel = clock.after(patienceMs, release);
  function release(): void {
    cancel();
    if (!isOver) limiter.release(namespace);
    isOver = true;
  }
  return {
    renew() {
      cancel();
      if (!isOver) cancel = clock.after(patienceMs, release);
    },
    release,
  };
}
