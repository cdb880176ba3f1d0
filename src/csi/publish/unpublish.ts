import type { Log } from '../../kube/types.ts';
import type { Host } from '../mounts/host.ts';
import { type Mount, mountsUnder } from '../mounts/mountinfo.ts';

/** Far more than recovery ever leaves: another process must be mounting there. */
const MOST = 100;

/** Unmounts everything at a path and below, then removes the path. Succeeds if that was done before. Returns what is mounted elsewhere. */
export async function unpublish(host: Host, target: string, log: Log): Promise<readonly Mount[]> {
  for (let taken = 0; ; taken++) {
    const mounts = await host.mounts();
    const [mount, ...others] = mountsUnder(mounts, target);
    if (!mount) {
      host.removeTarget(target);
      return mounts;
    }
    if (taken === MOST) throw new Error(`${target}: ${others.length + 1} mounts remain after ${MOST} were unmounted`);
    await unmount(host, mount, log);
    // What can be removed has nothing mounted on it, so the table, which may be long, need not be read again.
    if (others.length === 0 && isRemoved(host, target)) return mounts.filter((each) => each !== mount);
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

/** Unmounts the uppermost mount at its path. One in use is detached from the path, and ends with its last user. */
async function unmount(host: Host, { id, mountPoint: path }: Mount, log: Log): Promise<void> {
  try {
    await host.unmount(path, false);
  } catch (error) {
    // Another process may have unmounted it.
    if (!(await host.mounts()).some((mount) => mount.id === id && mount.mountPoint === path)) return;
    log.warn({ path, error: error instanceof Error ? error.message : String(error) }, 'unmounted lazily: it is in use, or does not answer');
    await host.unmount(path, true);
  }
}
