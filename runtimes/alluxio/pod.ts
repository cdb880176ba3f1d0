import {
  environment,
  fromField,
  type Mounted,
  mountedAt,
  type PlanInput,
  podBase,
  together,
  userVolumes,
  volumesOf,
  withMemory,
} from '../../src/constructs/index.ts';
import { fuseCall, withTier } from './fuse.ts';
import type { Image } from './images.ts';
import type { Mounts } from './mounts.ts';
import { LEVEL0 } from './properties.ts';
import type { Restore } from './restore.ts';
import type { AlluxioRuntimeSpec } from './spec.ts';
import type { Level, Tiers } from './tiers.ts';
import { ownerOf } from './users.ts';

type Input = PlanInput<AlluxioRuntimeSpec>;
type PodRole = 'master' | 'worker' | 'fuse';

/** The user's own volumes of each role. */
export const volumesByRole = ({ spec }: Input): Readonly<Record<PodRole, readonly Mounted[]>> => {
  const of = (role: PodRole) => userVolumes(spec[role]?.volumeMounts, spec.volumes, `spec.${role}.volumeMounts`);
  return together({ master: () => of('master'), worker: () => of('worker'), fuse: () => of('fuse') });
};

/** A master starts with an empty one, or with a backup. */
export const JOURNAL = mountedAt('/journal', 'alluxio-journal', { emptyDir: { sizeLimit: '30Gi' } });

export function masterPod(input: Input, { masters, tiers, mounts, hadoop, restore, users: accounts, volumes }: Parts) {
  const { spec } = input;
  // Several know each other by their names, which stay when pods are created again.
  const hostname = fromField('ALLUXIO_MASTER_HOSTNAME', masters.length > 1 ? 'metadata.name' : 'status.podIP');
  const beside = [...accounts, ...hadoop, ...volumes.master, ...mounts.secrets, ...mounts.native];
  const own = volumesOf([JOURNAL, ...restore.mounted], beside);
  const pod = podBase(spec, spec.master);
  return {
    ...pod,
    nodeSelector: { ...pod.nodeSelector, ...restore.nodeSelector },
    volumes: own.volumes,
    master: {
      env: [hostname, ...environment({ [LEVEL0]: tiers.first, ...spec.master?.env, ...restore.env })],
      resources: spec.master?.resources,
      volumeMounts: own.volumeMounts,
    },
    jobMaster: {
      env: [hostname, ...environment(spec.jobMaster?.env)],
      resources: spec.jobMaster?.resources,
      volumeMounts: volumesOf(beside).volumeMounts,
    },
    gateway: {
      env: [hostname, ...environment(spec.apiGateway?.env)],
      resources: spec.apiGateway?.resources,
      volumeMounts: volumesOf(accounts).volumeMounts,
    },
  };
}

export function workerPod(input: Input, { tiers, mounts, hadoop, socket, engine, users: accounts, volumes: own }: Parts) {
  const { spec } = input;
  const pod = podBase(spec, spec.worker);
  const levels = (which: readonly Level[]) => which.flatMap(({ mounted }) => mounted);
  const onNode = [...levels(tiers.levels.filter(({ isOnNode }) => isOnNode)), ...socket];
  const { volumes, volumeMounts } = volumesOf(accounts, hadoop, mounts.native, levels(tiers.levels), socket, own.worker);
  const addresses = [
    fromField('ALLUXIO_WORKER_HOSTNAME', 'status.hostIP'),
    ...(pod.hostNetwork ? [] : [fromField('ALLUXIO_WORKER_CONTAINER_HOSTNAME', 'status.podIP')]),
  ];
  return {
    ...pod,
    volumes,
    initContainers: ownerOf(input, 'init-users', engine, volumesOf(onNode).volumeMounts, true),
    worker: {
      env: [...addresses, ...environment({ [LEVEL0]: tiers.first, ...spec.worker?.env })],
      resources: withMemory(spec.worker?.resources, tiers.memory, 'spec.worker.resources'),
      volumeMounts,
    },
    jobWorker: {
      env: [...addresses, ...environment(spec.jobWorker?.env)],
      resources: spec.jobWorker?.resources,
      volumeMounts,
    },
  };
}

const DEVICE = mountedAt('/dev/fuse', 'alluxio-fuse-device', { hostPath: { path: '/dev/fuse', type: 'CharDevice' } });

export function fusePod(input: Input, parts: Parts) {
  const { spec } = input;
  const { tiers, mounts, readOnly, host, mountPath, socket, engine, image, takesArguments, users: accounts, volumes: own } = parts;
  // Where it sees the worker's own directories, the client reads from them. A sidecar must see them too: beside a worker, the client looks
  // for blocks there and asks nobody else.
  const shared = tiers.levels.flatMap(({ isOnNode, mounted }) => (isOnNode ? mounted : []));
  const { args, env } = fuseCall(input, { mountPath, takesArguments, readOnly, overHttp: mounts.overHttp });
  const { nodeSelector: _, ...pod } = podBase(spec, spec.fuse);
  const { volumes, volumeMounts } = volumesOf([DEVICE], accounts, shared, socket, own.fuse);
  return {
    ...pod,
    volumes,
    // Not all that is below: a mount of a client that has ended would not answer.
    initContainers: ownerOf(input, 'init-fuse', engine, [{ name: 'alluxio-fuse-mount', mountPath: host }]),
    client: {
      ...image,
      args,
      env: [
        fromField('ALLUXIO_CLIENT_HOSTNAME', 'status.hostIP'),
        { name: 'ALLUXIO_CLIENT_JAVA_OPTS', value: ' -Dalluxio.user.hostname=${ALLUXIO_CLIENT_HOSTNAME} ' },
        ...env,
        ...environment(spec.fuse?.env),
      ],
      resources: withTier(spec.fuse?.resources, tiers.memory),
      volumeMounts,
    },
  };
}

interface Parts {
  readonly masters: readonly string[];
  readonly tiers: Tiers;
  readonly mounts: Mounts;
  /** The configuration of Hadoop's clients, as files. */
  readonly hadoop: readonly Mounted[];
  /** Where workers and clients of a node find each other's domain sockets. */
  readonly socket: readonly Mounted[];
  /** Lists of users and groups. */
  readonly users: readonly Mounted[];
  /** The user's own volumes. */
  readonly volumes: ReturnType<typeof volumesByRole>;
  /** The backup with which masters begin. */
  readonly restore: Restore;
  readonly readOnly: boolean;
  /** The directory that the client shares with the node, and its mount point in there. */
  readonly host: string;
  readonly mountPath: string;
  readonly engine: Image;
  /** Image of the client. */
  readonly image: Image;
  /** The client's mount point is an argument of it, and no variable. */
  readonly takesArguments: boolean;
}
