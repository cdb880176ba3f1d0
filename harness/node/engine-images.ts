/** The images of engines whose programs only `npm run engines` builds. */
import type { ImageDefinition } from '../../scripts/image/archive.ts';
import { engineTools } from '../tools/tools.ts';
import { BASE_FILES, busyboxFiles, programFiles, pythonFiles } from './debian-files.ts';
import { fuseFiles } from './images.ts';

export const GCSFUSE_IMAGE = 'localhost/gcsfuse:3.11.4';
export const SEAWEEDFS_IMAGE = 'localhost/seaweedfs:4.53';
export const FAKE_GCS_IMAGE = 'localhost/fake-gcs:1.56.1';

/** The client of Google Cloud Storage, and what unmounts for it. */
export function gcsfuseImage(): ImageDefinition {
  const files = { ...BASE_FILES, ...busyboxFiles(), ...fuseFiles(), '/usr/bin/gcsfuse': { from: engineTools().gcsfuse } };
  return { name: GCSFUSE_IMAGE, files };
}

/** In the place of Google's store: its API over HTTP. Python is for a server of tokens. */
export function fakeGcsImage(): ImageDefinition {
  const program = { from: engineTools()['fake-gcs-server'] };
  return { name: FAKE_GCS_IMAGE, files: { ...BASE_FILES, ...busyboxFiles(), ...pythonFiles(), '/usr/local/bin/fake-gcs-server': program } };
}

/** SeaweedFS as examples/seaweedfs/Dockerfile has it: its one program, and Python for the scripts of the class. */
export function seaweedfsImage(): ImageDefinition {
  const files = {
    ...BASE_FILES,
    ...busyboxFiles(),
    ...pythonFiles(),
    ...programFiles(...['mount', 'umount', 'mountpoint'].map((program) => `/usr/bin/${program}`)),
    ...fuseFiles(),
    '/usr/bin/weed': { from: engineTools().weed },
  };
  return { name: SEAWEEDFS_IMAGE, files };
}
