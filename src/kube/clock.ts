/** Time and chance as arguments, so that tests decide them. */
export interface Clock {
  /**
   * Ms since the epoch. It can be set back, and it goes on while the machine is suspended. Only for timestamps that are written to objects,
   * or compared with timestamps of objects.
   */
  wall(): number;
  /** Ms since any fixed moment, for all durations. It never goes back, but may stand still while the machine is suspended. */
  monotonic(): number;
  /** Runs `run` once, `ms` from now. Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Uniform in [0, 1). */
  random(): number;
}

/** For what only measures durations. */
export type Monotonic = Pick<Clock, 'monotonic'>;
/** For what only waits. */
export type Waits = Pick<Clock, 'after'>;
/** For what does both. */
export type Timers = Monotonic & Waits;

/** A longer timer of Node.js would ring at once. */
const LONGEST_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    const left = ms - LONGEST_MS;
    let cancel = (): void => clearTimeout(timer);
    const goOn = () => (cancel = systemClock.after(left, run));
    const timer = setTimeout(left > 0 ? goOn : run, Math.min(ms, LONGEST_MS));
    return () => cancel();
  },
  random: () => Math.random(),
};

/** Waits `ms`; rejects with the signal's reason as soon as it is aborted. */
export function sleep(clock: Waits, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    const abort = () => {
      cancel();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** The result of `work`; undefined when it takes longer than `ms`. */
export async function within<T>(clock: Waits, ms: number, work: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const cancel = clock.after(ms, () => late.resolve(undefined));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancel();
  }
}

/** For how long a value has been the same. */
export interface Steadiness<T> {
  /** Ms since it was first asked with this value, and with no other since. */
  ofMs(value: T): number;
  /** The next value counts as another one. */
  forget(): void;
}

export function createSteadiness<T>(clock: Monotonic): Steadiness<T> {
  let last: { readonly value: T; readonly since: number } | undefined;
  return {
    ofMs(value) {
      if (last?.value !== value) last = { value, since: clock.monotonic() };
      return clock.monotonic() - last.since;
    },
    forget: () => void (last = undefined),
  };
}

/**
 * How long to wait before the next try, in ms: doubles from 200 ms to 30 s, and somewhere in the upper half of
 * that, so that clients which failed together do not return together.
 *
 * @param failures how many tries failed in a row, from 1
 */
export function backoff(failures: number, random: () => number, { firstMs = 200, mostMs = 30_000 } = {}): number {
  const most = Math.min(mostMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return most * (0.5 + random() / 2);
}

/** A time in ms since the epoch, in the format of Kubernetes' objects: RFC 3339, in seconds and UTC. */
export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
