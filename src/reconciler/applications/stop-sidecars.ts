import { type Clock, sleep, systemClock, within } from '../../kube/clock.ts';
import { shareOf } from '../../kube/turns/fair-queue.ts';
import type { Log } from '../../kube/types.ts';
import { messageOf } from '../failures.ts';
import { createQueue, type Outcome, settled, waiting } from '../../kube/turns/queue.ts';
import { type Key, keyOfText, keyText } from '../world.ts';
import { after, commandOf, dueNow, nextDueAt, NOTHING_DONE, type Progress, stepOf } from './pace.ts';
import type { Sidecar } from './sidecars-to-stop.ts';

/** A pod that has sidecars to stop. */
export interface Application {
  readonly uid: string;
  readonly sidecars: readonly Sidecar[];
}
/** The pods, and what the controller does to them. */
export interface Applications {
  /** As the watch shows it; undefined if the pod has nothing to stop. */
  seen(pod: Key): Application | undefined;
  /** As the API server has it now. */
  read(pod: Key): Promise<Application | undefined>;
  /** Names of the containers of exactly this pod that have ended, as the API server has it now; none if the pod is gone. */
  ended(pod: Key, uid: string): Promise<ReadonlySet<string>>;
  /** Runs a command in a container. Rejects when it does not end with exit code 0. */
  run(pod: Key, container: string, argv: readonly string[]): Promise<unknown>;
}
export interface StopperOptions {
  readonly applications: Applications;
  /** Writes an event about a pod: why a sidecar of it still runs. */
  readonly report: (pod: Key, uid: string, note: string) => void;
  readonly log: Log;
  /** Aborted when this process is no longer the leader. */
  readonly signal: AbortSignal;
  readonly onStop?: ((result: StopResult) => void) | undefined;
  readonly clock?: Clock;
}
/** `stopped`: the container has ended. `failed`: a command failed, or had no effect, or the container was restarted. */
export type StopResult = 'stopped' | 'failed';

/** Stops the sidecars of pods that have nothing else to do. */
export interface SidecarStopper {
  /** The pod changed. */
  add(pod: Key): void;
  /** No command starts any more; resolves when those under way have ended. */
  stop(): Promise<void>;
}

/** Pods at a time, 12 of them of one namespace: each command is a connection. */
const PODS = 16;
/**
 * How long a pod keeps its place among them for its commands. What takes longer goes on without one, so that commands that hang keep no other
 * pod waiting; with their limit of 30 s they stay below 250.
 */
const PLACE_MS = 2_000;
/** After which the kubelet has reported that a container ended. */
const REPORT_MS = 2_000;
/** What a command says that had nothing to unmount, or whose container ended under it. */
const HARMLESS = /not mounted|no mount point specified|Invalid argument|not found in \/etc\/mtab|exit code 137\b|container not found/i;

