import type { EnvVar, PodSpec, ResourceRequirements } from '../../src/api/index.ts';
import { type ContainerProps, type Mounted, must, type PlanInput, userVolumes, withMemory } from '../../src/constructs/index.ts';
import { addressList } from './addresses.ts';
import { filePaths } from './config.ts';
import type { EngineName } from './engines.ts';
import { isScraped } from './fuse.ts';
import type { Images } from './images.ts';
import { containerPort, isOnHost, type Ports } from './ports.ts';
import type { JindoRuntimeSpec } from './spec.ts';
import { quantityText, type Tier } from './tiers.ts';

export type Input = PlanInput<JindoRuntimeSpec>;
type PodRole = 'master' | 'worker' | 'fuse';

export interface Parts {
  readonly masters: readonly string[];
  readonly ports: Ports;
  readonly tier: Tier;
  readonly images: Images;
  /** The volume with the files of the engine. */
  readonly config: Mounted['volume'];
  /** Credentials and the configuration of Hadoop. */
  readonly access: readonly Mounted[];
  /** What local:// and pvc:// mount. */
  readonly native: readonly Mounted[];
  readonly isFuseOnly: boolean;
  readonly rdma: boolean;
  readonly args: readonly string[];
  readonly metricsPort?: number;
}

export const MOUNT_DIR = 'jindofs-fuse';
/** Where a client's pod finds the directory that it shares with the node. */
export const MOUNT_AT = '/jfs';
/** A server of names for all pods of Jindo; this one means none. */
export const DNS_SERVER = 'JINDO_DNS_SERVER_ENV';
const NO_DNS_SERVER = '1.1.1.1';
export const MEMORY_LIMIT = 'USE_DEFAULT_MEM_LIMIT';
const LARGE = 100 * 1024 ** 3;

/** What the pods of a role have that the user decides in the same way for all of them. */
function podOf({ spec, settings, namespace }: Input, role: PodRole) {
  const own = spec[role] ?? {};
  const server = settings.env[DNS_SERVER];
  const hostNetwork = isOnHost(spec);
  return {
    imagePullSecrets: own.imagePullSecrets?.length ? own.imagePullSecrets : spec.imagePullSecrets,
    podLabels: { ...labelsOf(spec, 'spec'), ...labelsOf(own, `spec.${role}`) },
    podAnnotations: { ...spec.podMetadata?.annotations, ...own.podMetadata?.annotations },
    nodeSelector: own.nodeSelector,
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

/** The configuration, then the cache, then everything else; a volume that is mounted twice is one volume. */
function volumesOf(engine: EngineName, role: PodRole | 'load', config: Mounted['volume'], ...lists: readonly (readonly Mounted[])[]) {
  const files = Object.entries(filePaths(engine, role)).map(([subPath, mountPath]) => ({ name: config.name, mountPath, subPath }));
  const all = lists.flat();
  return {
    volumes: [...new Map([...all.map(({ volume }) => volume), config].map((volume) => [volume.name, volume])).values()],
    volumeMounts: [...files, ...all.map(({ mount }) => mount)],
  };
}

const environment = (env: Readonly<Record<string, string>> = {}): readonly EnvVar[] =>
  Object.entries(env)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ({ name, value }));
const field = (name: string, fieldPath: string): EnvVar => ({ name, valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } } });
const runAsUser = ({ user }: JindoRuntimeSpec): readonly EnvVar[] => (user ? [{ name: 'RUN_AS_USER', value: user }] : []);
const users = ({ spec }: Input, role: 'master' | 'worker'): readonly Mounted[] =>
  userVolumes(spec[role]?.volumeMounts, spec.volumes, `spec.${role}.volumeMounts`);
/** Of masters and workers that move data past the kernel. */
const rdmaContext = (rdma: boolean): Pick<ContainerProps, 'securityContext'> =>
  rdma ? { securityContext: { capabilities: { add: ['SYS_RESOURCE', 'IPC_LOCK'] } } } : {};

export function masterPod(input: Input, parts: Parts) {
  const { spec, namespace, settings } = input;
  const { masters, ports, tier, images, config, access, native, rdma } = parts;
  const rpc = addressList(masters, namespace, ports.master);
  const raft = masters.map((name) => `${name}.${namespace}:${ports.raft}:0`).join();
  const { volumes, volumeMounts } = volumesOf(
    input.runtime.engine as EngineName,
    'master',
    config,
    [tier.master],
    access,
    native,
    users(input, 'master'),
  );
  const isLarge = settings.env[MEMORY_LIMIT] === 'true' && tier.bytes > LARGE;
  return {
    ...podOf(input, 'master'),
    ...tolerationsOf(input, 'master'),
    volumes,
    container: {
      image: images.engine.image,
      imagePullPolicy: images.engine.imagePullPolicy,
      env: [
        { name: 'CLIENT_NAMESPACE_RPC_ADDRESS', value: rpc },
        ...(masters.length > 1 ? [{ name: 'NAMESPACE_BACKEND_RAFT_INITIAL_CONF', value: raft }] : []),
        { name: 'NAMESPACE_BACKEND_RAFT_HOSTNAME', value: masters.map((name) => `${name}.${namespace}`).join() },
        ...runAsUser(spec),
        ...environment(spec.master?.env),
      ],
      ports: [containerPort('master', ports.master), ...(masters.length > 1 ? [containerPort('raft', ports.raft)] : [])],
      resources: isLarge ? largeMemory(spec.master?.resources) : spec.master?.resources,
      volumeMounts,
      ...rdmaContext(rdma),
    },
  };
}

