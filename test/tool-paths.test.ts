/** Files that the settings of checks name exist: an entry for one that was moved permits something at its next user. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const missing = (paths: readonly string[]): readonly string[] =>
  paths.filter((path) => !path.startsWith('!') && globSync(path, { cwd: ROOT, exclude: ['node_modules/**'] }).length === 0);

const NAMED: Readonly<Record<string, () => readonly string[]>> = {
  '.oxlintrc.json': () =>
    (read('.oxlintrc.json') as { overrides: readonly { files: readonly string[] }[] }).overrides.flatMap(({ files }) => files),
  'knip.json': () => {
    const { entry, project } = read('knip.json') as { entry: readonly string[]; project: readonly string[] };
    return [...entry, ...project];
  },
};

test.each(Object.entries(NAMED))('%s names files that exist', (_, named) => expect(missing(named())).toEqual([]));

test('a file that does not exist is found', () => {
  expect(missing(['src/index.ts', 'src/none.ts', 'src/none/**'])).toEqual(['src/none.ts', 'src/none/**']);
});
