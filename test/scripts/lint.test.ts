import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { CHECKS, npmProgram } from '../../harness/tools/npm.ts';

const ROOT = join(import.meta.dirname, '../..');
const oxlint = await npmProgram(CHECKS, 'oxlint');
const folder = mkdtempSync(join(tmpdir(), 'sluice-lint-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The findings of `npm run check -- lint` in a file of the project with this path and text. */
function lint(path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  copyFileSync(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  const { status, stdout } = spawnSync(oxlint, ['--quiet', path], { cwd: folder, encoding: 'utf8' });
  rmSync(file);
  return status === 0 ? '' : stdout;
}

test.each(['fs', 'node:fs', 'fs/promises', 'node:fs/promises'])('the node plugin may import %s in files that are named alone', (name) => {
  const text = `import { stat } from '${name}';\nexport const look = stat;\n`;
  for (const path of ['src/csi/stage/stage.ts', 'src/csi/mounts/host.ts', 'src/csi/new.ts'])
    expect(lint(path, text)).toContain('may never answer');
  for (const path of ['src/csi/mounts/targets.ts', 'src/cli/csi.ts', 'src/kube/other.ts']) expect(lint(path, text)).toBe('');
});