/** A master of a large cache keeps much metadata. What its user says of memory wins. */
const largeMemory = (said: ResourceRequirements = {}): ResourceRequirements =>
  said.requests?.['memory'] === undefined && said.limits?.['memory'] === undefined
    ? withMemory(said, '30Gi', 'spec.master.resources')
    : said;

export function workerPod(input: Input, parts: Parts) {
  const { spec, namespace } = input;
  const { masters, ports, tier, images, config, access, native, rdma } = parts;
  const rpc = addressList(masters, namespace, ports.master);
  const { volumes, volumeMounts } = volumesOf(
    input.runtime.engine as EngineName,
    'worker',
    config,
    tier.worker,
    access,
    native,
    users(input, 'worker'),
  );
  const memory = tier.isMemory && tier.bytes > 0 ? quantityText(tier.bytes / 1024 ** 2) : undefined;
  return {
    ...podOf(input, 'worker'),
    ...tolerationsOf(input, 'worker'),
    volumes,
    container: {
      image: images.engine.image,
      imagePullPolicy: images.engine.imagePullPolicy,
      env: [
        { name: 'STORAGE_NAMESPACE_RPC_ADDRESS', value: rpc },
        { name: 'CLIENT_NAMESPACE_RPC_ADDRESS', value: rpc },
        ...runAsUser(spec),
        ...(isOnHost(spec)
          ? [field('STORAGE_ADDRESS', 'status.hostIP')]
          : [
              field('STORAGE_ADDRESS', 'status.podIP'),
              field('POD_NAME', 'metadata.name'),
              { name: 'STORAGE_DATA_PATH', value: tier.directories.join() },
            ]),
        ...environment(spec.worker?.env),
      ],
      ports: [containerPort('worker', ports.worker)],
      resources: withMemory(spec.worker?.resources, memory, 'spec.worker.resources'),
      volumeMounts,
      ...rdmaContext(rdma),
    },
  };
}

const DEVICE: Mounted = {
  volume: { name: 'jindofs-fuse-device', hostPath: { path: '/dev/fuse', type: 'CharDevice' } },
  mount: { name: 'jindofs-fuse-device', mountPath: '/dev/fuse' },
};

export function fusePod(input: Input, parts: Parts) {
  const { spec, namespace } = input;
  const { masters, ports, tier, images, config, access, native, isFuseOnly, args, metricsPort } = parts;
  const { nodeSelector: _, ...pod } = podOf(input, 'fuse');
  const { volumes, volumeMounts } = volumesOf(input.runtime.engine as EngineName, 'fuse', config, [DEVICE], tier.fuse, access, native);
  return {
    ...pod,
    podAnnotations: { ...pod.podAnnotations, ...(isScraped(input) && { 'prometheus.fuse.fluid.io/scrape': 'true' }) },
    volumes,
    sidecar: { caches: tier.fuse.map(({ volume }) => volume.name) },
    container: {
      image: images.fuse.image,
      imagePullPolicy: images.fuse.imagePullPolicy,
      args,
      env: [
        ...(masters.length > 0 ? [{ name: 'CLIENT_NAMESPACE_RPC_ADDRESS', value: addressList(masters, namespace, ports.master) }] : []),
        ...runAsUser(spec),
        { name: 'FLUID_FUSE_MOUNTPOINT', value: `${MOUNT_AT}/${MOUNT_DIR}` },
        { name: 'FLUID_FUSE_MODE', value: isFuseOnly ? 'fuseOnly' : '' },
        ...environment(spec.fuse?.env),
      ],
      ports: metricsPort === undefined ? [] : [containerPort('metrics', metricsPort)],
      resources: spec.fuse?.resources,
      volumeMounts,
    },
  };
}

/** In the pod of a load. Claims and directories of nodes are only for those who read the store. */
export const loadFiles = (input: Input, { config, access }: Pick<Parts, 'config' | 'access'>) =>
  volumesOf(input.runtime.engine as EngineName, 'load', config, access);

/** Those of the Dataset and those of the component. */
const tolerationsOf = ({ spec, dataset }: Input, role: 'master' | 'worker') => ({
  tolerations: [...(dataset.spec.tolerations ?? []), ...(spec[role]?.tolerations ?? [])],
});
