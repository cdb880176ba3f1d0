/**
 * The findings of publint and attw on the archive that `npm pack` makes, whose build is part of it. Part of `npm test`, not of `npm run
 * check`; test/package installs the same archive and uses it.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { npmProgram, PACKAGE } from '../harness/tools/npm.ts';
import { packed } from './pack.ts';

const root = join(import.meta.dirname, '..');
const archive = await packed();
const STEPS: readonly (readonly [name: string, ...args: string[]])[] = [
  ['publint', 'run', archive, '--strict'],
  // From CommonJS, Node ≥ 22.12 loads ES modules; the rule is of the time before.
  ['attw', archive, '--ignore-rules', 'cjs-resolves-to-esm'],
];

for (const step of STEPS) if (!(await passes(step))) process.exitCode = 1;

async function passes([program, ...args]: readonly [string, ...string[]]): Promise<boolean> {
  const { status, stdout, stderr } = spawnSync(await npmProgram(PACKAGE, program), args, { cwd: root, encoding: 'utf8' });
  console.log(`${status === 0 ? '✓' : '✗'} ${program}`);
  if (status !== 0) console.log(`${stdout}${stderr}`);
  return status === 0;
}
