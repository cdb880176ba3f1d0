/**
 * `npm run demo`: Datasets from nothing to Bound on a control plane in memory, within a minute of a clone. With `--real`: on a real API server,
 * and then bytes, on a real node; what those need is built first. With other arguments it is simulated.ts alone.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { progressOn } from './progress.ts';
import { showBytes } from './bytes.ts';
import { realLines } from './real.ts';
import { whyNoNode } from '../index.ts';

const args = process.argv.slice(2);
const [isReal, withAlluxio] = [args.includes('--real'), args.includes('--alluxio')];
const isWhole = args.every((arg) => arg === '--real' || arg === '--alluxio');
const run = (program: string, ...more: readonly string[]): void => {
  const { status } = spawnSync(program, more, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};
const interrupt = new AbortController();
const progress = progressOn(process.stdout, interrupt.signal);
if (isReal) run('bash', join(import.meta.dirname, '../../scripts/setup.sh'));
run(process.execPath, join(import.meta.dirname, 'simulated.ts'), ...args);
if (!isReal && isWhole) for (const line of realLines()) progress.line(line);
if (!isReal || !isWhole) process.exit();

for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupt.abort(new Error('interrupted')));
const impossible = whyNoNode();
if (impossible !== undefined) progress.line(`\nThe demo ends here, with simulated pods. It cannot start a real node: ${impossible}.`);
else process.exitCode = await showBytes(progress, interrupt.signal, withAlluxio);
