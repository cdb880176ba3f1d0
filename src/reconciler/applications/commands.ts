import { type Clock, sleep } from '../../kube/clock.ts';
import type { Log } from '../../kube/types.ts';
import type { Key } from '../world.ts';
import type { StopCommand, Stop } from './decide.ts';
import type { Sidecar } from './sidecars-to-stop.ts';
import { messageOf } from '../../kube/errors.ts';

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

/** After which the kubelet has reported that a container ended. */
const REPORT_MS = 2_000;
/** Errors of a command that had nothing to unmount, or whose container ended under it. */
const HARMLESS = /not mounted|no mount point specified|Invalid argument|not found in \/etc\/mtab|exit code 137\b|container not found/i;

/** The commands and reports of a stopper for one pod. */
export function commandsOf({ applications, report, log, signal, onStop }: StopperOptions, clock: Clock) {
  /** Whether the container still runs. If that cannot be read, the command counts as failed. */
  async function stillRuns(pod: Key, uid: string, { id }: Sidecar): Promise<boolean> {
    await sleep(clock, REPORT_MS, signal);
    return applications.read(pod).then(
      (read) => read?.uid === uid && read.sidecars.some((sidecar) => sidecar.id === id && sidecar.isRunning),
      () => true,
    );
  }

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
    complain,

    /** Sends a command. Returns whether it had effect: its container may have ended under it. */
    async send(pod: Key, uid: string, { sidecar, step, argv, complaint }: StopCommand): Promise<boolean> {
      const { container } = sidecar;
      if (complaint !== undefined) complain(pod, uid, container, complaint);
      if (step === 'none') return false;
      log.info({ ...pod, container, step }, 'everything else in the pod has ended: stopping the sidecar');
      try {
        await applications.run(pod, container, argv);
        return true;
      } catch (error) {
        signal.throwIfAborted();
        const said = messageOf(error);
        if (HARMLESS.test(said) || !(await stillRuns(pod, uid, sidecar))) return true;
        complain(pod, uid, container, said);
        return false;
      }
    },

    /**
     * Reports the end of containers that the pod no longer has. The watch does not tell a pod that ended from one that was deleted, or
     * exempted.
     */
    async reportEnds(pod: Key, { uid, progress }: Stop, sidecars: readonly Sidecar[]): Promise<void> {
      const gone = [...progress.keys()].filter((name) => !sidecars.some(({ container }) => container === name));
      if (gone.length === 0) return;
      const ended = await applications.ended(pod, uid);
      for (const container of gone.filter((name) => ended.has(name))) {
        onStop?.('stopped');
        log.info({ ...pod, container }, 'the sidecar has ended, as everything in its pod before it');
      }
    },
  };
}
