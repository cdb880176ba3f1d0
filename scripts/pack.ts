/**
 * The package as `npm publish` would upload it: `node scripts/pack.ts` prints the path of its archive. It is built again only when something
 * that goes into it has changed, so all tests of one run share an archive.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { lock } from '../harness/tools/lock.ts';

const root = join(import.meta.dirname, '..');
const cache = join(root, 'node_modules/.cache/sluice/package');
/** The sources of an archive. */
const SOURCES = [
  'package.json',
  'package-lock.json',
  'tsconfig*.json',
  '*.md',
  'LICENSE',
  'scripts/{build,bundling}.ts',
  'scripts/package/*',
];
const FOLDERS = ['src', 'runtimes', 'crds', 'docs', 'examples'];

/** Path of the archive. Only one process at a time builds it: the build empties dist/. */
export async function packed(): Promise<string> {
  const archive = join(cache, keyOfSources(), 'package.tgz');
  mkdirSync(cache, { recursive: true });
  if (existsSync(archive)) return archive;
  const unlock = await lock(join(cache, 'lock'), () => {});
  try {
    // Another process may have built it meanwhile.
    if (!existsSync(archive)) await build(archive);
  } finally {
    unlock();
  }
  return archive;
}

/** `npm pack`, whose `prepack` builds. */
async function build(archive: string): Promise<void> {
  const folder = mkdtempSync(join(cache, 'new-'));
  try {
    // An earlier build must not hide that this one made nothing.
    rmSync(join(root, 'dist'), { recursive: true, force: true });
    await promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root });
    const [file = ''] = globSync('*.tgz', { cwd: folder });
    // Archives of earlier sources.
    for (const old of globSync('????????????????', { cwd: cache })) rmSync(join(cache, old), { recursive: true, force: true });
    mkdirSync(dirname(archive), { recursive: true });
    renameSync(join(folder, file), archive);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function keyOfSources(): string {
  const files = globSync([...SOURCES, ...FOLDERS.map((folder) => `${folder}/**`)], { cwd: root }).toSorted();
  const hash = createHash('sha256');
  for (const file of files)
    if (statSync(join(root, file)).isFile())
      hash
        .update(file)
        .update('\0')
        .update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 16);
}

if (import.meta.main) console.log(await packed());
