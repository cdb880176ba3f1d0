/** Fetches the programs of Ceph from Debian 12, as this machine has it configured, once per machine. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Job } from './jobs.ts';
import { fetchJobs } from './fetch.ts';
import { cacheFolder } from './tools.ts';

/** Unpacked and not installed: apt would install 88 packages, of 248 MB, among them sudo, LVM and daemons. The servers run with these alone. */
const SERVERS = 'ceph-mon ceph-osd ceph-mds ceph-fuse librados2';
const LIBRARIES =
  'libaio1 libboost-iostreams1.74.0 libboost-thread1.74.0 libdaxctl1 libfmt9 libfuse2 libibverbs1 libkmod2 ' +
  'libleveldb1d liblua5.3-0 libndctl6 libnl-3-200 libnl-route-3-200 libpmem1 librdmacm1 libsnappy1v5';
const PACKAGES = `${SERVERS} ${LIBRARIES}`.split(' ');

/** The folder that holds the packages' files under `usr` and `lib`; there once they are fetched. */
export function cephDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return cacheFolder('node-ceph', [[process.arch, ...PACKAGES].join('\n')], env);
}

const APT = '/usr/bin/apt-get';

/** Whether they have to be fetched, and might be. */
export function lacksCeph(): boolean {
  return existsSync(APT) && !existsSync(cephDir());
}

/** Unless they are there. Where they cannot be had, as on another Debian, says so: the test that needs them is skipped. */
export const cephJobs = (): readonly Job[] =>
  fetchJobs({ name: 'Ceph', seconds: 20, megabytes: 29, target: cephDir(), by: APT, make }).map((job) => ({
    ...job,
    run: (...args) => job.run(...args).catch((error: unknown) => `cannot be fetched: ${String(error)}`),
  }));

async function make(folder: string): Promise<string> {
  const run = promisify(execFile);
  // Packages in old lists may no longer exist.
  await run(APT, ['-qq', 'update']).catch(() => undefined);
  await run(APT, ['-qq', 'download', ...PACKAGES], { cwd: folder });
  const packages = readdirSync(folder);
  const root = join(folder, 'root');
  for (const name of packages) await run('dpkg-deb', ['--extract', join(folder, name), root]);
  return root;
}
