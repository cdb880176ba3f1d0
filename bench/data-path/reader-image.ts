/** The image of pods that read and write: Python, reader.py, and the FUSE clients of the thin runtimes. */
import { join } from 'node:path';
import { fuseImage } from '../../harness/index.ts';
import type { ImageDefinition, ImageFiles } from '../../scripts/image/archive.ts';

export const READER_IMAGE = 'localhost/data-path-reader:1';

export const readerImage = (programs: ImageFiles = {}): ImageDefinition => ({
  name: READER_IMAGE,
  files: { ...fuseImage().files, ...programs, '/reader.py': { from: join(import.meta.dirname, 'reader.py') } },
});
