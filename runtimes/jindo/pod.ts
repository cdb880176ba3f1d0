import type { EnvVar, PodSpec } from '../../src/api/index.ts';
import {
  type ContainerProps,
  type Mounted,
  must,
  type PlanInput,
  podBase,
  userVolumes,
  volumesOf as mountedOf,
} from '../../src/constructs/index.ts';
import { filePaths } from './config.ts';
import type { EngineName } from './engines.ts';
import type { Images } from './images.ts';
import { isOnHost, type Ports } from './ports.ts';
import type { JindoRuntimeSpec } from './spec.ts';
import { DNS_SERVER } from './switches.ts';
import type { Tier } from './tiers.ts';

export type Input = PlanInput<JindoRuntimeSpec>;
type PodRole = 'master' | 'worker' | 'fuse';

export interface Parts {
  readonly engine: EngineName;
  readonly masters: readonly string[];
  readonly ports: Ports;
  readonly tier: Tier;
  readonly images: Images;
  /** The volume with the files of the engine. */
  readonly config: Mounted['volume'];
  /** Credentials and the configuration of Hadoop. */
  readonly access: readonly Mounted[];
  /** The volumes of local:// and pvc://. */
  readonly native: readonly Mounted[];
  readonly isFuseOnly: boolean;
  readonly rdma: boolean;
  readonly args: readonly string[];
  readonly metricsPort?: number;
}

export const MOUNT_DIR = 'jindofs-fuse';
/** Where a client's pod finds the directory that it shares with the node. */
export const MOUNT_AT = '/jfs';
/** This server of names means none. */
const NO_DNS_SERVER = '1.1.1.1';

/** The props of a role's pods that a user decides in the same way for all of them. */
export function podOf({ spec, settings, namespace }: Input, role: PodRole) {
  const own = spec[role] ?? {};
  const server = settings.env[DNS_SERVER];
  const hostNetwork = isOnHost(spec);
  return {
    ...podBase(spec, own),
    podLabels: { ...labelsOf(spec, 'spec'), ...labelsOf(own, `spec.${role}`) },
    hostNetwork,
    securityContext: { runAsUser: 0, runAsGroup: 0 },
    ...(server && server !== NO_DNS_SERVER
      ? { dnsPolicy: 'None' as const, dnsConfig: dnsConfig(server, namespace) }
      : { dnsPolicy: hostNetwork || role === 'fuse' ? 'ClusterFirstWithHostNet' : 'ClusterFirst' }),
  };
}

const dnsConfig = (server: string, namespace: string): PodSpec['dnsConfig'] => ({
  nameservers: [server],
  options: [{ name: 'ndots', value: '5' }],
  searches: [`${namespace}.svc.cluster.local`, 'svc.cluster.local', 'cluster.local', 'tbsite.net', 'aliyun.com'],
});

/** `labels` is the older form of `podMetadata.labels`; of both nobody knows which is meant. */
function labelsOf({ labels = {}, podMetadata }: Pick<JindoRuntimeSpec, 'labels' | 'podMetadata'>, field: string) {
  const isTwice = Object.keys(labels).length > 0 && Object.keys(podMetadata?.labels ?? {}).length > 0;
  must(!isTwice, `${field}.labels`, 'nothing, since podMetadata.labels has labels', labels);
  return { ...labels, ...podMetadata?.labels };
}

/** The configuration, then the cache, then everything else. A volume that is mounted twice is rendered once; two of one name are refused. */
export function volumesOf(
  engine: EngineName,
  role: PodRole | 'load',
  config: Mounted['volume'],
  ...lists: readonly (readonly Mounted[])[]
) {
  const files = Object.entries(filePaths(engine, role)).map(([subPath, mountPath]) => ({ name: config.name, mountPath, subPath }));
  const { volumes, volumeMounts } = mountedOf(...lists);
  return { volumes: [...volumes, config], volumeMounts: [...files, ...volumeMounts] };
}

export const runAsUser = ({ user }: JindoRuntimeSpec): readonly EnvVar[] => (user ? [{ name: 'RUN_AS_USER', value: user }] : []);
/** Volumes of the user, beside those of Jindo: of two with one name a pod would have one. */
export function users({ spec }: Input, role: 'master' | 'worker', { config, access, native, tier }: Parts): readonly Mounted[] {
  const path = `spec.${role}.volumeMounts`;
  const own = new Set([config, ...[...access, ...native, ...tier.worker].map(({ volume }) => volume)].map(({ name }) => name));
  const found = userVolumes(spec[role]?.volumeMounts, spec.volumes, path);
  found.forEach(({ volume: { name } }, i) =>
    must(!own.has(name), `${path}[${i}].name`, `another name than those of Jindo's volumes, ${[...own].join(', ')}`, name),
  );
  return found;
}
/** The context of masters and workers that move data past the kernel. */
export const rdmaContext = (rdma: boolean): Pick<ContainerProps, 'securityContext'> =>
  rdma ? { securityContext: { capabilities: { add: ['SYS_RESOURCE', 'IPC_LOCK'] } } } : {};

/** In the pod of a load. Claims and directories of nodes are only for those who read the store. */
export const loadFiles = ({ engine, config, access }: Pick<Parts, 'engine' | 'config' | 'access'>) =>
  volumesOf(engine, 'load', config, access);

/** Those of the Dataset and those of the component. */
export const tolerationsOf = ({ spec, dataset }: Input, role: 'master' | 'worker') => ({
  tolerations: [...(dataset.spec.tolerations ?? []), ...(spec[role]?.tolerations ?? [])],
});
