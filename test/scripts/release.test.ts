/** A release up to the upload, of a clone of this checkout. The image, which needs Debian, is left out; test/install builds one. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ran } from '../support/packed.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'sluice-release-'));
const checkout = join(folder, 'checkout');
const out = join(folder, 'out');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const git = (cwd: string, ...args: readonly string[]) => execFileSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 1 << 28 }).trimEnd();
const release = (...args: readonly string[]) => ran(checkout, 'node', 'scripts/release.ts', ...args, '--out', out, '--no-image');
const versionNow = () => (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string }).version;

beforeAll(() => {
  for (const who of ['AUTHOR', 'COMMITTER'])
    for (const [what, text] of [
      ['NAME', 'Test'],
      ['EMAIL', 'test@example.com'],
    ] as const)
      vi.stubEnv(`GIT_${who}_${what}`, text);
  git(folder, 'clone', '--quiet', root, checkout);
  // The test is about uncommitted files.
  const changed = git(root, 'ls-files', '--modified', '--others', '--deleted', '--exclude-standard').split('\n');
  for (const file of changed.filter((file) => file !== ''))
    if (existsSync(join(root, file))) cpSync(join(root, file), join(checkout, file));
    else rmSync(join(checkout, file), { force: true });
  const log = join(checkout, 'CHANGELOG.md');
  const text = readFileSync(log, 'utf8');
  if (!text.includes('## Unreleased')) writeFileSync(log, text.replace(/^## /m, `## Unreleased: ${versionNow()}\n\n- A change.\n\n## `));
  git(checkout, 'add', '--all');
  git(checkout, 'commit', '--quiet', '--allow-empty', '--message', 'As it is now');
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  writeFileSync(join(checkout, '.git/info/exclude'), 'node_modules\n');
});
afterAll(() => vi.unstubAllEnvs());

test('a release is a tagged commit, the package with its bill of materials, notes and checksums; nothing is pushed', async () => {
  const before = git(checkout, 'rev-parse', 'HEAD', '--all');
  const version = versionNow();
  const { code, output } = await release(version, '--day', '2026-11-25');
  expect(code, output).toBe(0);
  expect(git(checkout, 'rev-parse', 'HEAD', '--all')).toBe(before);
  expect(git(checkout, 'status', '--porcelain')).toBe('');

  const source = join(out, 'source');
  expect(git(source, 'log', '-1', '--format=%s')).toBe(`Release ${version}`);
  expect(git(source, 'cat-file', '-p', `v${version}`)).toContain(readFileSync(join(out, 'NOTES.md'), 'utf8').trim());
  expect(readFileSync(join(source, 'CHANGELOG.md'), 'utf8')).toContain(`## ${version} (2026-11-25)\n`);
  expect(git(source, 'status', '--porcelain')).toBe('');

  const sums = readFileSync(join(out, 'SHA256SUMS'), 'utf8').trim().split('\n');
  const files = readdirSync(out).filter((file) => file !== 'source' && file !== 'SHA256SUMS');
  expect(sums.map((line) => line.split('  ')[1]).toSorted()).toEqual(files.toSorted());
  for (const line of sums) {
    const [sum, file = ''] = line.split('  ');
    expect(
      createHash('sha256')
        .update(readFileSync(join(out, file)))
        .digest('hex'),
      file,
    ).toBe(sum);
  }
  expect(readFileSync(join(out, 'PROVENANCE.md'), 'utf8')).toContain(git(source, 'rev-parse', 'HEAD'));

  const bom = JSON.parse(readFileSync(join(out, 'package.cdx.json'), 'utf8')) as {
    readonly bomFormat: string;
    readonly components: readonly { readonly name: string }[];
  };
  const names = bom.components.map(({ name }) => name);
  expect(bom.bomFormat).toBe('CycloneDX');
  // The bundled and the installed packages, and none that only the build needs.
  expect(names).toEqual(expect.arrayContaining(['commander', 'undici', 'ws', 'typebox', 'cdk8s', 'constructs']));
  expect(names).not.toEqual(expect.arrayContaining(['esbuild']));
  expect(names).not.toContain('typescript');
  expect(files).toEqual(expect.arrayContaining(['sluice-linux-amd64', 'sluice-linux-arm64', 'THIRD-PARTY.txt']));
  const executable = JSON.parse(readFileSync(join(out, 'executable.cdx.json'), 'utf8')) as typeof bom;
  const inExecutable = executable.components.map(({ name }) => name);
  expect(inExecutable).toEqual(expect.arrayContaining(['commander', 'undici', 'typebox', 'node']));
  expect(inExecutable).not.toContain('vitest');
  // Types of the Kubernetes API, and nothing that runs (decision 39).
  expect(names).not.toContain('@kubernetes/client-node');
});

test('a release is refused for another version than the changelog has, and for changes that are not committed', async () => {
  expect(await release('99.0.0')).toMatchObject({ code: 1, output: expect.stringContaining('## Unreleased: 99.0.0') });
  writeFileSync(join(checkout, 'README.md'), 'changed');
  expect(await release(versionNow())).toMatchObject({ code: 1, output: expect.stringContaining('expected every change committed') });
});
