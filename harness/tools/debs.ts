/** Fetches programs from Debian 12, as this machine has it configured, once per machine: unpacked and not installed. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Job } from './jobs.ts';
import { fetchJobs } from './fetch.ts';
import { cacheFolder } from './tools.ts';

interface Debs {
  /** For people. */
  readonly title: string;
  readonly packages: string;
  readonly seconds: number;
  /** Size of the download. */
  readonly megabytes: number;
  readonly unpackedMegabytes: number;
}

const SETS = {
  /** apt would install 88 packages, of 248 MB, among them sudo, LVM and daemons. The servers run with these alone. */
  ceph: {
    title: 'Ceph',
    packages:
      'ceph-mon ceph-osd ceph-mds ceph-fuse librados2 ' +
      'libaio1 libboost-iostreams1.74.0 libboost-thread1.74.0 libdaxctl1 libfmt9 libfuse2 libibverbs1 libkmod2 ' +
      'libleveldb1d liblua5.3-0 libndctl6 libnl-3-200 libnl-route-3-200 libpmem1 librdmacm1 libsnappy1v5',
    seconds: 20,
    megabytes: 29,
    unpackedMegabytes: 105,
  },
  /** prometheus and promtool need libc alone; apt would also install the daemon, and the scripts of its web pages. */
  prometheus: { title: 'Prometheus', packages: 'prometheus', seconds: 8, megabytes: 19, unpackedMegabytes: 98 },
} as const satisfies Readonly<Record<string, Debs>>;
export type DebsName = keyof typeof SETS;

type Env = Readonly<Record<string, string | undefined>>;
const packagesOf = (name: DebsName): readonly string[] => SETS[name].packages.split(' ');

/** The folder that holds the packages' files under `usr` and `lib`; there once they are fetched. */
function debsDir(name: DebsName, env: Env = process.env): string {
  return cacheFolder(`node-${name}`, [[process.arch, ...packagesOf(name)].join('\n')], env);
}
export const cephDir = (): string => debsDir('ceph');

/** Programs of Prometheus: the server, and the one that checks and tests its files. */
export type PrometheusProgram = 'prometheus' | 'promtool';
export const prometheusProgram = (name: PrometheusProgram): string => join(debsDir('prometheus'), 'usr/bin', name);
/** Why they cannot run here; undefined if they can. */
export const whyNoPrometheus = (): string | undefined =>
  existsSync(prometheusProgram('promtool')) ? undefined : 'prometheus and promtool are missing: run bash scripts/setup.sh on Debian';

const APT = '/usr/bin/apt-get';

/** The plan for those that have to be fetched, and might be, a line each. */
export const debsPlan = (names: readonly DebsName[]): readonly string[] =>
  names
    .filter((name) => existsSync(APT) && !existsSync(debsDir(name)))
    .map((name) => {
      const { title, megabytes, unpackedMegabytes } = SETS[name];
      return `the programs of ${title}, ${megabytes} MB of Debian packages, unpacked into ${debsDir(name)}, ${unpackedMegabytes} MB`;
    });

/** Unless they are there. Where they cannot be had, as on another Debian, says so: the test that needs them is skipped. */
export const debsJobs = (names: readonly DebsName[]): readonly Job[] =>
  names
    .flatMap((name) => {
      const { title, seconds, megabytes } = SETS[name];
      return fetchJobs({ name: title, seconds, megabytes, target: debsDir(name), by: APT, make: (folder) => make(name, folder) });
    })
    .map((job) => ({ ...job, run: (...args) => job.run(...args).catch((error: unknown) => `cannot be fetched: ${String(error)}`) }));

async function make(name: DebsName, folder: string): Promise<string> {
  const run = promisify(execFile);
  // Packages in old lists may no longer exist.
  await run(APT, ['-qq', 'update']).catch(() => undefined);
  await run(APT, ['-qq', 'download', ...packagesOf(name)], { cwd: folder });
  const packages = readdirSync(folder);
  const root = join(folder, 'root');
  for (const each of packages) await run('dpkg-deb', ['--extract', join(folder, each), root]);
  return root;
}
