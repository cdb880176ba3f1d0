/** When we bound what lies at targets. Kept in a file: containers outlive plugins, and whether one stands on a layer is told by its age. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Log } from '../../kube/types.ts';
import type { Mount } from './mountinfo.ts';

export interface Layers {
  /** When each layer at a target was bound, ms since the epoch, by its device; those that were not bound over another are not known. */
  at(target: string): ReadonlyMap<string, number>;
  add(target: string, device: string, now: number): void;
  /** Forgets what is not mounted any more. */
  keep(mounts: readonly Mount[]): void;
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
      log.warn({ file, error: String(error) }, 'not written: after a restart, layers will stay that nobody needs');
    }
  }

  return {
    at: (target) => known.get(target) ?? new Map(),

    add(target, device, now) {
      const layers = known.get(target) ?? new Map<string, number>();
      // In doubt the older one: it is more likely that somebody stands on it.
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
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') log.warn({ file, error: String(error) }, 'cannot be read; begun anew');
    return new Map();
  }
}
