import type { Pod } from '../pod.ts';

/**
 * Name of the directory on the host in which one pod has its file system. Each pod has its own: two clients that mount at one path hide each
 * other's file system, and the one that ends first unmounts it for both.
 * @param random 12 hexadecimal digits
 */
export function directoryOf({ metadata }: Pod, random: string): string {
  // The API server has not checked the name yet. Shorter than the 255 bytes of a file name.
  const name = (metadata.name ?? metadata.generateName ?? 'pod').replaceAll(/[^a-z0-9-]/g, '-').slice(0, 200);
  return `${name}${name.endsWith('-') ? '' : '-'}${random}`;
}

/** Whether a name is one that `directoryOf` returns. */
export const isDirectory = (name: string): boolean => /-[0-9a-f]{12}$/.test(name);
