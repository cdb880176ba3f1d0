import type { createTime } from './time.ts';

const real = { Date, performance };

/** Puts virtual time and chance in the place of the real ones. Returns what puts the real ones back. */
export function installTime(time: ReturnType<typeof createTime>, startMs: number, random: () => number): () => void {
  const before = {
    setTimeout,
    clearTimeout,
    setInterval,
    clearInterval,
    setImmediate,
    clearImmediate,
    Date,
    performance,
  };
  const chance = Math.random;
  const wall = () => Math.floor(time.nowOf(time.current()) + (time.current()?.wallAheadMs ?? 0));
  const monotonic = () => time.nowOf(time.current()) - startMs - (time.current()?.suspendedMs ?? 0);

  class VirtualDate extends real.Date {
    constructor(...given: unknown[]) {
      if (given.length === 0) super(wall());
      // The cast: a Date takes every argument.
      else super(...(given as [number]));
    }
    static override now = wall;
  }
  const timer = (ms: number | undefined, run: () => void) => {
    // As Node's: whole milliseconds, and one at least.
    const cancel = time.after(Math.max(1, Math.trunc(ms ?? 1) || 1), run, time.current());
    return handle(cancel);
  };
  const handle = (cancel: () => void) => {
    const self = { cancel, unref: () => self, ref: () => self, hasRef: () => true };
    return self;
  };
  const clear = (given: { cancel?: () => void } | undefined) => given?.cancel?.();
  const virtual = {
    setTimeout: (run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => timer(ms, () => run(...given)),
    clearTimeout: clear,
    setInterval(run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) {
      let cancel = () => {};
      const again = () => {
        cancel = timer(ms, () => {
          again();
          run(...given);
        }).cancel;
      };
      again();
      return handle(() => cancel());
    },
    clearInterval: clear,
    setImmediate: (run: (...given: unknown[]) => void, ...given: unknown[]) => handle(time.after(0, () => run(...given), time.current())),
    clearImmediate: clear,
    Date: VirtualDate,
    performance: { now: monotonic, timeOrigin: startMs },
  };
  Object.assign(globalThis, virtual);
  Object.defineProperty(globalThis, 'performance', { value: virtual.performance, configurable: true, writable: true });
  Math.random = random;
  return () => {
    Object.assign(globalThis, before);
    Object.defineProperty(globalThis, 'performance', { value: real.performance, configurable: true, writable: true });
    Math.random = chance;
  };
}
