import { CsiError, status } from './errors.ts';

/** Runs work one at a time for each key; different keys do not wait for each other. */
export interface Locks {
  /** Runs `work` when no other work holds the key. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** The same for a call of the kubelet: a second call for the key fails with ABORTED, as CSI asks, rather than wait. */
  call<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function createLocks(): Locks {
  const last = new Map<string, Promise<unknown>>();
  const calls = new Set<string>();

  async function run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = last.get(key);
    const mine = before === undefined ? work() : before.then(work, work);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  }

  return {
    run,
    async call(key, work) {
      if (calls.has(key)) throw new CsiError(status.ABORTED, `${key}: another call is under way`);
      calls.add(key);
      try {
        return await run(key, work);
      } finally {
        calls.delete(key);
      }
    },
  };
}