export function createSidecarStopper(options: StopperOptions): SidecarStopper {
  const { applications, report, log, signal, onStop, clock = systemClock } = options;
  const stops = new Map<string, { readonly uid: string; readonly byContainer: Map<string, Progress> }>();
  const work = (text: string): Promise<Outcome> =>
    pass(keyOfText(text)).catch((error: unknown) => {
      if (!signal.aborted) log.warn({ pod: text, error: messageOf(error) }, 'the pod whose sidecars are to be stopped could not be read');
      return { kind: 'failed' };
    });
  /** Commands that have not ended. */
  const underWay = new Set<Promise<void>>();
  const queue = createQueue({ concurrency: PODS, mostOfOne: shareOf(PODS), work, clock });

  async function pass(pod: Key): Promise<Outcome> {
    const seen = applications.seen(pod);
    const progress = await progressOf(pod, seen);
    if (!seen) return settled();
    const due = dueNow(seen.sidecars, progress, clock.monotonic());
    if (due.length > 0) {
      // The watch may be late: a pod of the same name may have begun meanwhile, whose clients must not be stopped.
      const read = await applications.read(pod);
      if (read?.uid !== seen.uid) return waiting();
      const still = due.flatMap(({ container }) => read.sidecars.filter((sidecar) => sidecar.container === container && sidecar.isRunning));
      if (still.length === 0) return waiting();
      // One that fails keeps none of the others.
      await placed(
        pod,
        still.map((sidecar) => begin(pod, seen.uid, sidecar, progress)),
      );
    }
    const next = nextDueAt(seen.sidecars, stops.get(keyText(pod))?.byContainer ?? progress);
    return waiting(next === undefined ? undefined : next - clock.monotonic());
  }

  /** Waits for these commands as long as a pod keeps its place. Those that end later begin another pass. */
  async function placed(pod: Key, commands: readonly Promise<void>[]): Promise<void> {
    const all = Promise.all(commands);
    const inTime = await within(clock, PLACE_MS, all);
    if (!inTime) void all.then(() => queue.add(keyText(pod))).catch(() => {});
  }

  /** Until its command has ended, a sidecar gets no other one. */
  function begin(pod: Key, uid: string, sidecar: Sidecar, progress: Map<string, Progress>): Promise<void> {
    const { container, id } = sidecar;
    const before = progress.get(container);
    progress.set(container, { ...(before ?? NOTHING_DONE), id, dueAt: Infinity });
    const command = stop(pod, uid, sidecar, before).then((result) => {
      const now = stops.get(keyText(pod));
      // The pod, or this container of it, may have ended meanwhile.
      const current = now?.uid === uid ? now.byContainer.get(container) : undefined;
      if (!current) return;
      const isRestarted = current.id !== id;
      now?.byContainer.set(container, isRestarted ? { ...result, id: current.id, isUnmounted: false, isSignalled: false } : result);
    });
    underWay.add(command);
    void command.catch(() => {}).finally(() => underWay.delete(command));
    return command;
  }

  /** What was done about the sidecars of this pod, brought up to date. Nothing of it counts for another pod of the same name. */
  async function progressOf(pod: Key, seen: Application | undefined): Promise<Map<string, Progress>> {
    const text = keyText(pod);
    const known = stops.get(text);
    const progress = new Map(known && (!seen || known.uid === seen.uid) ? known.byContainer : []);
    const gone = [...progress.keys()].filter((container) => !seen?.sidecars.some((sidecar) => sidecar.container === container));
    // The watch shows no difference between a pod that ended and one that was deleted, or exempted.
    const ended = known && gone.length > 0 ? await applications.ended(pod, known.uid) : undefined;
    for (const container of gone) {
      progress.delete(container);
      if (!ended?.has(container)) continue;
      onStop?.('stopped');
      log.info({ ...pod, container }, 'the sidecar has ended, as everything in its pod before it');
    }
    for (const { container, id, lastExitCode } of seen?.sidecars ?? []) {
      const before = progress.get(container);
      if (!seen || !before || id === before.id) continue;
      progress.set(container, { ...before, id, isUnmounted: false, isSignalled: false });
      complain(pod, seen.uid, container, `it ended with exit code ${lastExitCode ?? 'unknown'}, and the kubelet started it again`);
    }
    if (seen) stops.set(text, { uid: seen.uid, byContainer: progress });
    else stops.delete(text);
    return progress;
  }

  async function stop(pod: Key, uid: string, sidecar: Sidecar, before: Progress | undefined): Promise<Progress> {
    const { container, id } = sidecar;
    const step = stepOf(sidecar, before);
    // Both were tried before, and at least one was sent: otherwise the reason was reported.
    if (step === 'signal' && before?.isSignalled) complain(pod, uid, container, 'its processes do not end on SIGTERM');
    if (!sidecar.hasOwnProcesses && (step === 'none' || before?.isUnmounted))
      complain(pod, uid, container, 'its pod shares a process namespace, in which a signal would reach other processes');
    if (step === 'none') return after(step, before, { id, ok: false, now: clock.monotonic(), random: clock.random });
    log.info({ ...pod, container, step }, 'everything else in the pod has ended: stopping the sidecar');
    const ok = await applications.run(pod, container, commandOf(sidecar, step)).then(
      () => true,
      async (error: unknown) => {
        signal.throwIfAborted();
        const said = messageOf(error);
        if (HARMLESS.test(said) || !(await stillRuns(pod, uid, sidecar))) return true;
        complain(pod, uid, container, said);
        return false;
      },
    );
    return after(step, before, { id, ok, now: clock.monotonic(), random: clock.random });
  }

  /** Whether the container still runs. If that cannot be read, the command counts as failed. */
  const stillRuns = async (pod: Key, uid: string, { id }: Sidecar): Promise<boolean> => {
    await sleep(clock, REPORT_MS, signal);
    return applications.read(pod).then(
      (read) => read?.uid === uid && read.sidecars.some((sidecar) => sidecar.id === id && sidecar.isRunning),
      () => true,
    );
  };

  function complain(pod: Key, uid: string, container: string, why: string): void {
    onStop?.('failed');
    log.warn({ ...pod, container, error: why }, 'the sidecar was not stopped; the controller retries');
    report(
      pod,
      uid,
      `Everything else in the pod has ended, and the sidecar ${container} still runs: ${why}. The controller retries with back-off.`,
    );
  }

  return {
    add: (pod) => queue.add(keyText(pod)),
    async stop() {
      await queue.stop();
      await Promise.allSettled(underWay);
    },
  };
}
