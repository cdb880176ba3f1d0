import pLimit, { type LimitFunction } from 'p-limit';
import type { Answered, BoundProbe, Command, Role } from '../../constructs/index.ts';
import type { KubeObject, Log } from '../../kube/types.ts';
import { messageOf } from '../failures.ts';
import type { Question, Where } from '../world.ts';

/** Runs one command in one container; rejects when it cannot be run, ends with another code than 0, or takes too long. */
export type PodExec = (
  where: { readonly namespace: string; readonly pod: string; readonly container: string },
  argv: readonly string[],
  timeoutMs: number,
) => Promise<string>;

/** What is known of something that runs beside the loop. */
export interface Job<T> {
  readonly running: boolean;
  readonly value?: T;
  readonly error?: string;
  /** Milliseconds since the epoch; of the last start, waiting for its turn included, and of the last end. */
  readonly startedAt?: number;
  readonly endedAt?: number;
}
export interface Jobs {
  /**
   * The job of this name, whose last part is its sort: a few of each sort run at a time. It is started when it never ran for this
   * `version` or ended longer than `everyMs` ago; when it ends, `onEnd` is called.
   * A value from another version is not given, neither to the caller nor to `work`, which gets the last one.
   */
  ask<T>(name: string, version: string, everyMs: number, work: (before?: Answered<T>) => Promise<T>, onEnd: () => void): Job<T>;
  /** Of a job whose versions are numbers: how far it has come. */
  state(name: string): { readonly attempts: number; readonly running: boolean; readonly done: boolean; readonly error?: string };
  drop(prefix: string): void;
}

interface Last {
  readonly value: unknown;
  readonly at: number;
}

const AT_ONCE = 8;
/** Of one command that runs in many: each is a connection. */
const PODS_AT_ONCE = 32;
/** Who takes longer goes on beside those whose turn it is: pods of one tenant that hang keep no other waiting for minutes. */
const TURN_MS = 10_000;
const DEFAULT_TIMEOUT_S = 20;

/**
 * Execs are slow and may hang, so they run beside the loop, a few at a time; the loop sees what they found.
 *
 * @param signal aborted when we lead no longer: what waits for its turn is never begun, and nobody is woken any more
 */
export function createJobs(now: () => number, log: Log, signal?: AbortSignal): Jobs {
  const jobs = new Map<string, { version: string; job: Job<unknown>; last?: Last | undefined }>();
  const turns = new Map<string, ReturnType<typeof pLimit>>();
  /** Counting the files of some takes half an hour, which the mounts of others do not wait for. */
  function turnOf(name: string) {
    const sort = name.slice(name.lastIndexOf('/') + 1);
    const turn = turns.get(sort) ?? pLimit(AT_ONCE);
    turns.set(sort, turn);
    return turn;
  }
  return {
    ask<T>(name: string, version: string, everyMs: number, work: (before?: Answered<T>) => Promise<T>, onEnd: () => void): Job<T> {
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
      void inTurn(turnOf(name), async () => (isWanted() ? work(answered(entry.last)) : undefined)).then(
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

export interface PodChoice {
  readonly namespace: string;
  pods(role: Role): readonly KubeObject[];
  /** Asked anew for each run of commands that wants it: a leader may change at any time. */
  readonly leader?: Question<string | undefined> | undefined;
}

/** Commands on the leader were not run, since none of the pods leads. */
export const NO_LEADER = 'none of the pods says that it leads yet';

/** Runs commands one after the other, each in the pods it is for. */
export async function runCommands(exec: PodExec, choice: PodChoice, commands: readonly Command[]): Promise<readonly (readonly string[])[]> {
  const { namespace, pods, leader } = choice;
  const leading = lazy(async () => leader && leader.parse(await runCommands(exec, { namespace, pods }, leader.commands)));
  const answers: (readonly string[])[] = [];
  for (const { in: role, on, container, argv, timeoutSeconds = DEFAULT_TIMEOUT_S, mayFail } of commands) {
    const ready = pods(role).filter((pod) => pod['ready']);
    const name = on === 'leader' ? await leading() : undefined;
    const chosen = choose[on](ready, name);
    if (on === 'leader' && chosen.length === 0) throw new Error(NO_LEADER);
    const mayBeNone = role === 'fuse' && on === 'every';
    if (chosen.length === 0 && !mayBeNone) throw new Error(`no ready ${role} pod to run ${argv[0]} in`);
    const where = (pod: KubeObject) => ({ namespace, pod: pod.metadata.name, container: container ?? String(pod['container']) });
    const asked = await pLimit(PODS_AT_ONCE).map(chosen, async (pod) =>
      exec(where(pod), argv, timeoutSeconds * 1000).catch((error: unknown) => {
        if (!mayFail) throw error;
      }),
    );
    answers.push(asked.filter((answer) => answer !== undefined));
  }
  return answers;
}

const choose: Readonly<Record<Command['on'], (ready: readonly KubeObject[], leader: string | undefined) => readonly KubeObject[]>> = {
  every: (ready) => ready,
  one: (ready) => ready.slice(0, 1),
  first: (ready) => ready.filter(({ metadata }) => metadata.name.endsWith('-0')),
  leader: (ready, leader) => ready.filter(({ metadata }) => metadata.name === leader),
};

/** Whether each command has a pod to run in, or somebody to ask for it; nothing is asked before. */
export function canRun({ namespace, pods, leader }: PodChoice, where: readonly Where[]): boolean {
  return where.every(({ in: role, on }) =>
    on === 'leader'
      ? leader !== undefined && canRun({ namespace, pods }, leader.where ?? leader.commands)
      : choose[on](
          pods(role).filter((pod) => pod['ready']),
          undefined,
        ).length > 0,
  );
}

export const askProbe = async <T>(exec: PodExec, choice: PodChoice, probe: BoundProbe<T>, before?: Answered<T>): Promise<T> =>
  probe.parse(await runCommands(exec, choice, probe.commands), before);

/** Begins when its turn comes, and keeps that until it is done, but no longer than others can be asked to wait. */
const inTurn = <T>(turn: LimitFunction, work: () => Promise<T>): Promise<T> =>
  new Promise((resolve) => {
    void turn(
      () =>
        new Promise<void>((over) => {
          const timer = setTimeout(over, TURN_MS);
          const working = work().finally(() => {
            clearTimeout(timer);
            over();
          });
          resolve(working);
        }),
    );
  });

function lazy<T>(work: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | undefined;
  return () => (begun ??= work());
}
