/**
 * Directories and links in the kubelet's directory, which is the node's own disk: a call there takes some µs, and by way of the
 * thread pool it would take ten times as long. A mount at a target may never answer, of any type. So no call here looks at a
 * target by its own path: a listing of its directory, mkdir and rmdir stop before they enter a mount.
 */
import { mkdirSync, readdirSync, readlinkSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { TargetState } from './binding.ts';
import { isWithin, type MountInfo, mountOf } from './mountinfo.ts';

/** All throw an Error for a target outside of the kubelet's directory, or on what is mounted there for a pod. */
export interface Targets {
  look(target: string): TargetState;
  /** Makes the directory to mount on; its parents too. */
  make(target: string): void;
  /** A link, in the place of an empty directory or of another link. */
  link(source: string, target: string): void;
  /** Whether a directory exists and has nothing in it. */
  isEmptied(directory: string): boolean;
  /** Removes a directory or link. @throws Error also when something is mounted there */
  remove(target: string): void;
}

/** @param kubeletDir as the mount table has it */
export function createTargets(kubeletDir: string, mounts: () => readonly MountInfo[]): Targets {
  const own = new Set([kubeletDir, `${kubeletDir}/pods`]);

  /** The node's administrator may have mounted the kubelet's directory, or its pods'; all that is mounted below is a volume. */
  function local(target: string): string {
    if (!isWithin(target, kubeletDir)) throw new Error(`${target}: expected a path within ${kubeletDir}`);
    const above = mountOf(mounts(), dirname(target))?.mountPoint ?? '/';
    if (isWithin(above, kubeletDir) && !own.has(above)) throw new Error(`${target}: lies on ${above}, where a volume is mounted`);
    return target;
  }

  return {
    look: (target) => look(local(target)),

    make(target) {
      if (makeOne(local(target))) return;
      mkdirSync(dirname(target), { recursive: true, mode: MODE });
      makeOne(target);
    },

    link(source, target) {
      mkdirSync(dirname(local(target)), { recursive: true, mode: MODE });
      remove(target);
      symlinkSync(source, target);
    },

    isEmptied: (directory) => unless('ENOENT', false, () => readdirSync(local(directory)).length === 0),

    remove: (target) => remove(local(target)),
  };
}

const MODE = 0o750;

/** Whether the directory exists now; false without its parent. */
const makeOne = (target: string): boolean =>
  unless('EEXIST', true, () => unless('ENOENT', false, () => (mkdirSync(target, { mode: MODE }), true)));

function look(target: string): TargetState {
  const name = basename(target);
  const there = unless('ENOENT', [], () => readdirSync(dirname(target), { withFileTypes: true }));
  const found = there.find((entry) => entry.name === name);
  if (!found) return { is: 'absent' };
  return found.isSymbolicLink() ? { is: 'link', to: readlinkSync(target) } : { is: 'directory' };
}

/** Does not touch what may be mounted there: the kernel rejects the removal of any mount point. */
function remove(target: string): void {
  try {
    // Never recursively: files in a directory that should be empty are a user's data.
    rmdirSync(target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    if (code !== 'ENOTDIR' || look(target).is !== 'link') throw error;
    unlinkSync(target);
  }
}

function unless<T>(code: string, result: T, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== code) throw error;
    return result;
  }
}
