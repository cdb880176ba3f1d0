/** `npm run format`: formats these files and folders, or all. */
import { spawnSync } from 'node:child_process';
import { CHECKS, npmProgram } from '../harness/tools/npm.ts';

const [, , ...asked] = process.argv;
const { status } = spawnSync(await npmProgram(CHECKS, 'biome'), ['format', '--write', ...(asked.length > 0 ? asked : ['.'])], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
