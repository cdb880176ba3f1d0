import { existsSync } from 'node:fs';
import type { Job } from './jobs.ts';
import { once } from './once.ts';

export interface Fetched extends Pick<Job, 'name' | 'seconds'> {
  readonly target: string;
  readonly megabytes: number;
  /** The program that fetches it. A machine without it does without: the tests that need what is fetched say so. */
  readonly by: string;
  /** Fills this folder, and returns what is to become the target. */
  make(folder: string): Promise<string>;
}

/** A job that makes a folder; none if it exists. */
export function fetchJobs({ target, by, make, megabytes, ...job }: Fetched): readonly Job[] {
  if (existsSync(target)) return [];
  return [
    {
      ...job,
      async run(report, signal) {
        if (!existsSync(by)) return `left out: this machine has no ${by}`;
        const waiting = (text: string) => {
          signal.throwIfAborted();
          report(0, text);
        };
        await once(target, 'it', waiting, make);
        return `${megabytes} MB`;
      },
    },
  ];
}
