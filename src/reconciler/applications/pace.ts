import { sidecar as names } from '../../api/sidecars.ts';
import { backoff } from '../../kube/clock.ts';
import type { Sidecar } from './sidecars-to-stop.ts';

/** How far the stop of a sidecar is. */
export interface Progress {
  /** Of the start of the container that the last command ran in. */
  readonly id: string;
  /** Commands that were executed, and how many of them were signals. */
  readonly tries: number;
  readonly signals: number;
  /** An unmount has succeeded. */
  readonly isUnmounted: boolean;
  /** A signal has reached its processes. */
  readonly isSignalled: boolean;
  /** Milliseconds of the clock: the next command comes no sooner. Infinity while one has not ended. */
  readonly dueAt: number;
}
export const NOTHING_DONE: Omit<Progress, 'id' | 'dueAt'> = { tries: 0, signals: 0, isUnmounted: false, isSignalled: false };
export type Step = 'unmount' | 'signal' | 'signal-all' | 'none';

/** A client that was unmounted ends by itself within this time; so does a process with a signal. */
const GRACE_MS = 5_000;
/** Unmounts that fail before the client gets a signal: it may be what keeps the file system busy. */
const UNMOUNTS = 3;
const LONGEST_MS = 300_000;

/** The next command: the file system is unmounted first, and then the processes are told to end. */
export function stepOf({ unmount, hasOwnProcesses }: Sidecar, before: Progress | undefined): Step {
  const { tries, signals, isUnmounted } = before ?? NOTHING_DONE;
  if (!hasOwnProcesses) return unmount ? 'unmount' : 'none';
  if (unmount && !isUnmounted && tries % (UNMOUNTS + 1) < UNMOUNTS) return 'unmount';
  return signals % 2 === 0 ? 'signal' : 'signal-all';
}

/** Process 1 first, which may end the others in their order. Without a handler it ignores the signal: then all others get it. */
const SIGNALS = { signal: ['sh', '-c', 'kill -TERM 1'], 'signal-all': ['sh', '-c', 'kill -TERM -1'], none: [] } as const;

export const commandOf = ({ unmount = [] }: Sidecar, step: Step): readonly string[] => (step === 'unmount' ? unmount : SIGNALS[step]);

interface CommandEnd {
  /** Of the start of the container that it ran in. */
  readonly id: string;
  readonly ok: boolean;
  readonly now: number;
  readonly random: () => number;
}

/** What follows from a command that has ended. */
export function after(step: Step, before: Progress | undefined, { id, ok, now, random }: CommandEnd): Progress {
  const tries = (before?.tries ?? 0) + 1;
  const isSignal = step === 'signal' || step === 'signal-all';
  const pause = backoff(tries, random, { firstMs: 1000, mostMs: LONGEST_MS });
  return {
    id,
    tries,
    signals: (before?.signals ?? 0) + (isSignal ? 1 : 0),
    isUnmounted: (before?.isUnmounted ?? false) || (step === 'unmount' && ok),
    isSignalled: (before?.isSignalled ?? false) || (isSignal && ok),
    dueAt: now + (ok ? Math.max(GRACE_MS, pause) : pause),
  };
}

type Known = ReadonlyMap<string, Progress>;

/** The sidecars whose next command is due. A prefetcher that still reads would keep the file systems busy: it has its time to end first. */
export function dueNow(sidecars: readonly Sidecar[], progress: Known, now: number): readonly Sidecar[] {
  const isDue = ({ container, isRunning }: Sidecar) => isRunning && (progress.get(container)?.dueAt ?? now) <= now;
  const first = sidecars.filter(({ container, isRunning }) => container === names.prefetcher && isRunning);
  const isFirst = first.some(
    ({ container }) => (progress.get(container)?.dueAt ?? Infinity) > now && (progress.get(container)?.tries ?? 0) <= 1,
  );
  return (isFirst ? first : sidecars).filter(isDue);
}

/** When the next command is due; undefined: after a change of the pod, or when a command has ended. */
export function nextDueAt(sidecars: readonly Sidecar[], progress: Known): number | undefined {
  const times = sidecars.flatMap(({ container, isRunning }) => (isRunning ? (progress.get(container)?.dueAt ?? []) : []));
  const next = Math.min(...times);
  return next < Infinity ? next : undefined;
}
