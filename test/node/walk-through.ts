/** The files of docs/thin-runtime.md, for a node of ours: images have other names there, and nothing else. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FUSE_IMAGE, fuseImage, type ImageDefinition, MINIO_IMAGE } from '../../harness/index.ts';
import { blocksOf } from '../support/page.ts';

/** The image of the page's own Dockerfile. */
const OWN_IMAGE = 'localhost/fluid-minio-s3fs:demo';

const IMAGES: Readonly<Record<string, string>> = {
  'minio/minio': MINIO_IMAGE,
  'rclone/rclone': FUSE_IMAGE,
  busybox: FUSE_IMAGE,
  'example.io/s3fs': FUSE_IMAGE.replace(/:.*/, ''),
  'example.io/fluid-minio-s3fs': OWN_IMAGE.replace(/:.*/, ''),
};

export const page = blocksOf('docs/thin-runtime.md');

/** FUSE clients and a program that starts one, as the page's Dockerfile makes it. */
export function imageWith(path: string, text: string, name = OWN_IMAGE): ImageDefinition {
  const { files, ...fuse } = fuseImage();
  return { ...fuse, name, files: { ...files, [path]: { text } } };
}
export const ownImage = (): ImageDefinition => imageWith('/mount.py', page.find(({ file }) => file === 'mount.py')?.text ?? '');

/** Writes the page's files into a folder, as a reader would. */
export function writeFiles(folder: string): void {
  for (const { file, text } of page) if (file) writeFileSync(join(folder, file), withLocalImages(text));
}

function withLocalImages(text: string): string {
  return text
    .replace(/^( +image: )(\S+)$/gm, (_line, key: string, image: string) => `${key}${IMAGES[image] ?? image}`)
    .replace('imageTag: v1', `imageTag: "${FUSE_IMAGE.split(':')[1] ?? ''}"`);
}
