/** `npm run demo`: Datasets on simulated nodes, and then bytes, on a real node. With arguments it is simulated.ts alone. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { progressOn } from './progress.ts';
import { whyNoNode } from '../index.ts';
import { showBytes } from './bytes.ts';

const args = process.argv.slice(2);
const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'simulated.ts'), ...args], { stdio: 'inherit' });
if (status !== 0 || args.length > 0) process.exit(status ?? 1);

const interrupt = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupt.abort(new Error('interrupted')));
const progress = progressOn(process.stdout, interrupt.signal);
const impossible = whyNoNode();
if (impossible !== undefined) progress.line(`\nThe demo ends here, with simulated pods. It cannot start a real node: ${impossible}.`);
else process.exitCode = await showBytes(progress, interrupt.signal);
