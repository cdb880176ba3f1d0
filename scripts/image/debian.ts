/**
 * The few files of Debian that the image needs, out of packages that apt has verified. Neither root nor a registry is asked for, and the
 * machine's own packages are neither used nor changed: apt works in a folder of its own.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  lstatSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Architecture } from '../../src/cli/image/archive.ts';
import type { TarEntry } from '../../src/cli/image/tar-file.ts';

export const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** Packages of the programs below, and the libraries of these and of Node. */
const PACKAGES = 'mount util-linux coreutils dash libc6 libgcc-s1 libstdc++6 libblkid1 libmount1 libpcre2-8-0 libselinux1'.split(' ');
/**
 * The programs that the node plugin runs, and those that wait for the prefetcher. Programs that nothing calls are left out: they would only
 * have to be patched.
 */
const PROGRAMS = ['mount', 'umount', 'mkdir', 'cat', 'stat', 'sleep', 'dash', 'sh'];

/**
 * Programs, their libraries, the packages' licences, and for scanners what version each is. `cache` keeps downloads from run to run, for
 * one architecture; without `mirror` they come from where this machine has its own packages from.
 */
export function debianFiles(cache: string, architecture: Architecture, mirror: string | undefined): readonly TarEntry[] {
  refuseWithoutPrograms();
  const debs = downloaded(cache, architecture, mirror === undefined ? configuredSites() : sitesOf(mirror));
  const unpacked = mkdtempSync(join(cache, 'unpacked-'));
  try {
    const entries: TarEntry[] = [];
    for (const deb of debs) {
      const name = /^[^_]+/.exec(deb)?.[0] ?? deb;
      const folder = join(unpacked, name);
      execFileSync('dpkg-deb', ['--extract', join(cache, 'debs', deb), folder]);
      entries.push(...filesIn(folder).flatMap((path) => kept(folder, path)));
      const status = execFileSync('dpkg-deb', ['--field', join(cache, 'debs', deb)]);
      // Where scanners look for packages of images without a package manager.
      entries.push({ path: `var/lib/dpkg/status.d/${name}`, kind: 'data', data: status, mode: 0o644 });
    }
    return entries;
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}

/** The files of Debian are taken out of packages by Debian's own programs. */
function refuseWithoutPrograms(): void {
  const missing = ['apt-get', 'dpkg-deb', 'flock'].filter((program) => spawnSync(program, ['--version']).error !== undefined);
  if (missing.length > 0)
    throw new Error(`expected ${missing.join(', ')}, which Debian has; elsewhere: docker build -f scripts/image/Dockerfile -t <image> .`);
}

const SUITES = ['bookworm', 'bookworm-security'] as const;
type Suite = (typeof SUITES)[number];
type Sites = Readonly<Record<Suite, string>>;

const sitesOf = (mirror: string): Sites => ({ bookworm: `${mirror}/debian`, 'bookworm-security': `${mirror}/debian-security` });

/** Where the machine's own sources say that the suites are. */
function configuredSites(): Sites {
  return sitesIn(
    execFileSync('apt-get', ['indextargets', '--format', '$(RELEASE) $(REPO_URI)', 'Created-By: Packages'], { encoding: 'utf8' }),
  );
}

/** The sites of lines `suite address`. A mirror that has a suite of another Debian has these too. */
export function sitesIn(lines: string): Sites {
  const found = lines.split('\n').map((line) => line.split(' ') as [string, string?]);
  const siteOf = (suite: Suite): string | undefined => {
    const folder = suite.endsWith('-security') ? /\/debian-security\/?$/ : /\/debian\/?$/;
    return (found.find(([name]) => name === suite) ?? found.find(([, site]) => folder.test(site ?? '')))?.[1];
  };
  const missing = SUITES.filter((suite) => siteOf(suite) === undefined);
  if (missing.length > 0)
    throw new Error(
      `apt sources: expected the suites ${SUITES.join(' and ')}, found no ${missing.join(', no ')}; name a mirror by DEBIAN_MIRROR`,
    );
  return Object.fromEntries(SUITES.map((suite) => [suite, siteOf(suite)!])) as Sites;
}

/** Names of the .deb files in the cache; what is there already and has the right hash is not fetched again. */
function downloaded(cache: string, architecture: Architecture, sites: Sites): readonly string[] {
  if (!existsSync(KEYRING)) throw new Error(`${KEYRING} is missing: apt-get install debian-archive-keyring`);
  for (const folder of ['state/lists/partial', 'archives/partial', 'debs', 'empty']) mkdirSync(join(cache, folder), { recursive: true });
  const source = (suite: Suite) => `deb [signed-by=${KEYRING}] ${sites[suite]} ${suite} main\n`;
  keep(join(cache, 'status'), '');
  keep(join(cache, 'sources.list'), SUITES.map(source).join(''));
  const settings = {
    'Dir::State': join(cache, 'state'),
    'Dir::State::status': join(cache, 'status'),
    'Dir::Cache': cache,
    'Dir::Etc::SourceList': join(cache, 'sources.list'),
    'Dir::Etc::SourceParts': '-',
    'APT::Sandbox::User': '',
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
  };
  const apt = (cwd: string, ...args: readonly string[]) => {
    const options = Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
    // Another build may be under way: apt itself would not wait for it, but fail.
    const argv = ['--exclusive', join(cache, 'lock'), 'apt-get', '-qq', ...options, ...args];
    return execFileSync('flock', argv, { cwd: join(cache, cwd), encoding: 'utf8' });
  };
  apt('empty', 'update');
  // apt does not print packages that are already in the folder for downloads.
  const lines = apt('empty', 'download', '--print-uris', ...PACKAGES)
    .trim()
    .split('\n');
  return lines
    .map((line) => {
      const [, file = '', hash = ''] = /^'\S+' (\S+) \d+ SHA256:(\w+)$/.exec(line) ?? [];
      if (!file) throw new Error(`apt-get download --print-uris: expected a package a line, found ${line}`);
      const path = join(cache, 'debs', file);
      const isThere = () => existsSync(path) && createHash('sha256').update(readFileSync(path)).digest('hex') === hash;
      // apt checks signature and hash; the second look is at what it left.
      if (!isThere()) apt('debs', 'download', file.split('_')[0] ?? '');
      if (!isThere()) throw new Error(`${file}: expected SHA256 ${hash} after apt-get download`);
      return file;
    })
    .toSorted();
}

/** Whoever reads it meanwhile finds it whole. */
function keep(path: string, text: string): void {
  const mine = `${path}.${process.pid}`;
  writeFileSync(mine, text);
  renameSync(mine, path);
}

const filesIn = (folder: string): readonly string[] => (readdirSync(folder, { recursive: true }) as string[]).toSorted();

function kept(folder: string, path: string): readonly TarEntry[] {
  const stat = lstatSync(join(folder, path));
  // Debian's packages still say /bin and /lib, which are links to what is below /usr.
  const merged = path.replace(/^(s?bin|lib|lib64)\//, 'usr/$1/');
  const isProgram = PROGRAMS.some((name) => merged === `usr/bin/${name}` || merged === `usr/sbin/${name}`);
  const isLibrary = /^usr\/lib(64)?\/([^/]+-linux-gnu[^/]*\/)?[^/]+\.so(\.[\d.]+)?$/.test(merged);
  const isLicence = /^usr\/share\/doc\/[^/]+\/copyright$/.test(merged);
  if (!isProgram && !isLibrary && !isLicence) return [];
  if (stat.isSymbolicLink()) return [{ path: merged, kind: 'link', target: readlinkSync(join(folder, path)) }];
  // Nothing is set-uid: whoever mounts here is root.
  return [{ path: merged, kind: 'data', data: readFileSync(join(folder, path)), mode: isProgram || isLibrary ? 0o755 : 0o644 }];
}
