import type { Timers } from '../clock.ts';

/** At most one timer for each key. */
export interface Alarms {
  /** Rings once after so many milliseconds; an earlier alarm of the key is cleared. */
  set(key: string, ms: number): void;
  /** The same, unless the key has an alarm that rings as soon. */
  advance(key: string, ms: number): void;
  clear(key: string): void;
  clearAll(): void;
}

export function createAlarms(ring: (key: string) => void, clock: Timers): Alarms {
  const alarms = new Map<string, { readonly cancel: () => void; readonly dueAt: number }>();

  function set(key: string, ms: number): void {
    clear(key);
    const rings = () => {
      alarms.delete(key);
      ring(key);
    };
    alarms.set(key, { cancel: clock.after(ms, rings), dueAt: clock.monotonic() + ms });
  }
  function clear(key: string): void {
    alarms.get(key)?.cancel();
    alarms.delete(key);
  }

  return {
    set,
    advance(key, ms) {
      if ((alarms.get(key)?.dueAt ?? Infinity) > clock.monotonic() + ms) set(key, ms);
    },
    clear,
    clearAll: () => alarms.forEach((_, key) => clear(key)),
  };
}
