/** Fetches the programs of Ceph from Debian 12, as this machine has it configured, once per machine. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { duration, type Progress } from './build.ts';
import { once } from './once.ts';
import { cacheRoot } from './tools.ts';

/** Unpacked and not installed: apt would install 88 packages, of 248 MB, among them sudo, LVM and daemons. The servers run with these alone. */
const SERVERS = 'ceph-mon ceph-osd ceph-mds ceph-fuse librados2';
const LIBRARIES =
  'libaio1 libboost-iostreams1.74.0 libboost-thread1.74.0 libdaxctl1 libfmt9 libfuse2 libibverbs1 libkmod2 ' +
  'libleveldb1d liblua5.3-0 libndctl6 libnl-3-200 libnl-route-3-200 libpmem1 librdmacm1 libsnappy1v5';
const PACKAGES = `${SERVERS} ${LIBRARIES}`.split(' ');

/** The folder that holds the packages' files under `usr` and `lib`; there once they are fetched. */
export function cephDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const hash = createHash('sha256')
    .update([process.arch, ...PACKAGES].join('\n'))
    .digest('hex')
    .slice(0, 16);
  return join(cacheRoot(env), `node-ceph-${hash}`);
}

/** Whether they have to be fetched, and might be. */
export function lacksCeph(): boolean {
  return existsSync('/usr/bin/apt-get') && !existsSync(cephDir());
}

/** Returns at once when they are there. Where they cannot be had, as on another Debian, says so: the test that needs them is skipped. */
export async function fetchCeph(progress: Progress): Promise<void> {
  if (!lacksCeph()) return;
  const run = promisify(execFile);
  const fetched = once(cephDir(), 'Ceph', progress, async (made) => {
    const began = performance.now();
    // What old lists of packages name may no longer be there.
    await run('apt-get', ['-qq', 'update']).catch(() => undefined);
    await run('apt-get', ['-qq', 'download', ...PACKAGES], { cwd: made });
    const packages = readdirSync(made);
    const root = join(made, 'root');
    for (const name of packages) await run('dpkg-deb', ['--extract', join(made, name), root]);
    progress.line(`fetched Ceph in ${duration((performance.now() - began) / 1000)}`);
    return root;
  });
  await fetched.catch((error: unknown) => progress.line(`cannot fetch Ceph: ${String(error)}`));
}
