import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ownPackage } from '../../../src/cli/version.ts';
import { root, sluice } from '../run.ts';

test('a package that a checkout creates is developed against what npm pack writes there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-vendor-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { code, stdout } = await sluice(['new-runtime', 'acme', '--dir', folder]);
  expect(code).toBe(0);
  expect(stdout).toContain('\nNext:\n  (cd . && npm pack)\n');
  expect(stdout).toContain('npx sluice playground --config sluice.config.ts\n');
  const { devDependencies, peerDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    'devDependencies' | 'peerDependencies',
    Record<string, string>
  >;
  const { name, version } = ownPackage();
  const { filename } = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], { cwd: root, encoding: 'utf8' }),
  )[0];
  expect(resolve(folder, devDependencies[name]?.replace(/^file:/, '') ?? '')).toBe(join(root, filename));
  expect(peerDependencies).toEqual({ [name]: `^${version}` });
});
