/**
 * Programs that touch file systems which may not answer. A program that waits for an answer cannot be killed, so what one of them has found
 * out holds for all that come after it, for any purpose.
 */
import pLimit from 'p-limit';
import { type Clock, systemClock } from '../../kube/clock.ts';
import { type Ended, type Run, Stuck } from './shells.ts';

/** A file system did not answer in time, now or just before. */
export class FileSystemSilent extends Error {
  override readonly name = 'FileSystemSilent';
  /** When that was found out, ISO 8601. */
  readonly since: string;

  constructor(since: string, options?: ErrorOptions) {
    super(`the file system has not answered since ${since}`, options);
    this.since = since;
  }
}

/** Programs at a time on one file system: so many can hang before the first is known to. */
const AT_ONCE = 4;
/** When a child that hung could be killed, the next might hang or not: a caller without time left does not try. */
const REST_MS = 10_000;

interface Silence {
  readonly since: string;
  /** How long it was waited for, ms. */
  patience: number;
  /** How many programs still hang. */
  hanging: number;
  /** On the monotonic clock. */
  until: number;
}

/**
 * Runs a program that touches the file system of this name (a device, or a path where nothing is mounted), for `ms` at most.
 *
 * @throws FileSystemSilent without running it while another hangs there
 */
export interface Reach {
  (fileSystem: string, argv: readonly [string, ...string[]], ms: number): Promise<Ended>;
  /** Whether a program hangs there. */
  isSilent(fileSystem: string): boolean;
}

export function createReach(run: Run, clock: Pick<Clock, 'wall' | 'monotonic'> = systemClock): Reach {
  const silent = new Map<string, Silence>();
  const lanes = new Map<string, ReturnType<typeof pLimit>>();

  function check(fileSystem: string, ms: number): void {
    const silence = silent.get(fileSystem);
    if (!silence) return;
    if (silence.hanging > 0 || (clock.monotonic() < silence.until && ms <= silence.patience)) throw new FileSystemSilent(silence.since);
  }

  function silenced(fileSystem: string, ms: number, gone: Promise<void>): string {
    for (const [name, { hanging, until }] of silent) if (hanging === 0 && clock.monotonic() >= until) silent.delete(name);
    const since = new Date(clock.wall()).toISOString();
    const silence = silent.get(fileSystem) ?? { since, patience: 0, hanging: 0, until: 0 };
    silent.set(fileSystem, silence);
    silence.hanging++;
    silence.patience = Math.max(silence.patience, ms);
    void gone.then(() => {
      silence.hanging--;
      silence.until = clock.monotonic() + REST_MS;
    });
    return silence.since;
  }

  async function inLane<T>(fileSystem: string, work: () => Promise<T>): Promise<T> {
    const lane = lanes.get(fileSystem) ?? pLimit(AT_ONCE);
    lanes.set(fileSystem, lane);
    try {
      return await lane(work);
    } finally {
      if (lane.activeCount + lane.pendingCount === 0) lanes.delete(fileSystem);
    }
  }

  const reach = (fileSystem: string, argv: readonly [string, ...string[]], ms: number): Promise<Ended> =>
    inLane(fileSystem, async () => {
      check(fileSystem, ms);
      try {
        return await run(argv, ms);
      } catch (error) {
        if (!(error instanceof Stuck)) throw error;
        throw new FileSystemSilent(silenced(fileSystem, ms, error.gone), { cause: error });
      }
    });
  return Object.assign(reach, { isSilent: (fileSystem: string) => (silent.get(fileSystem)?.hanging ?? 0) > 0 });
}
