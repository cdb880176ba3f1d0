/** How far the stops of a pod's sidecars are, and what follows: pure. */
import { sidecar as names } from '../../api/sidecars.ts';
import { backoff } from '../../kube/clock.ts';
import type { Sidecar } from './sidecars-to-stop.ts';

/** How far the stop of a sidecar is. */
export interface Progress {
  /** Identifies the start of the container that the last command ran in. */
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
/** By container; absent: no command has begun. */
export type Progresses = ReadonlyMap<string, Progress>;

/** The steps taken for one pod: none counts for another pod of the same name. */
export interface Stop {
  readonly uid: string;
  progress: Progresses;
}

export interface StopDecision {
  /** Brought up to date: a container that was restarted begins anew, and of one that is gone nothing is left. */
  readonly progress: Progresses;
  /** Why a sidecar runs though it was stopped. */
  readonly complain: readonly { readonly container: string; readonly why: string }[];
  /** Commands that are due. */
  readonly begin: readonly StopCommand[];
}
export interface StopCommand {
  readonly sidecar: Sidecar;
  readonly step: StopStep;
  readonly argv: readonly string[];
  /** Why the commands before were not enough; absent if that was reported. */
  readonly complaint?: string;
}
export type StopStep = 'unmount' | 'signal' | 'signal-all' | 'none';

/** A client that was unmounted ends by itself within this time; so does a process with a signal. */
const GRACE_MS = 5_000;
/** Unmounts that fail before the client gets a signal: it may be what keeps the file system busy. */
const UNMOUNTS = 3;
const LONGEST_MS = 300_000;
const NOTHING_DONE: Omit<Progress, 'id' | 'dueAt'> = { tries: 0, signals: 0, isUnmounted: false, isSignalled: false };

export function decide(sidecars: readonly Sidecar[], known: Progresses, now: number): StopDecision {
  const restarted = sidecars.filter(({ container, id }) => (known.get(container)?.id ?? id) !== id);
  const progress = new Map(
    sidecars.flatMap((sidecar): readonly (readonly [string, Progress])[] => {
      const before = known.get(sidecar.container);
      return before ? [[sidecar.container, restarted.includes(sidecar) ? restartedAs(sidecar.id, before) : before]] : [];
    }),
  );
  return {
    progress,
    complain: restarted.map(({ container, lastExitCode }) => ({
      container,
      why: `it ended with exit code ${lastExitCode ?? 'unknown'}, and the kubelet started it again`,
    })),
    begin: dueNow(sidecars, progress, now).map((sidecar) => commandFor(sidecar, progress.get(sidecar.container))),
  };
}

/** Until the command has ended, no other one is due. */
export function begun(known: Progresses, { sidecar: { container, id } }: StopCommand): Progresses {
  return new Map(known).set(container, { ...(known.get(container) ?? NOTHING_DONE), id, dueAt: Infinity });
}

/** The command has ended. Nothing of it counts if its container is gone meanwhile, and only that it was tried if it was restarted. */
export function ended(known: Progresses, { sidecar, step }: StopCommand, { ok, now, random }: CommandEnd): Progresses {
  const before = known.get(sidecar.container);
  if (!before) return known;
  const isSignal = step === 'signal' || step === 'signal-all';
  const tries = before.tries + 1;
  const pause = backoff(tries, random, { firstMs: 1000, mostMs: LONGEST_MS });
  const after: Progress = {
    id: sidecar.id,
    tries,
    signals: before.signals + (isSignal ? 1 : 0),
    isUnmounted: before.isUnmounted || (step === 'unmount' && ok),
    isSignalled: before.isSignalled || (isSignal && ok),
    dueAt: now + (ok ? Math.max(GRACE_MS, pause) : pause),
  };
  return new Map(known).set(sidecar.container, before.id === sidecar.id ? after : restartedAs(before.id, after));
}
interface CommandEnd {
  readonly ok: boolean;
  readonly now: number;
  readonly random: () => number;
}

/** When the next command is due; undefined: after a change of the pod, or when a command has ended. */
export function nextDueAt(sidecars: readonly Sidecar[], progress: Progresses): number | undefined {
  const times = sidecars.flatMap(({ container, isRunning }) => (isRunning ? (progress.get(container)?.dueAt ?? []) : []));
  const next = Math.min(...times);
  return next < Infinity ? next : undefined;
}

const restartedAs = (id: string, before: Progress): Progress => ({ ...before, id, isUnmounted: false, isSignalled: false });

/** The sidecars whose next command is due. A prefetcher that still reads would keep the file systems busy: it has its time to end first. */
function dueNow(sidecars: readonly Sidecar[], progress: Progresses, now: number): readonly Sidecar[] {
  const isDue = ({ container, isRunning }: Sidecar) => isRunning && (progress.get(container)?.dueAt ?? now) <= now;
  const first = sidecars.filter(({ container, isRunning }) => container === names.prefetcher && isRunning);
  const isFirst = first.some(
    ({ container }) => (progress.get(container)?.dueAt ?? Infinity) > now && (progress.get(container)?.tries ?? 0) <= 1,
  );
  return (isFirst ? first : sidecars).filter(isDue);
}

function commandFor(sidecar: Sidecar, before: Progress | undefined): StopCommand {
  const step = stepOf(sidecar, before);
  const complaint = complaintOf(step, sidecar, before);
  return {
    sidecar,
    step,
    argv: step === 'unmount' ? (sidecar.unmount ?? []) : SIGNALS[step],
    ...(complaint !== undefined && { complaint }),
  };
}

/** The file system is unmounted first, and then the processes are told to end. */
function stepOf({ unmount, hasOwnProcesses }: Sidecar, before: Progress | undefined): StopStep {
  const { tries, signals, isUnmounted } = before ?? NOTHING_DONE;
  if (!hasOwnProcesses) return unmount ? 'unmount' : 'none';
  if (unmount && !isUnmounted && tries % (UNMOUNTS + 1) < UNMOUNTS) return 'unmount';
  return signals % 2 === 0 ? 'signal' : 'signal-all';
}

/** Both signals were tried before, and at least one was sent: otherwise the reason was reported. */
function complaintOf(step: StopStep, { hasOwnProcesses }: Sidecar, before: Progress | undefined): string | undefined {
  if (step === 'signal' && before?.isSignalled) return 'its processes do not end on SIGTERM';
  if (!hasOwnProcesses && (step === 'none' || before?.isUnmounted))
    return 'its pod shares a process namespace, in which a signal would reach other processes';
  return undefined;
}

/** Process 1 first, which may end the others in their order. Without a handler it ignores the signal: then all others get it. */
const SIGNALS = { signal: ['sh', '-c', 'kill -TERM 1'], 'signal-all': ['sh', '-c', 'kill -TERM -1'], none: [] } as const;
