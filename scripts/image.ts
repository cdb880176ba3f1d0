/**
 * The image, without a registry and without docker: `node scripts/image.ts [--name sluice:0.1.0] [--out build/image]`.
 *
 * Writes system.tar and program.tar, the two layers, which the Dockerfile takes as well, and image.tar for `docker load` and
 * `ctr -n k8s.io images import`. Needs apt-get, dpkg-deb and a Debian mirror (DEBIAN_MIRROR, default http://deb.debian.org; with one of
 * snapshot.debian.org the packages of a day). The same sources and the same packages give the same bytes.
 */
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle, ENTRY } from './bundle.ts';
import { dockerArchive, type Entry, tar } from './image/archive.ts';
import { debianFiles } from './image/debian.ts';

const root = join(import.meta.dirname, '..');
const HOME = 'opt/sluice';
/** Of the controller; the node plugin's pod says that it is root. */
const USER = '65532:65532';

export interface Built {
  /** `image.tar`. */
  readonly path: string;
  /** The image's ID, `sha256:…`. */
  readonly id: string;
  /** Of the image unpacked, in bytes. */
  readonly size: number;
}

/** Builds the image into the folder `out`. */
export async function buildImage(
  name: string,
  out: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Built> {
  const cache = join(root, 'node_modules/.cache/sluice/debian');
  mkdirSync(cache, { recursive: true });
  mkdirSync(out, { recursive: true });
  await bundle(join(out, 'sluice'));
  const layers = {
    'system.tar': tar([...skeleton(), ...debianFiles(cache, env['DEBIAN_MIRROR'] ?? 'http://deb.debian.org'), node()]),
    'program.tar': tar(program(join(out, 'sluice'))),
  };
  for (const [file, layer] of Object.entries(layers)) writeFileSync(join(out, file), layer);
  const { version, description, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>;
  const label = (key: string) => `org.opencontainers.image.${key}`;
  const { archive, id } = dockerArchive(
    name,
    {
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      created: new Date(Number(env['SOURCE_DATE_EPOCH'] ?? 0) * 1000).toISOString(),
      entrypoint: ['/usr/bin/node', `/${HOME}/${ENTRY}`],
      user: USER,
      labels: {
        [label('title')]: 'sluice',
        [label('description')]: description ?? '',
        [label('licenses')]: license ?? '',
        [label('version')]: version ?? '',
      },
    },
    Object.values(layers),
  );
  const path = join(out, 'image.tar');
  writeFileSync(path, archive);
  return { path, id, size: Object.values(layers).reduce((sum, layer) => sum + layer.length, 0) };
}

/** What every root file system has, and the places that pods put something over. */
const skeleton = (): readonly Entry[] => [
  ...['bin', 'sbin', 'lib', 'lib64'].map((path) => ({ path, mode: 0o777, link: `usr/${path}` })),
  ...['dev', 'proc', 'sys', 'run', 'etc', 'usr/bin', 'usr/sbin', 'usr/lib', 'usr/lib64'].map(folder),
  { path: 'tmp', mode: 0o1777, folder: true },
  { path: 'etc/mtab', mode: 0o777, link: '/proc/self/mounts' },
  text('etc/passwd', 'root:x:0:0:root:/:/usr/sbin/nologin\nsluice:x:65532:65532:sluice:/:/usr/sbin/nologin\n'),
  text('etc/group', 'root:x:0:\nsluice:x:65532:\n'),
  text('etc/os-release', 'ID=debian\nVERSION_ID="12"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm), a few packages of it"\n'),
];

/** The one that the project itself runs on. */
const node = (): Entry => ({ path: 'usr/bin/node', mode: 0o755, data: readFileSync(realpathSync(join(root, 'node_modules/.bin/node'))) });

const program = (from: string): readonly Entry[] =>
  (readdirSync(from, { recursive: true, withFileTypes: true }) as readonly { isFile(): boolean; parentPath: string; name: string }[])
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((file) => ({ path: join(HOME, file.slice(from.length)), mode: 0o644, data: readFileSync(file) }));

function folder(path: string): Entry {
  return { path, mode: 0o755, folder: true };
}
function text(path: string, content: string): Entry {
  return { path, mode: 0o644, data: Buffer.from(content) };
}

if (import.meta.main) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const { values } = parseArgs({
    options: { name: { type: 'string', default: `sluice:${version}` }, out: { type: 'string', default: join(root, 'build/image') } },
  });
  const { path, id, size } = await buildImage(values.name, resolve(values.out));
  console.log(`${values.name} ${id} ${(size / 1e6).toFixed(0)} MB: ${path}`);
}
