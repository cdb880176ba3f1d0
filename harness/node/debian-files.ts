/** Programs of this machine with what they need to run, as files of an image. */
import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ImageFiles } from '../../scripts/image/archive.ts';

/** Folders and names that programs take for granted; as in Debian, everything is in /usr. */
export const BASE_FILES: ImageFiles = {
  ...Object.fromEntries(['bin', 'sbin', 'lib', 'lib64'].map((name) => [`/${name}`, { link: `usr/${name}` }])),
  ...Object.fromEntries(
    ['/dev', '/etc', '/proc', '/sys', '/run', '/root', '/var', '/usr/sbin', '/usr/lib', '/usr/lib64'].map((path) => [
      path,
      { directory: true },
    ]),
  ),
  '/tmp': { directory: true, mode: 0o1777 },
  // sshd does not start without a user of its own.
  '/etc/passwd': {
    text: 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\nsshd:x:102:65534::/run/sshd:/bin/false\n',
  },
  '/etc/group': { text: 'root:x:0:\nnogroup:x:65534:\n' },
  '/etc/mtab': { link: '/proc/self/mounts' },
};

/** The static busybox, under the names of all its commands. */
export function busyboxFiles(): ImageFiles {
  const program = '/bin/busybox';
  const commands = execFileSync(program, ['--list'], { encoding: 'utf8' }).trim().split('\n');
  const links = commands.filter((command) => command !== 'busybox').map((command) => [`/usr/bin/${command}`, { link: 'busybox' }]);
  return { ...Object.fromEntries(links), '/usr/bin/busybox': { from: realpathSync(program) } };
}

/** Programs at the paths given, and the libraries that they name. */
export function programFiles(...programs: readonly string[]): ImageFiles {
  const files = programs.flatMap((program) => [program, ...librariesOf(program)]);
  return Object.fromEntries(files.map((path) => [inUsr(path), { from: realpathSync(path) }]));
}

/** The programs and libraries of unpacked Debian packages whose paths end so; and the libraries that they name, of those or of this machine. */
export function unpackedFiles(folder: string, ...ends: readonly string[]): ImageFiles {
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
  const folders = [...new Set(all.filter((path) => path.includes('.so')).map((path) => dirname(path)))];
  const files = all.filter((path) => ends.some((end) => path.endsWith(end))).flatMap((path) => [path, ...librariesOf(path, folders)]);
  const inImage = (path: string) => inUsr(path.startsWith(folder) ? path.slice(folder.length) : path);
  return Object.fromEntries(files.map((path) => [inImage(path), { from: realpathSync(path) }]));
}

/** A folder with all that is in it, except what has one of the names. */
function folderFiles(folder: string, without: readonly string[]): ImageFiles {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !without.includes(name));
  return Object.assign(
    {},
    ...entries.map((entry): ImageFiles => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return folderFiles(path, without);
      return entry.isFile() ? { [inUsr(path)]: { from: path, mode: 0o644 } } : {};
    }),
  ) as ImageFiles;
}

/** Debian's Python with its standard library, as far as it needs no libraries of others. */
export function pythonFiles(): ImageFiles {
  const library = dirname(execFileSync('/usr/bin/python3', ['-c', 'import os; print(os.__file__)'], { encoding: 'utf8' }).trim());
  const folders = readdirSync(library, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const wanted = [
    'collections',
    'concurrent',
    'ctypes',
    'email',
    'encodings',
    'html',
    'http',
    'importlib',
    'json',
    'logging',
    're',
    'urllib',
  ];
  const unwanted = folders.map(({ name }) => name).filter((name) => !wanted.includes(name));
  return {
    ...folderFiles(library, unwanted),
    // Python looks for itself by it.
    [`${library}/lib-dynload`]: { directory: true },
    ...programFiles('/usr/bin/python3'),
  };
}

/** Modules that Debian's Python has as libraries, with what those need. */
export function pythonModuleFiles(...modules: readonly string[]): ImageFiles {
  const script = 'import importlib.util, sys; print(*(importlib.util.find_spec(name).origin for name in sys.argv[1:]), sep="\\n")';
  return programFiles(
    ...execFileSync('/usr/bin/python3', ['-c', script, ...modules], { encoding: 'utf8' })
      .trim()
      .split('\n'),
  );
}

/** A library that programs open by its name, and what it needs. */
export function libraryFiles(name: string): ImageFiles {
  const known = execFileSync('/sbin/ldconfig', ['-p'], { encoding: 'utf8' }).split('\n');
  const path = known.find((line) => line.trim().startsWith(`${name} `))?.split(' => ')[1];
  if (path === undefined) throw new Error(`no library ${name} here`);
  return programFiles(path);
}

/** Debian's Java without a display: the package's files, and the libraries that its own name. */
export function javaFiles(): ImageFiles {
  const listed = execFileSync('dpkg-query', ['--listfiles', JAVA_PACKAGE], { encoding: 'utf8' }).split('\n');
  const wanted = listed.filter((path) => /^\/(usr\/lib\/jvm|etc)\//.test(path) && !JAVA_UNUSED.test(path));
  const files = wanted.map((path): ImageFiles => {
    const found = lstatSync(path);
    if (found.isDirectory()) return {};
    if (found.isSymbolicLink()) return { [path]: { link: readlinkSync(path) } };
    return { [path]: { from: path, mode: found.mode & 0o777 } };
  });
  const binaries = wanted.filter((path) => /\.so$|\/bin\/java$/.test(path) && lstatSync(path).isFile());
  const libraries = binaries.flatMap((path) => librariesOf(path)).filter((path) => !path.includes('/jvm/'));
  return {
    ...(Object.assign({}, ...files) as ImageFiles),
    ...Object.fromEntries(libraries.map((path) => [inUsr(path), { from: realpathSync(path) }])),
    '/usr/bin/java': { link: wanted.find((path) => path.endsWith('/bin/java')) ?? '' },
  };
}

const JAVA_PACKAGE = 'openjdk-17-jre-headless';
/** Where the package is installed; another Java may have its names in /usr/bin. */
export const JAVA_SETTINGS = '/etc/java-17-openjdk/security/java.security';
/** Files for drawing, sound, compiling and debugging, and libraries for long pointers. */
const JAVA_UNUSED = /\/(legal|man|jfr)\/|nocoops|ct\.sym|lib(awt|mlib|fontmanager|javajpeg|lcms|jsound|jdwp|saproc|dt_socket|j2pcsc|sctp)/;

/** As the dynamic linker finds them: first in the folders given. */
export function librariesOf(program: string, folders: readonly string[] = []): readonly string[] {
  // A static program is no error here: it needs nothing.
  const script = 'LD_LIBRARY_PATH=$2 ldd "$1" 2>/dev/null || true';
  const lines = execFileSync('sh', ['-c', script, 'sh', program, folders.join(':')], { encoding: 'utf8' }).split('\n');
  return lines.map((line) => /(?:=> |^\s*)(\/\S+) \(0x/.exec(line)?.[1]).filter((path) => path !== undefined);
}

export function inUsr(path: string): string {
  return path.replace(/^\/(bin|sbin|lib|lib64)\//, '/usr/$1/');
}
