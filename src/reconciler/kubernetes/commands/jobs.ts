import type { Timers } from '../../../kube/clock.ts';
import { createLimiter, type Limiter, takeSlot } from '../../../kube/turns/limiter.ts';
import type { Answered } from '../../../constructs/index.ts';
import type { Log } from '../../../kube/types.ts';
import { messageOf } from '../../../kube/errors.ts';

/** The state of a job, which runs beside the reconcile loop. */
export interface Job<T> {
  readonly running: boolean;
  readonly value?: T;
  readonly error?: string;
  /** Monotonic, in ms: when it was last asked for, before it waited for its turn, and when it last ended. */
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** In how many ms it is due again. Absent while it runs: its end calls `onEnd`. */
  readonly dueInMs?: number;
}
/** When a job has to run, and the namespace in whose turn it runs. */
export interface Due {
  readonly namespace: string;
  readonly version: string;
  readonly everyMs: number;
}
/** A command due this soon runs at once, together with those due now: one pass asks the pods of a runtime, not one for each command. */
const TOGETHER_MS = 1000;

/** The state of a job. */
export interface JobState {
  /** The job's version as a number: NaN unless the versions of this job count its attempts. */
  readonly attempts: number;
  readonly running: boolean;
  readonly done: boolean;
  readonly error?: string;
  /** How often it failed in a row, with its present version. */
  readonly failures: number;
}
export interface Jobs {
  /**
   * The job `<name>/<sort>`. A few jobs of each sort run at a time, and namespaces take turns. A job is started when it never ran for
   * this `version`, or ended longer than `everyMs` ago; at its end `onEnd` is called. `work` gets the last value of this version, if any;
   * a value of another version is not returned either.
   */
  ask<T>(name: string, due: Due, work: (before?: Answered<T>) => Promise<T>, onEnd: () => void): Job<T>;
  /** The state of the job, also if it was never asked for. */
  state(name: string): JobState;
  drop(prefix: string): void;
}

interface Last {
  readonly value: unknown;
  readonly at: number;
}

/** Commands of one kind, such as probes of caches. */
export const COMMANDS_AT_ONCE = 8;
/** After so long the next one begins, and the slow one goes on beside it: pods that hang delay no other for minutes. */
const TURN_MS = 10_000;

/**
 * Commands in pods are slow and may hang, so they run beside the reconcile loop, a few at a time; the loop reads their last results.
 *
 * @param signal aborted when this process is no longer the leader: jobs that wait for their turn never start, and `onEnd` is not called
 */
export function createJobs(clock: Timers, log: Log, signal?: AbortSignal): Jobs {
  const jobs = new Map<string, { version: string; job: Job<unknown>; failures: number; last?: Last | undefined }>();
  const limiters = new Map<string, Limiter>();
  /** Each sort has its own turns: counting files may take half an hour, and must not delay the mounts of others. */
  async function inTurn<T>(name: string, namespace: string, work: () => Promise<T>): Promise<T> {
    const sort = name.slice(name.lastIndexOf('/') + 1);
    const limiter = limiters.get(sort) ?? createLimiter(COMMANDS_AT_ONCE, clock, Infinity);
    limiters.set(sort, limiter);
    const slot = await takeSlot(limiter, clock, TURN_MS, { namespace });
    return work().finally(slot.release);
  }
  return {
    ask<T>(name: string, { namespace, version, everyMs }: Due, work: (before?: Answered<T>) => Promise<T>, onEnd: () => void): Job<T> {
      const known = jobs.get(name);
      if (known?.job.running) return known.version === version ? (known.job as Job<T>) : { running: true };
      const isCurrent = known?.version === version;
      const dueInMs = isCurrent ? everyMs - (clock.monotonic() - (known.job.endedAt ?? -Infinity)) : 0;
      if (isCurrent && dueInMs > Math.min(TOGETHER_MS, everyMs / 10)) return { ...(known.job as Job<T>), dueInMs };
      const entry = {
        version,
        job: { ...(isCurrent ? known.job : {}), running: true, startedAt: clock.monotonic() } as Job<unknown>,
        failures: isCurrent ? known.failures : 0,
        last: isCurrent ? known.last : undefined,
      };
      jobs.set(name, entry);
      const isWanted = () => !signal?.aborted && jobs.get(name) === entry;
      void inTurn(name, namespace, async () => (isWanted() ? work(answered(entry.last)) : undefined)).then(
        (value) => end({ running: false, value, endedAt: clock.monotonic() }),
        (error: unknown) => {
          if (!isWanted()) return;
          const text = messageOf(error);
          log.warn({ job: name, error: text }, 'command failed');
          end({ running: false, error: text, endedAt: clock.monotonic() });
        },
      );
      return entry.job as Job<T>;

      // The cast: entries of one name hold values of one type.
      function answered(last: Last | undefined): Answered<T> | undefined {
        return last && { value: last.value as T, ageMs: clock.monotonic() - last.at };
      }
      function end(job: Job<unknown>): void {
        if (!isWanted()) return;
        const { startedAt } = entry.job;
        entry.job = { ...job, ...(startedAt !== undefined && { startedAt }) };
        entry.failures = job.error === undefined ? 0 : entry.failures + 1;
        if (job.error === undefined) entry.last = { value: job.value, at: clock.monotonic() };
        onEnd();
      }
    },
    state(name) {
      const known = jobs.get(name);
      if (!known) return { attempts: 0, running: false, done: false, failures: 0 };
      const { failures } = known;
      const { running, error } = known.job;
      return {
        attempts: Number(known.version),
        running,
        done: !running && error === undefined,
        failures,
        ...(error !== undefined && { error }),
      };
    },
    drop(prefix) {
      for (const name of jobs.keys()) if (name.startsWith(prefix)) jobs.delete(name);
    },
  };
}
