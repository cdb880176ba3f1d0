/** Packages that npm installs: few by `npm ci`, and the rest when a check or a test first asks for them. */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { npmModules } from '../../harness/tools/npm.ts';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly version?: string;
}
interface Lock {
  readonly packages: Readonly<Record<string, Manifest>>;
}

const root = join(import.meta.dirname, '../..');
const read = <T>(file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as T;
const folders = ['.', ...globSync('tools/*/package.json', { cwd: root }).map((file) => join(file, '..'))];

describe.each(folders)('the lock of %s', (folder) => {
  const manifest = read<Manifest>(join(folder, 'package.json'));
  const { packages } = read<Lock>(join(folder, 'package-lock.json'));
  test('has exact versions', () => {
    const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies });
    expect(versions.filter(([name, version]) => packages[`node_modules/${name}`]?.version !== version)).toEqual([]);
  });
  test('has the packages of every platform, without which npm ci refuses it there', () => {
    const names = new Set(Object.keys(packages).map((path) => path.replace(/.*node_modules\//, '')));
    const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies));
    expect(wanted.filter((name) => !names.has(name))).toEqual([]);
  });
});

test('npm ci in a clone does not warn of engines, since it adds a Node that is new enough', async () => {
  const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'loglevel'], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '' },
  });
  expect(stdout.trim()).toBe('error');
});

test('packages that the checks and the sources share have one version', () => {
  const { devDependencies: own = {} } = read<Manifest>('package.json');
  const { packages } = read<Lock>('tools/checks/package-lock.json');
  for (const name of ['typescript', '@bufbuild/protobuf']) expect(packages[`node_modules/${name}`]?.version, name).toBe(own[name]);
});

/** Megabytes on disk, of 245 and 121 that it is. What a check or a bench alone needs has a folder under tools/. */
const BUDGETS = { packages: 300, node: 150 };

test(`npm ci installs at most ${BUDGETS.packages} MB, and on an old Node ${BUDGETS.node} more`, () => {
  const { packages } = read<Lock>('package-lock.json');
  const sizes = Object.keys(packages)
    .filter((path) => path !== '' && existsSync(join(root, path)))
    .map((path) => ({ path, megabytes: megabytesOf(path) }))
    .toSorted((a, b) => b.megabytes - a.megabytes);
  const total = sizes.reduce((sum, { megabytes }) => sum + megabytes, 0);
  const largest = sizes.slice(0, 10).map(({ path, megabytes }) => `${path} ${Math.round(megabytes)}`);
  expect(total, largest.join('\n')).toBeLessThan(BUDGETS.packages);
  const node = 'node_modules/.nodejs';
  if (existsSync(join(root, node))) expect(megabytesOf(`${node}/node_modules`)).toBeLessThan(BUDGETS.node);
});

/** Size of a package's own files; those that it brings in a node_modules have paths of their own. */
function megabytesOf(path: string): number {
  let blocks = 0;
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const file = join(folder, entry.name);
      if (!entry.isDirectory()) blocks += lstatSync(file).blocks;
      else if (entry.name !== 'node_modules') walk(file);
    }
  };
  walk(join(root, path));
  return (blocks * 512) / 1e6;
}

describe('npmModules', () => {
  test('installs once, though two processes ask at once, and removes what a killed one left', async () => {
    const { folder, cache, npm } = prepared();
    mkdirSync(join(cache, 'tools'), { recursive: true });
    const target = (await inProcess(folder, cache, npm, { SLUICE_CACHE: join(cache, 'other') })).stdout.trim().split('/').at(-2) ?? '';
    mkdirSync(join(cache, 'tools', `${target}.killed`));
    const runs = await Promise.all([1, 2].map(() => inProcess(folder, cache, npm)));
    const [modules] = runs.map(({ stdout }) => stdout.trim());
    for (const { stdout } of runs) expect(stdout.trim()).toBe(modules);
    expect(runs.filter(({ stderr }) => stderr.includes('npm ci, once'))).toHaveLength(1);
    expect(readFileSync(join(modules ?? '', 'made'), 'utf8')).toBe('');
    expect(readdirSync(join(cache, 'tools'))).toEqual([target]);
  });

  test('leaves nothing when npm fails, says what npm said, and works the next time', async () => {
    const { folder, cache, npm } = prepared('echo "npm error no space" >&2; exit 1');
    const env = { ...process.env, SLUICE_CACHE: cache, PATH: `${npm}:${process.env['PATH']}` };
    await expect(npmModules(folder, env)).rejects.toThrow(/cannot install the packages of tools\/some: npm error no space$/);
    expect(readdirSync(join(cache, 'tools'))).toEqual([]);
    writeNpm(npm);
    expect(existsSync(join(await npmModules(folder, env), 'made'))).toBe(true);
  });
});

/** A folder with a lock, and an npm that installs one file in it. */
function prepared(script?: string) {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-npm-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const [folder, cache, npm] = ['some', 'cache', 'bin'].map((name) => join(dir, name)) as [string, string, string];
  for (const path of [folder, npm]) mkdirSync(path);
  for (const file of ['package.json', 'package-lock.json']) writeFileSync(join(folder, file), '{}');
  writeNpm(npm, script);
  return { folder, cache, npm };
}

function writeNpm(folder: string, script = 'sleep 0.3; mkdir node_modules; touch node_modules/made'): void {
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'npm'), 0o755);
}

function inProcess(folder: string, cache: string, npm: string, env: Readonly<Record<string, string>> = {}) {
  const text = `import { npmModules } from '${join(root, 'harness/tools/npm.ts')}'; console.log(await npmModules('${folder}'));`;
  return promisify(execFile)(process.execPath, ['--input-type=module', '--eval', text], {
    env: { ...process.env, SLUICE_CACHE: cache, PATH: `${npm}:${process.env['PATH']}`, ...env },
  });
}
