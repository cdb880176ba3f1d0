/**
 * Whether the package works for those who install it: builds dist/, then asks publint and attw about what `npm pack` would publish.
 * Part of `npm test`, not of `npm run check`.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const STEPS: readonly (readonly [string, ...string[]])[] = [
  ['tsc', '-p', 'tsconfig.build.json'],
  ['publint', '--strict'],
  ['attw', '--pack', '.', '--profile', 'esm-only'],
];

rmSync(join(root, 'dist'), { recursive: true, force: true });
for (const [program, ...args] of STEPS) {
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin', program), args, { cwd: root, encoding: 'utf8' });
  console.log(`${status === 0 ? '✓' : '✗'} ${program.padEnd(8)} ${((performance.now() - began) / 1000).toFixed(1)} s`);
  if (status !== 0) {
    console.log(`${stdout}${stderr}`);
    process.exitCode = 1;
    break;
  }
}
