/** At most one timer for each key; none of them keeps the process alive. */
export interface Alarms {
  /** Rings once after so many milliseconds; an earlier alarm of the key is cleared. */
  set(key: string, ms: number): void;
  /** The same, unless the key has an alarm that rings as soon. */
  advance(key: string, ms: number): void;
  clear(key: string): void;
  clearAll(): void;
}

export function createAlarms(ring: (key: string) => void, now: () => number): Alarms {
  const alarms = new Map<string, { readonly timer: NodeJS.Timeout; readonly dueAt: number }>();

  function set(key: string, ms: number): void {
    clear(key);
    const rings = () => {
      alarms.delete(key);
      ring(key);
    };
    alarms.set(key, { timer: setTimeout(rings, ms).unref(), dueAt: now() + ms });
  }
  function clear(key: string): void {
    clearTimeout(alarms.get(key)?.timer);
    alarms.delete(key);
  }

  return {
    set,
    advance(key, ms) {
      if ((alarms.get(key)?.dueAt ?? Infinity) > now() + ms) set(key, ms);
    },
    clear,
    clearAll: () => alarms.forEach((_, key) => clear(key)),
  };
}
