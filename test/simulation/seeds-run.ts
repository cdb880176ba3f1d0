import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Simulated } from './worker.ts';

/** The result of many runs, so that the next one goes on where the last one stopped. */
interface Progress {
  readonly next: number;
  readonly worlds: number;
  readonly findings: number;
  readonly hours: number;
}

const FOLDER = join(import.meta.dirname, '../../build/simulation');
const FILE = join(FOLDER, 'progress.json');
/** Below are the fixed seeds of `npm test`. */
const FIRST = 100_000;
/** Between two writes of the progress, worlds. */
const SAVED_EVERY = 50;

function progress(): Progress {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8')) as Progress;
  } catch {
    return { next: FIRST, worlds: 0, findings: 0, hours: 0 };
  }
}

/**
 * Simulates so many worlds on so many threads, and prints each finding with the command that replays it. Returns how many there were.
 *
 * @param from the first seed. Default: where the last call stopped
 */
export async function runSeeds(
  count: number,
  { from, threads, first: onlyFirst = false }: { readonly from?: number; readonly threads: number; readonly first?: boolean },
): Promise<number> {
  const before = progress();
  const first = from ?? before.next;
  const began = performance.now();
  const under = new Set<number>();
  let [next, worlds, findings, isStopping] = [first, 0, 0, false];
  const stop = () => {
    isStopping = true;
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const save = () => {
    if (from !== undefined) return;
    mkdirSync(FOLDER, { recursive: true });
    const hours = before.hours + (performance.now() - began) / 3_600_000;
    const done: Progress = { next: Math.min(next, ...under), worlds: before.worlds + worlds, findings: before.findings + findings, hours };
    writeFileSync(FILE, `${JSON.stringify(done)}\n`);
  };

  await Promise.all(
    Array.from({ length: threads }, async () => {
      const worker = new Worker(new URL('./worker.ts', import.meta.url));
      const simulate = (seed: number) =>
        new Promise<Simulated>((resolve, reject) => {
          worker.once('message', resolve).once('error', reject).postMessage({ seed, shrinks: !onlyFirst }, []);
        });
      while (next < first + count && !isStopping) {
        const seed = next++;
        under.add(seed);
        const { finding, kept = [] } = await simulate(seed);
        worker.removeAllListeners('error');
        under.delete(seed);
        worlds++;
        if (finding !== undefined) {
          findings++;
          if (onlyFirst) isStopping = true;
          console.log(`${finding}\n  npm run simulate -- --seed ${seed} --only ${kept.join(',')}`);
        }
        if (worlds % SAVED_EVERY === 0) save();
      }
      await worker.terminate();
    }),
  );
  save();
  const seconds = (performance.now() - began) / 1000;
  console.log(
    `${worlds} worlds, seeds ${first} to ${next - 1}: ${findings} with findings; ${seconds.toFixed(0)} s, ${((1000 * seconds) / Math.max(1, worlds)).toFixed(0)} ms a world`,
  );
  if (from === undefined) console.log(`since the beginning: ${before.worlds + worlds} worlds`);
  return findings;
}
