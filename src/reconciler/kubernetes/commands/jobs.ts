import type { Answered } from '../../../constructs/index.ts';
import type { Log } from '../../../kube/types.ts';
import { messageOf } from '../../failures.ts';
import { createTurns } from './turns.ts';

/** What is known of something that runs beside the loop. */
export interface Job<T> {
  readonly running: boolean;
  readonly value?: T;
  readonly error?: string;
  /** Milliseconds since the epoch; of the last start, waiting for its turn included, and of the last end. */
  readonly startedAt?: number;
  readonly endedAt?: number;
}
/** When a job is to be done, and among whose it waits for its turn. */
export interface Due {
  readonly namespace: string;
  readonly version: string;
  readonly everyMs: number;
}
export interface Jobs {
  /**
   * The job of this name, whose last part is its sort: a few of each sort run at a time, of each namespace one in turn. It is started when
   * it never ran for this `version` or ended longer than `everyMs` ago; when it ends, `onEnd` is called.
   * A value from another version is not given, neither to the caller nor to `work`, which gets the last one.
   */
  ask<T>(name: string, due: Due, work: (before?: Answered<T>) => Promise<T>, onEnd: () => void): Job<T>;
  /** Of a job whose versions are numbers: how far it has come. */
  state(name: string): { readonly attempts: number; readonly running: boolean; readonly done: boolean; readonly error?: string };
  drop(prefix: string): void;
}

interface Last {
  readonly value: unknown;
  readonly at: number;
}

const AT_ONCE = 8;

/**
 * Execs are slow and may hang, so they run beside the loop, a few at a time; the loop sees what they found.
 *
 * @param signal aborted when we lead no longer: what waits for its turn is never begun, and nobody is woken any more
 */
export function createJobs(now: () => number, log: Log, signal?: AbortSignal): Jobs {
  const jobs = new Map<string, { version: string; job: Job<unknown>; last?: Last | undefined }>();
  const turns = new Map<string, ReturnType<typeof createTurns>>();
  /** Counting the files of some takes half an hour, which the mounts of others do not wait for. */
  function turnOf(name: string) {
    const sort = name.slice(name.lastIndexOf('/') + 1);
    const turn = turns.get(sort) ?? createTurns(AT_ONCE);
    turns.set(sort, turn);
    return turn;
  }
  return {
    ask<T>(name: string, { namespace, version, everyMs }: Due, work: (before?: Answered<T>) => Promise<T>, onEnd: () => void): Job<T> {
      const known = jobs.get(name);
      if (known?.job.running) return known.version === version ? (known.job as Job<T>) : { running: true };
      const isCurrent = known?.version === version;
      if (isCurrent && now() - (known.job.endedAt ?? 0) < everyMs) return known.job as Job<T>;
      const entry = {
        version,
        job: { ...(isCurrent ? known.job : {}), running: true, startedAt: now() } as Job<unknown>,
        last: isCurrent ? known.last : undefined,
      };
      jobs.set(name, entry);
      const isWanted = () => !signal?.aborted && jobs.get(name) === entry;
      void turnOf(name)(namespace, async () => (isWanted() ? work(answered(entry.last)) : undefined)).then(
        (value) => end({ running: false, value, endedAt: now() }),
        (error: unknown) => {
          if (!isWanted()) return;
          const text = messageOf(error);
          log.warn({ job: name, error: text }, 'command failed');
          end({ running: false, error: text, endedAt: now() });
        },
      );
      return entry.job as Job<T>;

      // The cast: entries of one name hold values of one type.
      function answered(last: Last | undefined): Answered<T> | undefined {
        return last && { value: last.value as T, ageMs: now() - last.at };
      }
      function end(job: Job<unknown>): void {
        if (!isWanted()) return;
        entry.job = job;
        if (job.error === undefined) entry.last = { value: job.value, at: now() };
        onEnd();
      }
    },
    state(name) {
      const known = jobs.get(name);
      if (!known) return { attempts: 0, running: false, done: false };
      const { running, error } = known.job;
      return { attempts: Number(known.version), running, done: !running && error === undefined, ...(error !== undefined && { error }) };
    },
    drop(prefix) {
      for (const name of jobs.keys()) if (name.startsWith(prefix)) jobs.delete(name);
    },
  };
}
