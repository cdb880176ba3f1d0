/**
 * A release, up to the upload: `node scripts/release.ts <version> [--out build/release] [--day <date>] [--no-image]`. Nothing is pushed.
 *
 * In a clone, so that the checkout stays as it is, the changelog's section gets its version and day, package.json the version, and a commit
 * and a tag hold both. The package, the manifests, the chart, the executables and the image are built from the clone; beside them are bills of
 * materials, notes on their provenance, and checksums. The last lines are the commands of the upload.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, mkdirSync, symlinkSync, writeFileSync, renameSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { release } from './release/changelog.ts';
import { ARCHITECTURES, ownArchitecture } from '../src/cli/image/archive.ts';
import { nodeVersion } from './image/node.ts';
import { executableBom, imageBom, packageBom } from './release/sbom.ts';

const root = join(import.meta.dirname, '..');
const {
  values,
  positionals: [version = ''],
} = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    out: { type: 'string', default: join(root, 'build/release') },
    day: { type: 'string', default: new Date().toISOString().slice(0, 10) },
    image: { type: 'boolean', default: true },
  },
});
const out = resolve(values.out);
const clone = join(out, 'source');
const inClone = (program: string, ...args: readonly string[]) =>
  execFileSync(program, args, { cwd: clone, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'inherit'] }).trim();

try {
  prepare();
  const notes = tag();
  const files = [...pack(), ...manifests(), ...executables(), ...(values.image ? image() : [])];
  writeFileSync(join(out, 'NOTES.md'), `${notes}\n`);
  writeFileSync(join(out, 'PROVENANCE.md'), provenance(files));
  const sums = [...files, 'NOTES.md', 'PROVENANCE.md'].map((file) => `${sha256(join(out, file))}  ${file}`);
  writeFileSync(join(out, 'SHA256SUMS'), `${sums.join('\n')}\n`);
  console.log([`${version} is ready in ${out}:`, ...sums.map((line) => `  ${line}`), 'To upload it:', ...uploads(files)].join('\n'));
} catch (error) {
  console.error(`release: ${(error as Error).message}`);
  process.exitCode = 1;
}

/** A clone of the last commit, with the libraries of the checkout. */
function prepare(): void {
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version))
    throw new Error(`expected a version such as 1.2.3, found ${JSON.stringify(version)}`);
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain');
  if (changed) throw new Error(`expected every change committed, found ${changed.split('\n').length} files that are not`);
  if (git('tag', '--list', `v${version}`)) throw new Error(`expected no tag v${version}, found one`);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  git('clone', '--quiet', '--no-hardlinks', root, clone);
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  // The link is no folder, which is what .gitignore names.
  writeFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
}

/** Commits the version, tags the commit, and returns the section of the changelog. */
function tag(): string {
  const changelog = join(clone, 'CHANGELOG.md');
  const { text, notes } = release(readFileSync(changelog, 'utf8'), version, values.day);
  writeFileSync(changelog, text);
  inClone('npm', 'version', version, '--no-git-tag-version', '--allow-same-version', '--ignore-scripts');
  inClone('git', 'commit', '--quiet', '--all', '--message', `Release ${version}`);
  inClone('git', 'tag', '--annotate', `v${version}`, '--cleanup=verbatim', '--message', `Sluice ${version}\n\n${notes}`);
  return notes;
}

function pack(): readonly string[] {
  inClone('npm', 'pack', '--silent', '--pack-destination', out);
  const [archive = ''] = readdirSync(out).filter((file) => file.endsWith('.tgz'));
  const { dependencies, peerDependencies, peerDependenciesMeta } = packageJson();
  const installed = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => !(name in peerDependenciesMeta));
  const bom = packageBom(clone, readFileSync(join(clone, 'dist/THIRD-PARTY.txt'), 'utf8'), installed);
  return [archive, written('package.cdx.json', bom)];
}

