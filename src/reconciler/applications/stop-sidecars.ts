import { systemClock, within } from '../../kube/clock.ts';
import { shareOf } from '../../kube/turns/fair-queue.ts';
import { createQueue, type Outcome, settled, waiting } from '../../kube/turns/queue.ts';
import { type Key, keyOfText, keyText } from '../world.ts';
import { begun, type StopCommand, decide, ended, nextDueAt, type Stop } from './decide.ts';
import type { Sidecar } from './sidecars-to-stop.ts';
import { commandsOf, type StopperOptions } from './commands.ts';
import { messageOf } from '../../kube/errors.ts';

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

export function createSidecarStopper(options: StopperOptions): SidecarStopper {
  const { applications, log, signal, clock = systemClock } = options;
  const commands = commandsOf(options, clock);
  const stops = new Map<string, Stop>();
  /** Commands that have not ended. */
  const underWay = new Set<Promise<void>>();
  const work = (text: string): Promise<Outcome> =>
    pass(text, keyOfText(text)).catch((error: unknown) => {
      if (!signal.aborted) log.warn({ pod: text, error: messageOf(error) }, 'the pod whose sidecars are to be stopped could not be read');
      return { kind: 'failed' };
    });
  const queue = createQueue({ concurrency: PODS, mostOfOne: shareOf(PODS), work, clock });

  async function pass(text: string, pod: Key): Promise<Outcome> {
    const seen = applications.seen(pod);
    const known = stops.get(text);
    if (known && (!seen || known.uid === seen.uid)) await commands.reportEnds(pod, known, seen?.sidecars ?? []);
    if (!seen) {
      stops.delete(text);
      return settled();
    }
    const stop = known?.uid === seen.uid ? known : { uid: seen.uid, progress: new Map() };
    stops.set(text, stop);
    const { progress, complain, begin } = decide(seen.sidecars, stop.progress, clock.monotonic());
    stop.progress = progress;
    for (const { container, why } of complain) commands.complain(pod, stop.uid, container, why);
    if (begin.length > 0) {
      // The watch may be late: a pod of the same name may have begun meanwhile, whose clients must not be stopped.
      const read = await applications.read(pod);
      if (read?.uid !== seen.uid) return waiting();
      const still = begin.flatMap((command) => stillDue(command, read.sidecars));
      if (still.length === 0) return waiting();
      await placed(
        text,
        still.map((command) => run(pod, stop, command)),
      );
    }
    const next = nextDueAt(seen.sidecars, stop.progress);
    return waiting(next === undefined ? undefined : next - clock.monotonic());
  }

  /** Waits for these commands as long as a pod keeps its place. Those that end later begin another pass. */
  async function placed(text: string, running: readonly Promise<void>[]): Promise<void> {
    const all = Promise.all(running);
    const inTime = await within(clock, PLACE_MS, all);
    if (!inTime) void all.then(() => queue.add(text)).catch(() => {});
  }

  /** One that fails keeps none of the others. */
  function run(pod: Key, stop: Stop, command: StopCommand): Promise<void> {
    stop.progress = begun(stop.progress, command);
    const running = commands.send(pod, stop.uid, command).then((ok) => {
      stop.progress = ended(stop.progress, command, { ok, now: clock.monotonic(), random: clock.random });
    });
    underWay.add(running);
    void running.catch(() => {}).finally(() => underWay.delete(running));
    return running;
  }

  return {
    add: (pod) => queue.add(keyText(pod)),
    async stop() {
      await queue.stop();
      await Promise.allSettled(underWay);
    },
  };
}

/** For the sidecar as it was read; none if it does not run any more. */
const stillDue = (command: StopCommand, read: readonly Sidecar[]): readonly StopCommand[] =>
  read
    .filter(({ container, isRunning }) => isRunning && container === command.sidecar.container)
    .map((sidecar) => ({ ...command, sidecar }));
