/**
 * What is staged on this node, and for which volumes. The kubelet keeps no more than a handle with what it stages, and a PersistentVolume
 * need not be called as its handle: so the attributes are kept in the staging path, from when it is staged until it is unstaged.
 */
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodeCluster } from './cluster.ts';
import { CsiError } from './errors.ts';
import { type Volume, type VolumeDefaults, volumeOf } from './volume.ts';

type Attributes = Readonly<Record<string, string>>;

export interface Staged {
  readonly handle: string;
  readonly path: string;
}

const fileIn = (path: string): string => join(path, 'volume.json');

export async function keepStaged(path: string, attributes: Attributes): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o750 });
  await writeFile(fileIn(path), JSON.stringify(attributes), { mode: 0o600 });
}

/** The kubelet removes the path afterwards, if it is empty. */
export const forgetStaged = (path: string): Promise<void> => rm(fileIn(path), { force: true });

/** What a staged volume is; undefined where nobody knows. */
export async function volumeAt(
  { cluster, ...defaults }: VolumeDefaults & { readonly cluster: Pick<NodeCluster, 'volume'> },
  { handle, path }: Staged,
): Promise<Volume | undefined> {
  // Staged by another plugin, or by one of ours that was older: the volume of a Dataset is called as its handle.
  const attributes = kept(path) ?? (await cluster.volume(handle))?.attributes;
  try {
    return attributes && volumeOf(attributes, defaults);
  } catch (error) {
    if (error instanceof CsiError) return undefined;
    throw error;
  }
}

function kept(path: string): Attributes | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(path), 'utf8')) as Attributes;
  } catch {
    // Half-written is as good as not there: the kubelet was not answered, and stages again.
    return undefined;
  }
}
