/** A thread that simulates one world after the other: it is sent seeds, and answers with what it found. */
import { parentPort } from 'node:worker_threads';
import { run } from './run.ts';
import { planOf } from './scenario.ts';
import { shrink } from './shrink.ts';

/** The report of a thread on a seed. */
export interface Simulated {
  readonly seed: number;
  readonly finding?: string;
  /** The happenings with which it still fails. */
  readonly kept?: readonly number[];
}

parentPort?.on('message', ({ seed, shrinks }: { seed: number; shrinks: boolean }) => {
  void simulate(seed, shrinks).then((done) => parentPort?.postMessage(done, []));
});

async function simulate(seed: number, shrinks: boolean): Promise<Simulated> {
  const plan = planOf(seed);
  const { finding } = await run(plan);
  return finding === undefined ? { seed } : { seed, finding, kept: shrinks ? await shrink(plan) : plan.happenings.map((_, i) => i) };
}
