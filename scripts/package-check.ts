/**
 * Whether the package works for those who install it: builds dist/, asks publint and attw about what `npm pack` would publish, and has a
 * vendor's runtime, made by `new-runtime --dir`, compiled and tested against it. Programs that import every entry point are compiled as an ES
 * module and as CommonJS, with the types of all libraries checked, and run. Part of `npm test`, not of `npm run check`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const vendor = mkdtempSync(join(tmpdir(), 'sluice-vendor-'));
const user = mkdtempSync(join(tmpdir(), 'sluice-user-'));
type Step = readonly [name: string, cwd: string, program: string, ...args: string[]];

interface Package {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
}
const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Package;
const entries = Object.keys(exports).flatMap((path) => (path.endsWith('.json') ? [] : name + path.slice(1)));
/** Only vitest can load it. */
const loadable = entries.filter((entry) => !entry.endsWith('/testing'));
const imports = entries.map((entry, at) => `import * as entry${at} from '${entry}';\nvoid entry${at};\n`).join('');

const STRICT = ['--noEmit', '--strict', '--target', 'es2023'] as const;

const STEPS: readonly Step[] = [
  ['build', root, 'npm', 'run', '--silent', 'build'],
  ['publint', root, 'publint', '--strict'],
  // Node loads ES modules from CommonJS; the rule is of the time before.
  ['attw', root, 'attw', '--pack', '.', '--profile', 'node16', '--ignore-rules', 'cjs-resolves-to-esm'],
  ['esm and cjs', user, 'tsc', ...STRICT, '--module', 'nodenext', 'main.mts', 'main.cts'],
  ['bundler', user, 'tsc', ...STRICT, '--module', 'esnext', '--moduleResolution', 'bundler', 'main.mts'],
  ['require', user, 'node', '--eval', loadable.map((entry) => `require('${entry}');`).join('')],
  ['scaffold', vendor, 'node', join(dist, 'src/cli/main.js'), 'new-runtime', 'acme', '--dir', vendor],
  ['types', vendor, 'tsc'],
  ['tests', vendor, 'vitest', 'run', '--update'],
];

try {
  rmSync(dist, { recursive: true, force: true });
  for (const folder of [vendor, user]) linked(folder);
  for (const file of ['main.mts', 'main.cts']) writeFileSync(join(user, file), imports);
  process.exitCode = STEPS.every(passes) ? 0 : 1;
  if (process.exitCode === 0) console.log(`  ${size()}`);
} finally {
  for (const folder of [vendor, user]) rmSync(folder, { recursive: true, force: true });
}

/** The package and its peers, as if they were installed. */
function linked(folder: string): void {
  for (const peer of ['cdk8s', 'cdk8s-plus-27', 'constructs', 'vitest', '@types'])
    link(join(root, 'node_modules', peer), join(folder, 'node_modules', peer));
  link(root, join(folder, 'node_modules', name));
}
function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

function passes([step, cwd, program, ...args]: Step): boolean {
  const began = performance.now();
  const own = program === 'npm' ? program : join(root, 'node_modules/.bin', program);
  const { status, stdout, stderr } = spawnSync(own, args, { cwd, encoding: 'utf8' });
  console.log(`${status === 0 ? '✓' : '✗'} ${step.padEnd(11)} ${((performance.now() - began) / 1000).toFixed(1)} s`);
  if (status !== 0) console.log(`${stdout}${stderr}`);
  return status === 0;
}

/** Of what `npm publish` uploads and unpacks, and how many packages npm installs with it. */
function size(): string {
  const packed = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], { cwd: root, encoding: 'utf8' });
  const [{ size: bytes, unpackedSize }] = JSON.parse(packed) as readonly [{ readonly size: number; readonly unpackedSize: number }];
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devOptional?: boolean; readonly peer?: boolean }>>;
  };
  const installed = Object.entries(lock.packages).filter(([path, { dev, devOptional, peer }]) => path && !dev && !devOptional && !peer);
  const megabytes = (of: number) => `${(of / 1e6).toFixed(1)} MB`;
  return `${megabytes(bytes)} packed, ${megabytes(unpackedSize)} unpacked, with ${installed.length} packages besides its peers`;
}
