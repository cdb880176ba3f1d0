/**
 * The command line as one file that runs without Node installed: `node scripts/executable.ts [--arch amd64|arm64] [--out build/executable]`.
 * It is for this machine's processors unless told, and can be built on Linux alone. The same sources give the same bytes.
 *
 * It is Node, from the npm package that the image takes it from, with the bundled command line inside (Node's single executable
 * applications). Writes sluice-linux-<arch>, and THIRD-PARTY.txt with the notices that are passed on with it.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build, type Metafile } from 'esbuild';
import { ARCHITECTURES, type Architecture, ownArchitecture } from '../src/cli/image/archive.ts';
import { messageOf } from '../src/cli/errors.ts';
import { BUNDLED, notices, withPage, without } from './bundling.ts';
import { withBlob } from './executable/elf.ts';
import { downloadsFor, nodeBinary, nodeLicence, nodeVersion } from './image/node.ts';

const root = join(import.meta.dirname, '..');
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly name: string;
  readonly version: string;
};

/** Commands that need sources or a bundler. */
const LEFT_OUT = ['new-runtime', 'image'];

/** Writes a file for each of these processors into the folder; their paths. */
export async function buildExecutables(architectures: readonly Architecture[], out: string): Promise<readonly string[]> {
  if (process.platform !== 'linux') throw new Error(`expected Linux, found ${process.platform}`);
  mkdirSync(out, { recursive: true });
  const { blob, metafile } = await blobOfProgram();
  const licences = new Set<string>();
  const files = architectures.map((architecture) => {
    const node = nodeBinary(downloadsFor(architecture), architecture);
    licences.add(`Node.js, version ${nodeVersion(architecture)}\n\n${nodeLicence(node)}`);
    const file = join(out, `sluice-linux-${architecture}`);
    rmSync(file, { force: true });
    writeFileSync(file, withBlob(readFileSync(node), blob), { mode: 0o755 });
    return file;
  });
  writeFileSync(join(out, 'THIRD-PARTY.txt'), [await notices(metafile), ...licences].join(`\n${'-'.repeat(80)}\n\n`));
  return files;
}

/** The blob that Node runs. It is the same for all processors, since it has sources, and nothing that was compiled from them. */
async function blobOfProgram(): Promise<{ readonly blob: Buffer; readonly metafile: Metafile }> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-executable-'));
  try {
    const { metafile } = await build({
      ...BUNDLED,
      entryPoints: ['src/cli/executable.ts'],
      outfile: join(folder, 'sluice.cjs'),
      format: 'cjs',
      plugins: [withPage, without(LEFT_OUT, 'UsageError', `this command needs Node and the npm package: npx ${name}`)],
    });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version }));
    // Paths are relative: the blob has them, and the folder has another name each time.
    const config = {
      main: 'sluice.cjs',
      output: 'sluice.blob',
      disableExperimentalSEAWarning: true,
      assets: { 'package.json': 'package.json' },
    };
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
    const { NODE_OPTIONS: _, ...env } = process.env;
    // The Node that makes a blob is of the version that runs it.
    const node = nodeBinary(downloadsFor(ownArchitecture()), ownArchitecture());
    execFileSync(node, ['--experimental-sea-config', 'config.json'], { cwd: folder, env, stdio: 'pipe' });
    return { blob: readFileSync(join(folder, 'sluice.blob')), metafile };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      arch: { type: 'string', multiple: true, default: [ownArchitecture()] },
      out: { type: 'string', default: join(root, 'build/executable') },
    },
  });
  try {
    const wanted = values.arch.map((arch) => {
      const known = ARCHITECTURES.find((each) => each === arch);
      if (known === undefined) throw new Error(`--arch: expected ${ARCHITECTURES.join(' or ')}, found ${arch}`);
      return known;
    });
    console.log((await buildExecutables(wanted, resolve(values.out))).join('\n'));
  } catch (error) {
    console.error(`executable: ${messageOf(error)}`);
    process.exitCode = 1;
  }
}
