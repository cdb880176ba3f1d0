import type { Clock } from './clock.ts';
import { createTurnstile } from './turnstile.ts';

/**
 * Who may send, and when: at most `slots` requests at a time, of namespaces one each in turn, and nobody while the server
 * asked for quiet. Waiting here rather than inside undici means that a request's timeout and its fencing are counted
 * from the moment it is really sent.
 *
 * After a quiet time half as many may send at once, and one more for each round that goes well, as in TCP (RFC 5681 §3.1): whoever
 * comes back with all that was turned away is turned away again, and for longer.
 */
export interface Gate {
  /** Resolves when the caller holds a slot; rejects with the signal's reason. What is of no namespace is a group of its own. */
  enter(signal?: AbortSignal, namespace?: string): Promise<void>;
  /** @param namespace the one that it entered with */
  leave(namespace?: string): void;
  /** Nobody enters for `ms`; pauses do not add up, the longest counts. Refusals of one round are one refusal. */
  pause(ms: number): void;
}

/** @param mostOfOne slots that one namespace may hold */
export function createGate(slots: number, clock: Clock, mostOfOne = slots): Gate {
  const line = createTurnstile<() => void>(mostOfOne);
  let inside = 0;
  let limit = slots;
  let openAt = 0;
  let cancelWake: (() => void) | undefined;

  function admit(): void {
    const pause = openAt - clock.elapsed();
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
    enter(signal, namespace = '') {
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
    leave(namespace = '') {
      inside--;
      line.leave(namespace);
      if (clock.elapsed() >= openAt) limit = Math.min(slots, limit + 1 / limit);
      admit();
    },
    pause(ms) {
      const now = clock.elapsed();
      if (now >= openAt) limit = Math.max(1, limit / 2);
      openAt = Math.max(openAt, now + ms);
    },
  };
}

/** A place in a gate that is lost by who does not get on for `patienceMs`: then he goes on beside those whose turn it is. */
export interface Place {
  /** He got on. */
  renew(): void;
  leave(): void;
}

export async function takePlace(gate: Gate, clock: Clock, patienceMs: number, signal?: AbortSignal): Promise<Place> {
  await gate.enter(signal);
  let isOver = false;
  let cancel = clock.after(patienceMs, leave);
  function leave(): void {
    cancel();
    if (!isOver) gate.leave();
    isOver = true;
  }
  return {
    renew() {
      cancel();
      if (!isOver) cancel = clock.after(patienceMs, leave);
    },
    leave,
  };
}
