/** The images of the tests' pods, made of this machine's Debian packages and the programs under tools/. */
import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ImageDefinition, ImageFiles } from './image.ts';
import { PAUSE_IMAGE } from './layout.ts';
import type { NodeTools } from '../tools.ts';

export const BUSYBOX_IMAGE = 'localhost/busybox:1';

export function pauseImage({ pause }: Pick<NodeTools, 'pause'>): ImageDefinition {
  return { name: PAUSE_IMAGE, files: { '/pause': { from: pause } }, entrypoint: ['/pause'] };
}

/** A shell and the usual commands. */
export function busyboxImage(): ImageDefinition {
  return { name: BUSYBOX_IMAGE, files: { ...BASE, ...busybox() } };
}

/** Folders and names that programs take for granted. */
const BASE: ImageFiles = {
  ...Object.fromEntries(['bin', 'sbin', 'lib', 'lib64'].map((name) => [`/${name}`, { link: `usr/${name}` }])),
  ...Object.fromEntries(['/dev', '/proc', '/sys', '/run', '/root', '/var'].map((path) => [path, { directory: true }])),
  '/tmp': { directory: true, mode: 0o1777 },
  '/etc/passwd': { text: 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n' },
  '/etc/group': { text: 'root:x:0:\nnogroup:x:65534:\n' },
  '/etc/mtab': { link: '/proc/self/mounts' },
};

function busybox(): ImageFiles {
  const program = '/bin/busybox';
  const applets = execFileSync(program, ['--list'], { encoding: 'utf8' }).trim().split('\n');
  return {
    ...Object.fromEntries(applets.map((applet) => [`/usr/bin/${applet}`, { link: 'busybox' }])),
    '/usr/bin/busybox': { from: realpathSync(program) },
  };
}
