/** The node: its mount table, and what changes it. Nothing here touches a path on a FUSE mount but in a child that can be left behind. */
import { lstatSync, mkdirSync, readlinkSync, rmdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { mkdir, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { outcome } from './bind-script.ts';
import type { MountWatch } from './watch.ts';
import { isOnFuse, isWithin, type Mount, mountOf, optionsOf, topAt } from './mountinfo.ts';
import { type Binding, shows, type Target } from './binding.ts';
import { createReach, NoAnswer } from './reach.ts';
import type { Ended, Run } from './shells.ts';

/** A source cannot be bound. `later`: it may be once the mount table has changed, so waiting is worthwhile. */
export class NotBound extends Error {
  override readonly name = 'NotBound';
  /** `dead end`: nothing can be mounted on what is mounted at the target. */
  readonly why: 'later' | 'missing' | 'escaped' | 'dead end' | 'failed';

  constructor(why: NotBound['why'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.why = why;
  }
}

export interface Host {
  /** The mount table of this moment. */
  mounts(): Promise<readonly Mount[]>;
  /** What is at a path on which nothing is mounted. @throws Error where it lies on a FUSE mount, as all that is about targets */
  look(target: string): Target;
  /** Makes the directory to mount on; its parents too. */
  makeTarget(target: string): void;
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
const UNMOUNT_MS = 2_000;

export interface HostOptions {
  readonly watch: MountWatch;
  /** Of shells that define BIND_FUNCTIONS. */
  readonly run: Run;
  /** A directory on a private mount; openScratch makes one. */
  readonly scratch: string;
  /** How long a child may take to reach a source, ms. */
  readonly bindMs?: number;
}

export function createHost({ watch, run, scratch, bindMs = BIND_MS }: HostOptions): Host {
  const reach = createReach(run);
  let serial = 0;

  /** Runs a program that may hang with the file system. */
  async function reached({ mount, fusePath }: Binding, argv: readonly [string, ...string[]]): Promise<Ended> {
    try {
      const device = watch.last().find(({ id }) => id === mount)?.device;
      return await reach(device ?? fusePath, argv, bindMs);
    } catch (error) {
      if (error instanceof NoAnswer) throw new NotBound('later', `${fusePath} has not answered since ${error.since}`, { cause: error });
      throw error;
    }
  }

  async function goTo(by: 'sluice_bind' | 'sluice_look', binding: Binding, place: string): Promise<void> {
    const { readOnly, inPlace, target, source } = binding;
    const options = readOnly ? readOnlyOptions(mountOf(watch.last(), source)) : '';
    const args = [...wayTo(binding), target, options, place, inPlace ? 'in place' : '', readOnly ? 'private' : 'slave'];
    check(await reached(binding, [by, ...args]), binding);
  }

  /** In steps: bound where only the plugin sees it, checked, made read-only, and then moved to the target. */
  async function assemble(binding: Binding, place: string): Promise<void> {
    const { readOnly, inPlace, isFile, source, target } = binding;
    const peers = readOnly ? 'private' : 'slave';
    const gathered = isFile
      ? await reached(binding, [
          'sluice_gather_file',
          ...wayTo({ ...binding, source: dirname(source) }),
          '',
          peers,
          place,
          basename(source),
        ])
      : await reached(binding, ['sluice_gather', ...wayTo(binding), '', peers, place]);
    check(gathered, binding);
    const parts = async () => (await watch.now()).filter(({ mountPoint }) => isWithin(mountPoint, place));
    let there = await parts();
    const [top] = there;
    if (isFile && !(top && shows({ ...top, readOnly: false }, watch.last(), source)))
      throw new NotBound('escaped', `${source}: leads through a symbolic link, which is not allowed`);
    if (readOnly) {
      const open = there.filter((mount) => !mount.readOnly);
      check(await reached(binding, ['sluice_harden', ...open.flatMap((mount) => [mount.mountPoint, readOnlyOptions(mount)])]), binding);
      there = await parts();
    }
    // No mount is better than one with a part that can be written.
    if (there.length === 0 || (readOnly && there.some((mount) => !mount.readOnly)))
      throw new NotBound('failed', `mount ${source} on ${target}: not all that is mounted below it could be made read-only`);
    check(await reached(binding, ['sluice_move', place, target, inPlace ? 'in place' : '']), binding);
  }

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

  async function bind(binding: Binding): Promise<void> {
    const { apart, whole, isFile, inPlace } = binding;
    const inSteps = whole || isFile === true;
    if (!apart && !inSteps && !inPlace) return goTo('sluice_bind', binding, '');
    const place = join(scratch, String(serial++));
    if (isFile) writeFileSync(place, '');
    else mkdirSync(place);
    try {
      if (inSteps) await assemble(binding, place);
      else await goTo('sluice_bind', binding, place);
    } catch (error) {
      // A program that was killed may have left the mount here.
      await run(['umount', '-c', '-l', place], UNMOUNT_MS).catch(() => {});
      throw error;
    } finally {
      try {
        if (isFile) unlinkSync(place);
        else rmdirSync(place);
      } catch {
        // Still in use; the next bind takes another name.
      }
    }
  }

  return {
    mounts: () => watch.now(),

    look(target) {
      const found = lstatSync(local(target), { throwIfNoEntry: false });
      if (!found) return { is: 'absent' };
      return found.isSymbolicLink() ? { is: 'link', to: readlinkSync(target) } : { is: 'directory' };
    },

    makeTarget: (target) => void mkdirSync(local(target), { recursive: true, mode: 0o750 }),

    bind: (binding) => changing(binding.target, () => bind(binding)),

    async link(binding) {
      await goTo('sluice_look', binding, '');
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

/** For scripts: where it is mounted, by which mount, the path from there, and the whole path. */
function wayTo({ mount, fusePath, source }: Binding): readonly string[] {
  const below = source === fusePath ? '.' : source.slice(fusePath.length + 1);
  return [fusePath, mount === undefined ? '' : String(mount), below, source];
}

const KEPT = new Set(['nosuid', 'nodev', 'noexec', 'noatime', 'nodiratime', 'relatime', 'nosymfollow']);

/** A remount takes the place of all options: what a client may not do (nosuid, nodev) stays so. */
const readOnlyOptions = (mount: Mount | undefined): string =>
  ['ro', ...(mount ? optionsOf(mount).split(',') : []).filter((option) => KEPT.has(option))].join(',');

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

/** @throws NotBound when a script of bind-script.ts failed */
function check({ code, output }: Ended, { mount, fusePath, source, target }: Binding): void {
  switch (code) {
    case 0:
      return;
    case outcome.dead:
      throw new NotBound(
        'later',
        mount === undefined ? `${fusePath} does not exist` : `${fusePath} does not work: its FUSE client has ended, or does not serve root`,
      );
    case outcome.changed:
      throw new NotBound('later', `${fusePath} is being mounted again`);
    case outcome.missing:
      throw new NotBound('missing', `sub path ${source.slice(fusePath.length + 1)}: does not exist in ${fusePath}`);
    case outcome.escaped:
      throw new NotBound('escaped', `sub path ${source.slice(fusePath.length + 1)}: leads through a symbolic link, which is not allowed`);
    case outcome.linked:
      throw new NotBound('escaped', `${fusePath}: is, or leads through, a symbolic link, which is not allowed`);
    default:
      throw new NotBound(
        output.includes('No such file or directory') ? 'dead end' : 'failed',
        `mount ${source} on ${target}: ${output.trim() || `exit code ${code}`}`,
      );
  }
}

/** Mounts an empty file system that only this mount namespace sees. Returns how to unmount it. */
export async function openScratch(directory: string, run: Run): Promise<() => Promise<void>> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { code, output } = await run(
    ['mount', '-c', '-t', 'tmpfs', '-o', 'size=1m,mode=700', '--make-private', 'sluice-csi', directory],
    UNMOUNT_MS,
  );
  if (code !== 0) throw new Error(`mount ${directory}: ${output.trim() || `exit code ${code}`}`);
  return async () => {
    await run(['umount', '-c', '-l', directory], UNMOUNT_MS);
    await rmdir(directory);
  };
}
