/**
 * Whether the package works for those who install it: builds dist/, asks publint and attw about what `npm pack` would publish, and has a
 * vendor's runtime, made by `new-runtime --dir`, compiled and tested against it. Part of `npm test`, not of `npm run check`.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const vendor = mkdtempSync(join(tmpdir(), 'sluice-vendor-'));
type Step = readonly [name: string, cwd: string, program: string, ...args: string[]];

const STEPS: readonly Step[] = [
  ['build', root, 'tsc', '-p', 'tsconfig.build.json'],
  ['publint', root, 'publint', '--strict'],
  ['attw', root, 'attw', '--pack', '.', '--profile', 'esm-only'],
  ['scaffold', vendor, 'node', join(dist, 'src/cli/main.js'), 'new-runtime', 'acme', '--dir', vendor],
  ['types', vendor, 'tsc'],
  ['tests', vendor, 'vitest', 'run', '--update'],
];

try {
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(join(vendor, 'node_modules'));
  for (const name of ['cdk8s', 'constructs', 'vitest', '@types'])
    symlinkSync(join(root, 'node_modules', name), join(vendor, 'node_modules', name));
  symlinkSync(root, join(vendor, 'node_modules/sluice'));
  process.exitCode = STEPS.every(passes) ? 0 : 1;
} finally {
  rmSync(vendor, { recursive: true, force: true });
}

function passes([name, cwd, program, ...args]: Step): boolean {
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin', program), args, { cwd, encoding: 'utf8' });
  console.log(`${status === 0 ? '✓' : '✗'} ${name.padEnd(8)} ${((performance.now() - began) / 1000).toFixed(1)} s`);
  if (status !== 0) console.log(`${stdout}${stderr}`);
  return status === 0;
}
