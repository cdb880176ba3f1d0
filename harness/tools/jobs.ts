/** Work that takes minutes, such as builds, one after the other; and how long the rest of it takes. */
import { availableParallelism } from 'node:os';

/** The progress of a job while it runs: the done fraction, 0 to 1, and the present step. */
export type Report = (fraction: number, doing: string) => void;

export interface Job {
  readonly name: string;
  /** How long it took on two cores that had nothing else to do, s. */
  readonly seconds: number;
  /** Ends soon after an abort. Returns what its last line says besides its time. */
  run(report: Report, signal: AbortSignal): Promise<string>;
}

/** Where the progress is shown: a line stays, a status is replaced by the next one. */
export interface Progress {
  line(text: string): void;
  status(text: string): void;
}

/** Does jobs in their order; returns when they are done. May be called again: it knows by then how fast this machine is. */
export type DoJobs = (jobs: readonly Job[]) => Promise<void>;

/** @throws what the first job threw that failed, or the signal's reason */
export function createJobs(progress: Progress, signal: AbortSignal): DoJobs {
  let pace: Pace = { expected: 0, elapsed: 0 };
  return async (jobs) => {
    const total = secondsHere(jobs);
    let done = 0;
    for (const job of jobs) {
      signal.throwIfAborted();
      const began = performance.now();
      const elapsed = () => (performance.now() - began) / 1000;
      const own = secondsHere([job]);
      const after = (fraction: number): Pace => ({ expected: pace.expected + own * fraction, elapsed: pace.elapsed + elapsed() });
      const said = await job.run((fraction, doing) => {
        const reached = done + own * fraction;
        const left = duration(secondsLeft(total - reached, after(fraction)));
        progress.status(`${bar(reached / total)} about ${left} left: ${job.name}, ${doing}`);
      }, signal);
      progress.line(`  ${job.name.padEnd(23)} ${duration(elapsed()).padStart(9)}${said && `, ${said}`}`);
      pace = after(1);
      done += own;
    }
    signal.throwIfAborted();
  };
}

/** How long work took, and should have taken, s. */
export interface Pace {
  readonly expected: number;
  readonly elapsed: number;
}

/** So much experience the recorded seconds count as, s. */
const TRUST = 15;

/** How long work takes whose recorded seconds these are, s, at the pace so far. */
export function secondsLeft(recorded: number, { expected, elapsed }: Pace): number {
  return (recorded * (elapsed + TRUST)) / (expected + TRUST);
}

/** The part of a build that one core does alone: the largest packages, and linking. */
const SERIAL = 0.15;

/** How long jobs take on so many cores, s. */
export function secondsHere(jobs: readonly Pick<Job, 'seconds'>[], cores = availableParallelism()): number {
  const each = SERIAL + ((1 - SERIAL) * 2) / cores;
  return jobs.reduce((sum, { seconds }) => sum + seconds * each, 0);
}

const WIDTH = 20;

export function bar(fraction: number): string {
  const full = Math.round(WIDTH * Math.min(1, Math.max(0, fraction)));
  return `${'━'.repeat(full)}${'╌'.repeat(WIDTH - full)}`;
}

/** `40 s`, `6 min`. */
export function duration(seconds: number): string {
  return seconds < 100 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
