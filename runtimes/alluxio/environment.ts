import { hashOfScript, isOnHost, type PlanInput } from '../../src/constructs/index.ts';
import { defaultsFor } from './defaults.ts';
import { addressesOf } from './masters.ts';
import type { Mounts, Row } from './mounts.ts';
import { type Ports, portProperties } from './ports.ts';
import { commonProperties, environmentOf, type Properties } from './properties.ts';
import type { AlluxioRuntimeSpec } from './spec.ts';
import { tierProperties, type Tiers } from './tiers.ts';

interface Parts {
  readonly masters: readonly string[];
  readonly tiers: Tiers;
  readonly mounts: Mounts;
  readonly ports: Ports;
  readonly readOnly: boolean;
  readonly hadoop: Properties;
  /** Memory request of a worker. */
  readonly workerMemory: string | undefined;
}

/** Where a process finds the master, and what it is to call itself; the variables are set in each container. */
const MASTER: Properties = { 'alluxio.master.hostname': '${ALLUXIO_MASTER_HOSTNAME}' };
const WORKER: Properties = { 'alluxio.worker.hostname': '${ALLUXIO_WORKER_HOSTNAME}' };

/** The environment of every container. */
export function environmentPlan({ namespace, spec, dataset }: Input, parts: Parts): Readonly<Record<string, string>> {
  const { masters, tiers, mounts, ports, readOnly, hadoop, workerMemory } = parts;
  const { isPlain, isShared } = tiers;
  const defaults = defaultsFor({
    overHttp: mounts.overHttp,
    readOnly,
    isPlain,
    isShared,
    isOwned: dataset.spec.owner !== undefined,
    copies: spec.data?.replicas ?? 1,
    hasOneMaster: masters.length === 1,
    isRoot: !spec.runAs?.uid,
  });
  const first = {
    ...addressesOf(masters, namespace, ports),
    'alluxio.user.hostname': '${ALLUXIO_CLIENT_HOSTNAME}',
    ...tierProperties(tiers.levels),
  };
  const last = {
    ...portProperties(spec, ports),
    ...hadoop,
    ...rootProperties(mounts.root),
  };
  return environmentOf(spec, commonProperties(spec, first, last, defaults), {
    master: MASTER,
    jobMaster: MASTER,
    worker: {
      ...WORKER,
      'alluxio.worker.rpc.port': String(ports.workerRpc),
      'alluxio.worker.web.port': String(ports.workerWeb),
      ...(!isOnHost(spec.worker) && { 'alluxio.worker.container.hostname': '${ALLUXIO_WORKER_CONTAINER_HOSTNAME}' }),
      ...(workerMemory && { 'alluxio.worker.memory.size': workerMemory }),
    },
    jobWorker: {
      ...WORKER,
      'alluxio.job.worker.rpc.port': String(ports.jobWorkerRpc),
      'alluxio.job.worker.data.port': String(ports.jobWorkerData),
      'alluxio.job.worker.web.port': String(ports.jobWorkerWeb),
    },
  });
}

/** The ConfigMap with the environment. */
export const configMapName = ({ name }: { readonly name: string }): string => `${name}-config`;

const READERS = {
  master: /^(ALLUXIO_((JOB_)?MASTER_|PROXY_)?JAVA_OPTS|passwd|group)$/,
  worker: /^(ALLUXIO_((JOB_)?WORKER_)?JAVA_OPTS|passwd|group)$/,
  fuse: /^(ALLUXIO_(FUSE_)?JAVA_OPTS|passwd|group)$/,
} as const;

/** Hash of variables and files that the pods of a role read when they start: pods with an older hash count as outdated. */
export function environmentHash(environment: Properties, role: keyof typeof READERS): string {
  const read = Object.entries(environment).filter(([variable]) => READERS[role].test(variable));
  return hashOfScript(JSON.stringify(read));
}

/** Alluxio must know its mount at `/` when it starts. */
const rootProperties = ({ source, options: { '--readonly': readOnly, '--shared': shared, ...options } }: Row): Properties => ({
  ...options,
  'alluxio.master.mount.table.root.ufs': source,
  ...(readOnly !== undefined && { 'alluxio.master.mount.table.root.readonly': 'true' }),
  ...(shared !== undefined && { 'alluxio.master.mount.table.root.shared': 'true' }),
});

type Input = PlanInput<AlluxioRuntimeSpec>;
