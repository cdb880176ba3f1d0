/** The builds for `npm run demo -- --real`, in the order of its parts: the rest is built while the first part runs. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { whyNoNode } from '../index.ts';
import { findGo } from '../tools/go.ts';
import { createJobs, type Job, type Progress, secondsHere } from '../tools/jobs.ts';
import { canBeNode, demoNeeds, firstNeeds, jobsFor } from '../tools/needs.ts';

/** Needs of each part besides those of the part before, asked for when its turn has come. */
export interface Parts {
  first(): readonly Job[];
  rest(): readonly Job[];
}

export interface Builds {
  /** Returns when the first part can be shown. The rest goes on, unseen. */
  first(): Promise<void>;
  /** Shows what is left of the rest. Returns when the second part can be shown. */
  rest(): Promise<void>;
  /** After an abort: returns when nothing is being built any more. */
  ended(): Promise<void>;
}

/** Nobody waits for that. */
const SHORT_S = 5;

export function startBuilds({ first, rest }: Parts, { line, status }: Progress, signal: AbortSignal): Builds {
  let isSeen = true;
  const seen = (show: (text: string) => void) => (text: string) => void (isSeen && show(text));
  const work = createJobs({ line: seen(line), status: seen(status) }, signal);
  let working = Promise.resolve();
  return {
    async first() {
      await work(first());
      const jobs = rest();
      if (secondsHere(jobs) > SHORT_S) line('What the second part needs is built while the first one is shown.\n');
      isSeen = false;
      working = work(jobs);
      working.catch(() => {});
    },
    rest() {
      isSeen = true;
      return working;
    },
    ended: () => working.catch(() => {}),
  };
}

/** @param isWhole whether a real node is shown, on a machine that can have one */
export const partsOf = (isWhole: boolean, withAlluxio: boolean): Parts => ({
  first: () => jobsFor(firstNeeds(), findGo()),
  rest: () => (isWhole && canBeNode ? [debian(withAlluxio), ...jobsFor(demoNeeds(withAlluxio), findGo())] : []),
});

/** Debian packages for the node. If the machine cannot have them, the demo says so at its end. */
const debian = (withAlluxio: boolean): Job => ({
  name: 'Debian packages',
  seconds: whyNoNode() === undefined ? 1 : 60,
  async run(report) {
    report(0, 'apt-get install');
    const flags = ['--debian', ...(withAlluxio ? ['--alluxio'] : [])];
    await promisify(execFile)('bash', [join(import.meta.dirname, '../../scripts/setup.sh'), ...flags]);
    return '';
  },
});