/** Files for clusters: the manifests, a kustomization of them, and the chart as helm packs one. */
function manifests(): readonly string[] {
  const sluice = (...args: readonly string[]) => inClone(process.execPath, 'src/cli/main.ts', ...args);
  writeFileSync(join(out, 'install.yaml'), `${sluice('install', '--image', `sluice:${version}`)}\n`);
  sluice('monitoring', join(out, 'monitoring'));
  renameSync(join(out, 'monitoring/sluice-operator.yaml'), join(out, 'monitoring.yaml'));
  rmSync(join(out, 'monitoring'), { recursive: true });
  writeFileSync(join(out, 'kustomization.yaml'), 'resources: [install.yaml]\n');
  sluice('chart', join(out, 'sluice'));
  const chart = `sluice-chart-${version}.tgz`;
  const stamps = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
  execFileSync('tar', ['-C', out, ...stamps, '--use-compress-program=gzip -n', '-cf', join(out, chart), 'sluice']);
  rmSync(join(out, 'sluice'), { recursive: true });
  return ['install.yaml', 'monitoring.yaml', 'kustomization.yaml', chart];
}

/** The command line as files that run without Node, for both kinds of processors. */
function executables(): readonly string[] {
  const arches = ARCHITECTURES.flatMap((architecture) => ['--arch', architecture]);
  const files = inClone(process.execPath, 'scripts/executable.ts', ...arches, '--out', out)
    .split('\n')
    .map((file) => basename(file));
  const bom = packageBom(clone, readFileSync(join(out, 'THIRD-PARTY.txt'), 'utf8'), []);
  return [...files, 'THIRD-PARTY.txt', written('executable.cdx.json', executableBom(bom, nodeVersion(ownArchitecture())))];
}

function image(): readonly string[] {
  const name = `sluice:${version}`;
  const folder = join(out, 'image');
  const [, digest = ''] = inClone(process.execPath, 'scripts/image.ts', '--name', name, '--out', folder).split(' ');
  const status = execFileSync('tar', ['-xOf', join(folder, 'system.tar'), '--wildcards', 'var/lib/dpkg/status.d/*'], { encoding: 'utf8' });
  const statuses = status.split(/^(?=Package: )/m).filter((text) => text.trim());
  const notices = readFileSync(join(folder, 'sluice/THIRD-PARTY.txt'), 'utf8');
  const bom = imageBom(packageBom(clone, notices, []), { name, digest, node: nodeVersion(ownArchitecture()) }, statuses);
  renameSync(join(folder, 'image.tar'), join(out, 'image.tar'));
  rmSync(folder, { recursive: true });
  return ['image.tar', written('image.cdx.json', bom)];
}

function provenance(files: readonly string[]): string {
  return [
    `# Where Sluice ${version} comes from`,
    '',
    `- Source: commit ${inClone('git', 'rev-parse', 'HEAD')}, tag v${version}, from commit ${inClone('git', 'rev-parse', 'HEAD^')}`,
    `- Libraries: package-lock.json, SHA-256 ${sha256(join(clone, 'package-lock.json'))}`,
    `- Built by scripts/release.ts with Node ${process.versions.node} and npm ${inClone('npm', '--version')} on ${process.platform} ${process.arch}`,
    `- To build it again: check out the tag, \`npm ci\`, \`npm pack\`, \`npm run image\`, \`npx node scripts/executable.ts\`. The same sources, libraries and packages of Debian give the same bytes.`,
    '',
    ...files.map((file) => `- ${file}: SHA-256 ${sha256(join(out, file))}`),
    '',
    'These notes are not signed. `npm publish --provenance`, in CI, adds a signed statement to the package.',
    '',
  ].join('\n');
}

function uploads(files: readonly string[]): readonly string[] {
  return [
    `  git -C ${clone} push <remote> HEAD:main v${version}`,
    `  npm publish --provenance ${join(out, files[0] ?? '')}`,
    `  helm push ${join(out, `sluice-chart-${version}.tgz`)} oci://<registry>`,
    ...(values.image ? [`  skopeo copy docker-archive:${join(out, 'image.tar')} docker://<registry>/sluice:${version}`] : []),
  ];
}

function written(file: string, bom: object): string {
  writeFileSync(join(out, file), `${JSON.stringify(bom, null, 2)}\n`);
  return file;
}
function packageJson(): { readonly dependencies: object; readonly peerDependencies: object; readonly peerDependenciesMeta: object } {
  return JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')) as ReturnType<typeof packageJson>;
}
function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
