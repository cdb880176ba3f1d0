/** When each layer at a target was bound. Kept in a file, since containers outlive plugins: only its age shows whether one may use it. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Log } from '../../kube/types.ts';
import type { MountInfo } from './mountinfo.ts';

export interface Layers {
  /** When each layer at a target was bound, ms since the epoch, by its device; undefined for one that was not bound over another. */
  at(target: string): ReadonlyMap<string, number>;
  add(target: string, device: string, now: number): void;
  /** Forgets what is not mounted any more. */
  keep(mounts: readonly MountInfo[]): void;
}

/** By device, not by the mount's id: that is another in each mount namespace. */
export function openLayers(file: string, log: Log): Layers {
  const known = read(file, log);

  function save(): void {
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o750 });
      writeFileSync(`${file}.new`, JSON.stringify([...known].map(([target, layers]) => [target, [...layers]])), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    } catch (error) {
      log.warn({ file, error: String(error) }, 'the record of bind mounts was not saved: after a restart, unused bind mounts remain');
    }
  }

  return {
    at: (target) => known.get(target) ?? new Map(),

    add(target, device, now) {
      const layers = known.get(target) ?? new Map<string, number>();
      // In doubt the older time: a container more likely uses it.
      known.set(target, layers.set(device, layers.get(device) ?? now));
      save();
    },

    keep(mounts) {
      const there = Map.groupBy(
        mounts.filter(({ mountPoint }) => known.has(mountPoint)),
        ({ mountPoint }) => mountPoint,
      );
      let gone = false;
      for (const [target, layers] of known) {
        const devices = new Set(there.get(target)?.map(({ device }) => device));
        for (const device of layers.keys()) if (!devices.has(device)) gone = layers.delete(device);
        if (layers.size === 0) known.delete(target);
      }
      if (gone) save();
    },
  };
}

function read(file: string, log: Log): Map<string, Map<string, number>> {
  try {
    const entries = JSON.parse(readFileSync(file, 'utf8')) as [string, [string, number][]][];
    return new Map(entries.map(([target, layers]) => [target, new Map(layers)]));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      log.warn({ file, error: String(error) }, 'the record of bind mounts cannot be read: starting an empty one');
    return new Map();
  }
}
