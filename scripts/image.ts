/**
 * The image, without a registry and without docker:
 * `node scripts/image.ts [--name sluice:0.1.0] [--arch amd64|arm64] [--out build/image]`. It is for this machine's processors unless told.
 *
 * Where there is no Debian, scripts/image/Dockerfile runs it in one.
 *
 * Writes system.tar and program.tar, the two layers, which the Dockerfile takes as well, and image.tar for `docker load` and
 * `ctr -n k8s.io images import`. Needs apt-get, dpkg-deb and a Debian mirror: that of this machine's own sources, or
 * DEBIAN_MIRROR, such as a snapshot of one day. The same sources and the same packages give the same bytes. For other processors Node comes
 * from the npm package that has it, in the version that this project runs on.
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle, ENTRY } from './bundle.ts';
import { ARCHITECTURES, type Architecture, ownArchitecture, writeArchive } from '../src/cli/image/archive.ts';
import { inFolders, type TarEntry, writeTarFile } from '../src/cli/image/tar-file.ts';
import { debianFiles } from './image/debian.ts';
import { downloadsFor, nodeBinary } from './image/node.ts';
import { messageOf } from '../src/cli/errors.ts';

const root = join(import.meta.dirname, '..');
const HOME = 'opt/sluice';
/** User of the controller; the node plugin's pod says that it is root. */
const USER = '65532:65532';

export interface Built {
  /** `image.tar`. */
  readonly path: string;
  /** The image's ID, `sha256:…`. */
  readonly id: string;
  /** Size of the unpacked image, in bytes. */
  readonly size: number;
}

interface BuildOptions {
  /** This machine's by default. */
  readonly architecture?: Architecture;
  /** DEBIAN_MIRROR and SOURCE_DATE_EPOCH (seconds since 1970). */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Builds the image into the folder `out`. */
export async function buildImage(
  name: string,
  out: string,
  { architecture = ownArchitecture(), env = process.env }: BuildOptions = {},
): Promise<Built> {
  const cache = downloadsFor(architecture);
  mkdirSync(out, { recursive: true });
  await bundle(join(out, 'sluice'));
  const layers = Object.entries({
    'system.tar': [...skeleton(), ...debianFiles(cache, architecture, env['DEBIAN_MIRROR']), node(cache, architecture)],
    'program.tar': [...program(join(out, 'sluice')), COMMAND],
  }).map(([file, entries]) => ({ path: join(out, file), ...writeTarFile(join(out, file), inFolders(entries)) }));
  const { version, description, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>;
  const label = (key: string) => `org.opencontainers.image.${key}`;
  const created = new Date(Number(env['SOURCE_DATE_EPOCH'] ?? 0) * 1000).toISOString();
  const config = {
    architecture,
    created,
    config: {
      Entrypoint: ['/usr/bin/node', `/${HOME}/${ENTRY}`],
      User: USER,
      WorkingDir: '/',
      Env: ['PATH=/usr/sbin:/usr/bin'],
      Labels: {
        [label('title')]: 'sluice',
        [label('description')]: description ?? '',
        [label('licenses')]: license ?? '',
        [label('version')]: version ?? '',
      },
    },
    history: layers.map(() => ({ created, created_by: 'scripts/image.ts' })),
  };
  const path = join(out, 'image.tar');
  const id = writeArchive(path, name, config, layers);
  return { path, id, size: layers.reduce((sum, layer) => sum + layer.size, 0) };
}

/** The folders of every root file system, and the places that pods mount over. */
const skeleton = (): readonly TarEntry[] => [
  ...['bin', 'sbin', 'lib', 'lib64'].map((path) => ({ path, kind: 'link', target: `usr/${path}` }) as const),
  ...['dev', 'proc', 'sys', 'run', 'etc', 'usr/bin', 'usr/sbin', 'usr/lib', 'usr/lib64'].map(folder),
  { path: 'tmp', kind: 'directory', mode: 0o1777 },
  { path: 'etc/mtab', kind: 'link', target: '/proc/self/mounts' },
  text('etc/passwd', 'root:x:0:0:root:/:/usr/sbin/nologin\nsluice:x:65532:65532:sluice:/:/usr/sbin/nologin\n'),
  text('etc/group', 'root:x:0:\nsluice:x:65532:\n'),
  text('etc/os-release', 'ID=debian\nVERSION_ID="12"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm), a few packages of it"\n'),
];

const node = (cache: string, architecture: Architecture): TarEntry => ({
  path: 'usr/bin/node',
  kind: 'file',
  source: nodeBinary(cache, architecture),
  mode: 0o755,
});

/** For shells in the image, as in pipelines. There is no `env` by which a script of Node could begin. */
const COMMAND: TarEntry = {
  path: 'usr/bin/sluice',
  kind: 'data',
  data: `#!/bin/sh\nexec /usr/bin/node /${HOME}/${ENTRY} "$@"\n`,
  mode: 0o755,
};

const program = (from: string): readonly TarEntry[] =>
  (readdirSync(from, { recursive: true, withFileTypes: true }) as readonly { isFile(): boolean; parentPath: string; name: string }[])
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((file) => ({ path: join(HOME, file.slice(from.length)), kind: 'file', source: file, mode: 0o644 }));

function folder(path: string): TarEntry {
  return { path, kind: 'directory', mode: 0o755 };
}
function text(path: string, content: string): TarEntry {
  return { path, kind: 'data', data: content, mode: 0o644 };
}

if (import.meta.main) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const { values } = parseArgs({
    options: {
      name: { type: 'string', default: `sluice:${version}` },
      arch: { type: 'string', default: ownArchitecture() },
      out: { type: 'string', default: join(root, 'build/image') },
    },
  });
  try {
    const architecture = ARCHITECTURES.find((known) => known === values.arch);
    if (architecture === undefined) throw new Error(`--arch: expected ${ARCHITECTURES.join(' or ')}, found ${values.arch}`);
    const { path, id, size } = await buildImage(values.name, resolve(values.out), { architecture });
    console.log(`${values.name} ${id} ${(size / 1e6).toFixed(0)} MB: ${path}`);
  } catch (error) {
    console.error(`image: ${messageOf(error)}`);
    process.exitCode = 1;
  }
}
