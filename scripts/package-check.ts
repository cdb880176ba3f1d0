/**
 * What publint and attw say of the archive that `npm pack` makes, whose build is part of it. Part of `npm test`, not of `npm run check`;
 * test/package installs the same archive and uses it.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { packed } from './pack.ts';

const root = join(import.meta.dirname, '..');
const archive = await packed();
const STEPS: readonly (readonly [name: string, ...args: string[]])[] = [
  ['publint', 'run', archive, '--strict'],
  // From CommonJS, Node ≥ 22.12 loads ES modules; the rule is of the time before.
  ['attw', archive, '--ignore-rules', 'cjs-resolves-to-esm'],
];

process.exitCode = STEPS.every(passes) ? 0 : 1;

function passes([program, ...args]: readonly [string, ...string[]]): boolean {
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin', program), args, { cwd: root, encoding: 'utf8' });
  console.log(`${status === 0 ? '✓' : '✗'} ${program}`);
  if (status !== 0) console.log(`${stdout}${stderr}`);
  return status === 0;
}
