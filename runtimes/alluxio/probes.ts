import { bytesText, percentText } from '../../src/api/index.ts';
import type { Probe, Reads, Observation, EngineStatus, UfsUsage } from '../../src/constructs/index.ts';
import { anyMaster } from './commands.ts';
import type { AlluxioPlan } from './plan.ts';
import { readCount, readReport, type Report, type Sources } from './report.ts';
import { WEB_METRICS, webOfLeader, webSetting } from './web.ts';

const VERSION = 'alluxio.underfs.version';

/** If the web port does not answer, commands do: metrics have all figures, and what never changes is read once. */
const REPORT = `metrics=$(${WEB_METRICS})
[ -n "$metrics" ] || metrics=$(alluxio fsadmin report metrics) || exit
printf '%s\\n' "$metrics"
case $metrics in *Cluster.CapacityTotal*) ;; *) alluxio fsadmin report summary ;; esac
known=/tmp/underfs-version
[ -e $known ] || ${webSetting(VERSION)} > $known
[ -s $known ] || { alluxio getConf ${VERSION} || echo; } > $known 2> /dev/null
printf 'underfs version: %s\\n' "$(cat $known)"`;

export const cache: Probe<AlluxioPlan, Report> = {
  // The command prints figures of each mount.
  mostBytes: 1 << 20,
  commands: (plan) => [anyMaster(plan, ['bash', '-c', `${webOfLeader(plan)}\n${REPORT}`])],
  parse: ([answers], _, before) => readReport(answers?.[0] ?? '', before?.value),
};

/** Alluxio counts only files that it has listed. */
const COUNT = 'alluxio fs loadMetadata -R / > /dev/null && alluxio fs count /';
const LISTING_SECONDS = 1500;

export const ufs: Probe<AlluxioPlan, UfsUsage> = {
  commands: (plan) => [anyMaster(plan, ['bash', '-c', COUNT], LISTING_SECONDS)],
  parse: ([answers]) => readCount(answers?.[0] ?? ''),
};

/** The root of Alluxio is a directory of the master, which asks no store: so each mount is looked into. */
export const reads: Reads<AlluxioPlan> = {
  subject: 'Alluxio, or a store behind it,',
  directories: ({ mountPath, mounts }) => mounts.rows.map(({ path }) => `${mountPath}${path}`),
};

export function status(
  { masters, namespace, ports, hasGateway }: AlluxioPlan,
  { cache: report, ufs: size }: Observation<Report>,
): EngineStatus {
  const hosts = masters.map((name) => `${name}.${namespace}`);
  return {
    cacheStates: cacheTexts(report, size?.totalBytes),
    ...(report && {
      read: [{ client: 'cluster', cacheBytes: sum(report.read, ['local', 'remote']), storeBytes: report.read.ufs }],
    }),
    hcfs: {
      endpoint: `alluxio://${hosts.map((host) => `${host}:${ports.masterRpc}`).join()}`,
      ...(report?.version && { underlayerFileSystemVersion: report.version }),
    },
    // Each master has a gateway beside it, and any gateway finds the master that leads.
    ...(hasGateway && { apiGateway: { endpoint: `${hosts[0]}:${ports.gateway}` } }),
  };
}

/** Fluid's nine texts. A read from another worker counts as a hit: it was cached. */
function cacheTexts(report: Report | undefined, totalBytes: number | undefined): Readonly<Record<string, string>> {
  const share = (of: Sources | undefined, ...which: readonly (keyof Sources)[]) =>
    of ? (percentText(sum(of, which), sum(of, ['local', 'remote', 'ufs'])) ?? '0.0%') : '';
  const { since, throughput } = report ?? {};
  return {
    cacheCapacity: report ? bytesText(report.capacity) : '',
    cached: report ? bytesText(report.used) : '',
    cachedPercentage: report ? (percentText(Math.min(report.used, totalBytes ?? 0), totalBytes ?? 0) ?? '0.0%') : '',
    cacheHitRatio: share(since, 'local', 'remote'),
    localHitRatio: share(since, 'local'),
    remoteHitRatio: share(since, 'remote'),
    cacheThroughputRatio: share(throughput, 'local', 'remote'),
    localThroughputRatio: share(throughput, 'local'),
    remoteThroughputRatio: share(throughput, 'remote'),
  };
}

const sum = (of: Sources, which: readonly (keyof Sources)[]): number => which.reduce((total, source) => total + of[source], 0);
