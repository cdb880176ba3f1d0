/**
 * The node: its mount table, and what changes it. A path below the mount root may never answer, with any type of file system: only a child
 * touches it, which can be left behind.
 */
import { createBinder } from './binder.ts';
import type { BindMount, TargetState } from './binding.ts';
import { type MountInfo, topAt } from './mountinfo.ts';
import { createReach } from './reach.ts';
import { createScratch, UNMOUNT_MS } from './scratch.ts';
import type { Ended, Run } from './shells.ts';
import { createTargets } from './targets.ts';
import type { MountWatch } from './watch.ts';

export interface Host {
  /** The mount table of this moment. */
  mounts(): Promise<readonly MountInfo[]>;
  /** The state of a path on which nothing is mounted. @throws Error, as all that is about targets, where targets.ts does */
  look(target: string): TargetState;
  /** Makes the directory to mount on; its parents too. */
  makeTarget(target: string): void;
  /** Makes the directory on which a FUSE client mounts, unless one has. @throws FileSystemSilent */
  makeSource(source: string): Promise<void>;
  /** Whether a path below the mount root exists. @throws FileSystemSilent */
  exists(path: string): Promise<boolean>;
  /** @throws NotBound */
  bind(binding: BindMount): Promise<void>;
  /** A link to the source, in the place of an empty directory or of another link. @throws NotBound */
  link(binding: BindMount): Promise<void>;
  /** How full the file system is on which a path lies, as `stat -f` prints it. @throws FileSystemSilent */
  statfs(path: string): Promise<Ended>;
  /** Whether a program waits in vain for the file system of this device, or of this path. */
  isSilent(fileSystem: string): boolean;
  /** Unmounts the uppermost mount at each path, in this order; `lazily`: although it is in use. @throws Error */
  unmount(paths: readonly string[], lazily: boolean): Promise<void>;
  /** Unmounts this mount lazily, and no other that has its path meanwhile: pods can write where a fuse pod has mounted. @throws Error */
  detach(mount: MountInfo): Promise<void>;
  /** Whether a directory below the kubelet's exists and has nothing in it. @throws Error if a volume is mounted there */
  isEmptied(directory: string): boolean;
  /** Removes the target's directory or link. @throws Error also when something is still mounted there */
  removeTarget(target: string): void;
}

const BIND_MS = 10_000;
/** A file system that takes longer to answer statfs is reported as abnormal. */
export const STATFS_MS = 3_000;

export interface HostOptions {
  readonly watch: MountWatch;
  /** The kubelet's directory, as the mount table has it. */
  readonly kubeletDir: string;
  /** Runs shells that define BIND_FUNCTIONS. */
  readonly run: Run;
  /** A directory on a private mount; openScratch creates one. */
  readonly scratch: string;
  /** How long a child may take to reach a source, ms. */
  readonly bindMs?: number;
}

export function createHost({ watch, kubeletDir, run, scratch, bindMs = BIND_MS }: HostOptions): Host {
  const reach = createReach(run);
  const binder = createBinder({ watch, reach, scratch: createScratch(scratch, run), bindMs });
  const targets = createTargets(kubeletDir, () => watch.last());

  /** Marks the path as changing: a reading of the table meanwhile may show either state. */
  async function changing<T>(path: string, work: () => Promise<T>): Promise<T> {
    watch.touch(path);
    return work().finally(() => watch.touch(path));
  }

  return {
    mounts: () => watch.now(),

    look: (target) => targets.look(target),
    makeTarget: (target) => targets.make(target),
    removeTarget: (target) => targets.remove(target),
    isEmptied: (directory) => targets.isEmptied(`${kubeletDir}${directory}`),

    async makeSource(source) {
      if (topAt(await watch.now(), source)) return;
      const { code, output } = await reach(source, ['mkdir', '-p', '-m', '755', '--', source], bindMs);
      if (code !== 0) throw new Error(`mkdir ${source}: ${output.trim() || `exit code ${code}`}`);
    },

    async exists(path) {
      return (await reach(path, ['stat', '-L', '--', path], bindMs)).code === 0;
    },

    bind: (binding) => changing(binding.target, () => binder.bind(binding)),

    async link(binding) {
      await binder.look(binding);
      targets.link(binding.source, binding.target);
    },

    statfs(path) {
      const device = topAt(watch.last(), path)?.device;
      return reach(device ?? path, ['stat', '-f', '-c', '%S %b %a %f %c %d', '--', path], STATFS_MS);
    },

    isSilent: reach.isSilent,

    async unmount(paths, lazily) {
      // -c: without it umount stats its own mount point, and hangs with the file system.
      const argv = ['umount', '-c', ...(lazily ? ['-l'] : []), '--', ...paths] as const;
      for (const path of paths) watch.touch(path);
      const { code, output } = await run(argv, UNMOUNT_MS).finally(() => paths.forEach(watch.touch));
      if (code !== 0) throw new Error(`umount ${paths.join(' ')}: ${output.trim() || `exit code ${code}`}`);
    },

    detach: ({ id, mountPoint: path }) =>
      changing(path, async () => {
        const { code, output } = await run(['sluice_detach', path, String(id)], UNMOUNT_MS);
        if (code !== 0) throw new Error(`umount ${path}: ${output.trim() || `exit code ${code}`}`);
      }),
  };
}
