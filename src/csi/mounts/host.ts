/** The node: its mount table, and what changes it. Nothing here touches a path on a FUSE mount but in a child that can be left behind. */
import { lstatSync, mkdirSync, readlinkSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { createBinder } from './binder.ts';
import type { Binding, Target } from './binding.ts';
import { isOnFuse, type Mount, topAt } from './mountinfo.ts';
import { createReach } from './reach.ts';
import { createScratch, UNMOUNT_MS } from './scratch.ts';
import type { Ended, Run } from './shells.ts';
import type { MountWatch } from './watch.ts';

export interface Host {
  /** The mount table of this moment. */
  mounts(): Promise<readonly Mount[]>;
  /** What is at a path on which nothing is mounted. @throws Error where it lies on a FUSE mount, as all that is about targets */
  look(target: string): Target;
  /** Makes the directory to mount on; its parents too. */
  makeTarget(target: string): void;
  /** Makes the directory on which a FUSE client mounts, unless one has. */
  makeSource(source: string): void;
  /** @throws NotBound */
  bind(binding: Binding): Promise<void>;
  /** A link to the source, in the place of an empty directory or of another link. @throws NotBound */
  link(binding: Binding): Promise<void>;
  /** How full the file system is on which a path lies, as `stat -f` prints it. @throws NoAnswer */
  statfs(path: string): Promise<Ended>;
  /** Unmounts the uppermost mount at a path; `lazily`: although it is in use. @throws Error */
  unmount(path: string, lazily: boolean): Promise<void>;
  /** Removes the target's directory or link. @throws Error also when something is still mounted there */
  removeTarget(target: string): void;
}

const BIND_MS = 10_000;
/** A file system that takes longer to answer statfs is reported as abnormal. */
export const STATFS_MS = 3_000;

export interface HostOptions {
  readonly watch: MountWatch;
  /** Of shells that define BIND_FUNCTIONS. */
  readonly run: Run;
  /** A directory on a private mount; openScratch creates one. */
  readonly scratch: string;
  /** How long a child may take to reach a source, ms. */
  readonly bindMs?: number;
}

export function createHost({ watch, run, scratch, bindMs = BIND_MS }: HostOptions): Host {
  const reach = createReach(run);
  const binder = createBinder({ watch, reach, scratch: createScratch(scratch, run), bindMs });

  /**
   * Targets lie in the kubelet's directory, which is the node's own disk: what is done there takes some µs, and by way of the thread pool it
   * would take ten times as long. Below a FUSE mount it might never end, so it is rejected.
   */
  function local(target: string): string {
    if (isOnFuse(watch.last(), dirname(target))) throw new Error(`${target}: lies on a FUSE mount`);
    return target;
  }

  /** Marks the path as changing: a reading of the table meanwhile may show either state. */
  async function changing<T>(path: string, work: () => Promise<T>): Promise<T> {
    watch.touch(path);
    return work().finally(() => watch.touch(path));
  }

  return {
    mounts: () => watch.now(),

    look(target) {
      const found = lstatSync(local(target), { throwIfNoEntry: false });
      if (!found) return { is: 'absent' };
      return found.isSymbolicLink() ? { is: 'link', to: readlinkSync(target) } : { is: 'directory' };
    },

    makeTarget: (target) => void mkdirSync(local(target), { recursive: true, mode: 0o750 }),

    makeSource(source) {
      if (!isOnFuse(watch.last(), source)) mkdirSync(source, { recursive: true, mode: 0o755 });
    },

    bind: (binding) => changing(binding.target, () => binder.bind(binding)),

    async link(binding) {
      await binder.look(binding);
      const { source, target } = binding;
      mkdirSync(dirname(local(target)), { recursive: true, mode: 0o750 });
      removeTarget(target);
      symlinkSync(source, target);
    },

    statfs(path) {
      const device = topAt(watch.last(), path)?.device;
      return reach(device ?? path, ['stat', '-f', '-c', '%S %b %a %f %c %d', '--', path], STATFS_MS);
    },

    async unmount(path, lazily) {
      // -c: without it umount stats its own mount point, and hangs with the file system.
      const { code, output } = await changing(path, () => run(['umount', '-c', ...(lazily ? ['-l'] : []), '--', path], UNMOUNT_MS));
      if (code !== 0) throw new Error(`umount ${path}: ${output.trim() || `exit code ${code}`}`);
    },

    removeTarget: (target) => removeTarget(local(target)),
  };
}

/** Does not touch what may be mounted there: the kernel rejects the removal of any mount point. */
function removeTarget(target: string): void {
  try {
    // Never recursively: files in a directory that should be empty are a user's data.
    rmdirSync(target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    if (code !== 'ENOTDIR' || !lstatSync(target).isSymbolicLink()) throw error;
    unlinkSync(target);
  }
}
