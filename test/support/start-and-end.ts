/** Starts a control plane, says where it is, and ends as its argument says: for the test that nothing is left behind. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startControlPlane } from '../../harness/control-plane/control-plane.ts';

const { dir } = await startControlPlane({ nodes: 0 });
const running = readdirSync(join(dir, 'pids')).map((name) => join('pids', name));
const pids = [...running, 'keeper.pid'].map((file) => Number(readFileSync(join(dir, file), 'utf8')));
process.stdout.write(`${JSON.stringify({ dir, pids })}\n`);

const end = process.argv[2];
if (end === 'exception') throw new Error('as asked');
if (end !== 'exit') setInterval(() => {}, 1000);
