import type { Log } from '../../kube/types.ts';
import type { Host } from '../mounts/host.ts';
import { type MountInfo, mountsUnder } from '../mounts/mountinfo.ts';
import { messageOf } from '../../kube/errors.ts';

/** A limit for mounts that come while others are unmounted. Far more than recovery ever leaves: another process must be mounting there. */
const MOST = 100;
/** How many one program unmounts. */
const AT_A_TIME = 50;

/** Unmounts everything at a path and below, then removes the path. Succeeds if that was done before. Returns what is mounted elsewhere. */
export async function unpublish(host: Host, target: string, log: Log): Promise<readonly MountInfo[]> {
  let left = MOST;
  for (let isFirst = true; ; isFirst = false) {
    const mounts = await host.mounts();
    const under = mountsUnder(mounts, target);
    if (under.length === 0) {
      host.removeTarget(target);
      return mounts;
    }
    if (!isFirst && (left -= under.length) < 0)
      throw new Error(`${target}: ${under.length} mounts remain after ${MOST} new ones were unmounted`);
    for (let i = 0; i < under.length; i += AT_A_TIME) await unmountAll(host, under.slice(i, i + AT_A_TIME), log);
    // A target that can be removed has nothing mounted on it, so the table, which may be long, need not be read again.
    if (isRemoved(host, target)) {
      const gone = new Set(under);
      return mounts.filter((each) => !gone.has(each));
    }
  }
}

function isRemoved(host: Host, target: string): boolean {
  try {
    host.removeTarget(target);
    return true;
  } catch {
    // Something else is mounted there by now, or it is not empty: the next reading of the table shows it.
    return false;
  }
}

/** In this order. Those that one program could not unmount are unmounted one by one. */
async function unmountAll(host: Host, mounts: readonly MountInfo[], log: Log): Promise<void> {
  const [only] = mounts;
  if (only && mounts.length === 1) return unmount(host, only, log);
  try {
    await host.unmount(
      mounts.map(({ mountPoint }) => mountPoint),
      false,
    );
  } catch {
    const there = new Set((await host.mounts()).map(({ id, mountPoint }) => `${id} ${mountPoint}`));
    for (const mount of mounts) if (there.has(`${mount.id} ${mount.mountPoint}`)) await unmount(host, mount, log);
  }
}

/** Unmounts the uppermost mount at its path. One in use is detached from the path, and ends with its last user. */
async function unmount(host: Host, { id, mountPoint: path }: MountInfo, log: Log): Promise<void> {
  try {
    await host.unmount([path], false);
  } catch (error) {
    // Another process may have unmounted it.
    if (!(await host.mounts()).some((mount) => mount.id === id && mount.mountPoint === path)) return;
    log.warn({ path, error: messageOf(error) }, 'unmounted lazily: it is in use, or does not answer');
    await host.unmount([path], true);
  }
}
