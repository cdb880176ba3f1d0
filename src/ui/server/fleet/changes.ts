/** Keys of rows in the order in which they changed, as far back as memory is kept: what a viewer is told who knows an older version. */
export interface ChangeLog {
  /** The number of the latest change. */
  readonly head: number;
  add(key: string): void;
  /** Keys that have changed since, each once; undefined if that is too long ago. */
  since(version: number): ReadonlySet<string> | undefined;
}

/** @param most how many changes are remembered */
export function createChangeLog(most = 20_000): ChangeLog {
  const ring: string[] = [];
  let head = 0;
  return {
    get head() {
      return head;
    },
    add(key) {
      ring[head % most] = key;
      head++;
    },
    since(version) {
      if (version > head || head - version > most) return undefined;
      const keys = new Set<string>();
      for (let i = version; i < head; i++) keys.add(ring[i % most] as string);
      return keys;
    },
  };
}
