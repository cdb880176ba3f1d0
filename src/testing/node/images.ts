/** The images of the tests' pods, made of this machine's Debian packages and the programs under tools/. */
import { nodeTools } from '../tools.ts';
import { BASE_FILES, busyboxFiles, programFiles, pythonFiles } from './debian-files.ts';
import type { ImageDefinition } from './image.ts';
import { PAUSE_IMAGE } from './layout.ts';

export const BUSYBOX_IMAGE = 'localhost/busybox:1';
export const FUSE_IMAGE = 'localhost/fuse:1';
export const MINIO_IMAGE = 'localhost/minio:1';

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

const FUSE_PROGRAMS = ['s3fs', 'sshfs', 'ssh', 'fusermount3', 'bash', 'date', 'mount', 'umount', 'findmnt'];

/** FUSE clients (s3fs, sshfs, rclone) with the tools, shells and Python that entry points of such images use. */
export function fuseImage(): ImageDefinition {
  const files = {
    ...BASE_FILES,
    ...busyboxFiles(),
    ...pythonFiles(),
    ...programFiles(...FUSE_PROGRAMS.map((program) => `/usr/bin/${program}`)),
    '/usr/local/bin/rclone': { from: nodeTools().rclone },
    '/etc/fuse.conf': { text: 'user_allow_other\n' },
    '/etc/mime.types': { text: 'text/plain txt\n' },
  };
  return { name: FUSE_IMAGE, files };
}
