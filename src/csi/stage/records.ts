/**
 * The volumes staged on this node. The kubelet keeps no more than a handle with what it stages, and a PersistentVolume
 * need not be called as its handle: so what was learnt is kept on the node, from when a volume is staged until it is unstaged. Not in the
 * staging path, which is the kubelet's and has to be empty when it is removed, also by a kubelet that calls another plugin by then.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../kube/types.ts';
import type { FuseOf } from './fuse-label.ts';
import { stagedVolumes, writtenAt } from '../kubelet.ts';

type Attributes = Readonly<Record<string, string>>;

export interface StagedRecord {
  readonly handle: string;
  readonly attributes: Attributes;
  /** Absent in what an older plugin has left. */
  readonly fuse?: FuseOf;
}

export interface StagedRecords {
  get(handle: string): StagedRecord | undefined;
  keep(record: StagedRecord): void;
  forget(handle: string): void;
}

/** threat-model: R-staged */
export function openStaged(directory: string): StagedRecords {
  // By a name that any handle has.
  const fileOf = (handle: string) => join(directory, `${createHash('sha256').update(handle).digest('hex')}.json`);
  return {
    get: (handle) => read<StagedRecord>(fileOf(handle)),
    keep(record) {
      mkdirSync(directory, { recursive: true, mode: 0o750 });
      const file = fileOf(record.handle);
      writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
    forget: (handle) => rmSync(fileOf(handle), { force: true }),
  };
}

/**
 * Takes over what an earlier version kept in the kubelet's staging paths, and drops what is about volumes that the kubelet does not have
 * staged any more, or has had staged again by another plugin since. To be called before the kubelet calls.
 */
export function tidyStaged(directory: string, kubeletDir: string, log: Log): void {
  const staged = openStaged(directory);
  const volumes = stagedVolumes(kubeletDir);
  for (const { handle, path } of volumes) {
    const old = join(path, 'volume.json');
    const attributes = handle === undefined ? undefined : read<Attributes>(old);
    if (handle !== undefined && attributes && !staged.get(handle)) staged.keep({ handle, attributes });
    if (handle !== undefined) rmSync(old, { force: true });
  }
  // One that cannot be read might be any of them.
  if (volumes.some(({ handle }) => handle === undefined)) return;
  const begunAt = new Map(volumes.map((volume) => [volume.handle, volume.begunAt ?? 0]));
  for (const file of filesIn(directory)) {
    const handle = read<StagedRecord>(join(directory, file))?.handle;
    // A plugin keeps a record after the kubelet began: a younger beginning was for another plugin, perhaps of another Dataset of that name.
    if (handle !== undefined && (writtenAt(join(directory, file)) ?? 0) >= (begunAt.get(handle) ?? Number.POSITIVE_INFINITY)) continue;
    log.info({ handle }, 'not staged any more: forgotten');
    rmSync(join(directory, file), { force: true });
  }
}

function filesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function read<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    // Half-written is as good as not there: the kubelet was not answered, and stages again.
    return undefined;
  }
}
