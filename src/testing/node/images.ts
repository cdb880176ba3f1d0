/** The images of the tests' pods, made of this machine's Debian packages and the programs under tools/. */
import { join } from 'node:path';
import { MODULES, nodeTools } from '../tools.ts';
import { BASE_FILES, busyboxFiles, programFiles, pythonFiles } from './debian-files.ts';
import type { ImageDefinition, ImageFiles } from './image.ts';
import { PAUSE_IMAGE } from './layout.ts';

export const BUSYBOX_IMAGE = 'localhost/busybox:1';
export const FUSE_IMAGE = 'localhost/fuse:1';
export const MINIO_IMAGE = 'localhost/minio:1';
export const JUICEFS_STAND_IN_IMAGE = 'localhost/juicefs-stand-in:1';

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
const fuseFiles = (): ImageFiles => ({
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

/**
 * In the place of JuiceFS' own image (tools/node/juicefs-stand-in says what it is), and `redis-server` for its metadata. The name may be
 * another, for tests that change images.
 */
export function juicefsStandInImage(name: string = JUICEFS_STAND_IN_IMAGE): ImageDefinition {
  const redis = '/usr/bin/redis-check-rdb';
  const files = {
    ...BASE_FILES,
    ...busyboxFiles(),
    ...programFiles(...['bash', 'date', 'df', 'mount', 'umount', 'redis-cli'].map((program) => `/usr/bin/${program}`)),
    // Debian's is one program, and does what its name says.
    ...programFiles(redis),
    // Busybox' own would run its own `date` and `df`, whatever is in the image.
    '/usr/bin/sh': { link: 'bash' },
    '/usr/local/bin/redis-server': { from: redis },
    ...fuseFiles(),
    '/usr/local/bin/juicefs': { from: join(MODULES, 'node/juicefs-stand-in/juicefs') },
    '/usr/bin/mount.juicefs': { link: '/usr/local/bin/juicefs' },
  };
  return { name, files };
}
