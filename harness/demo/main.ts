/**
 * `npm run demo`: Datasets from nothing to Bound on a control plane in memory, within a minute of a clone. With `--real`: on a real API server,
 * and then bytes, on a real node; each part is shown as soon as what it needs is built. With other arguments it is simulated.ts alone.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { whyNoNode } from '../index.ts';
import { messageOf } from '../../src/cli/errors.ts';
import { codeOf } from '../../src/cli/playground/interrupts.ts';
import { showBytes } from './bytes.ts';
import { partsOf, startBuilds } from './builds.ts';
import { progressOn } from './progress.ts';
import { realLines } from './real.ts';
import { statusOn } from '../tools/status.ts';

const args = process.argv.slice(2);
const [isReal, withAlluxio] = [args.includes('--real'), args.includes('--alluxio')];
const isWhole = args.every((arg) => arg === '--real' || arg === '--alluxio');
const interrupt = new AbortController();
const { signal } = interrupt;
const progress = progressOn(process.stdout, signal);
let passTo: ((name: NodeJS.Signals) => void) | undefined;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(name, () => {
    passTo?.(name);
    if (signal.aborted && passTo === undefined) process.exit(130);
    // A program that runs may go on after Ctrl-C, which says when it is over.
    if (passTo === undefined) interrupt.abort(new Error('interrupted'));
  });

process.exit(await demo());

/** Returns the exit code. */
async function demo(): Promise<number> {
  const builds = isReal ? startBuilds(partsOf(isWhole, withAlluxio), statusOn(process.stderr), signal) : undefined;
  try {
    if (builds) {
      const code = await run('bash', join(import.meta.dirname, '../../scripts/setup.sh'), '--demo', ...(isWhole ? args : ['--simulated']));
      if (code !== 0) return code;
      await builds.first();
    }
    const code = await run(process.execPath, join(import.meta.dirname, 'simulated.ts'), ...args);
    if (code !== 0 || !isWhole) return code;
    if (!builds) {
      for (const line of realLines()) progress.line(line);
      return 0;
    }
    await builds.rest();
    const impossible = whyNoNode();
    if (impossible === undefined) return await showBytes(progress, signal, withAlluxio);
    progress.line(`\nThe demo ends here, with simulated pods. It cannot start a real node: ${impossible}.`);
    return 0;
  } catch (error) {
    if (!signal.aborted) {
      console.error(`\ndemo: ${messageOf(error)}`);
      if (isReal) console.error('What is built stays. `npm run demo` needs none of it.');
    } else progress.line('\nInterrupted. What is built stays: the next run goes on from there.');
    return signal.aborted ? 130 : 1;
  } finally {
    interrupt.abort();
    await builds?.ended();
  }
}

/** Returns the exit code, as a shell gives it. Ctrl-C in a terminal reaches the program too, and is its own. */
function run(program: string, ...more: readonly string[]): Promise<number> {
  const child = spawn(program, more, { stdio: 'inherit' });
  passTo = (name) => name !== 'SIGINT' && child.kill(name);
  return new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, name) => resolve(code ?? (name ? codeOf(name) : 1)));
  }).finally(() => {
    passTo = undefined;
  });
}
