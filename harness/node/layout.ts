/** The paths of a test node, and the configuration of its programs. Pure: paths and addresses in, texts out. */
import { join } from 'node:path';

export const NODE_PREFIX = 'sluice-node-';
export const PAUSE_IMAGE = 'localhost/pause:1';
/** The first address of the service range of the harness' API servers (control-plane/components.ts). */
export const SERVICE_ADDRESS = '10.96.0.1';
/** Where the API server answers on the machine's end of the link. */
export const API_PORT = 6443;

export interface NodeLayout {
  /** The private folder; everything lies in it. */
  readonly dir: string;
  readonly name: string;
  /** Names the node's cgroup and link on this machine. At most 15 bytes, as links want it. */
  readonly id: string;
  /** The machine's end of the link to the node. */
  readonly hostAddress: string;
  /** The node's InternalIP. */
  readonly address: string;
  /** The node's addresses, its pods' included, as seen by the machine. */
  readonly subnet: string;
  readonly podSubnet: string;
}

/** The layout of the node in `dir` whose addresses are block `block` of those that carriers keep for themselves (100.64.0.0/10). */
export function nodeLayout(dir: string, name: string, block: number): NodeLayout {
  const prefix = `100.${64 + ((block >> 8) & 63)}.${block & 255}`;
  return {
    dir,
    name,
    id: `slu${dir.slice(dir.lastIndexOf('-') + 1)}`,
    hostAddress: `${prefix}.1`,
    address: `${prefix}.2`,
    subnet: `${prefix}.0/24`,
    podSubnet: `${prefix}.128/25`,
  };
}

export function nodePaths(dir: string) {
  return {
    /** The kubelet's root directory, shared with the machine. */
    kubelet: join(dir, 'kubelet'),
    /** The mount root of FUSE pods, shared with the machine. */
    mounts: join(dir, 'mnt'),
    podLogs: join(dir, 'pod-logs'),
    socket: join(dir, 'containerd.sock'),
    logs: join(dir, 'logs'),
    /** The node's view of /var/lib and /var/log: programs write there under any configuration. */
    varLib: join(dir, 'var-lib'),
    varLog: join(dir, 'var-log'),
    /** The node's view of kernel settings that a kubelet changes. */
    sysctls: join(dir, 'sysctls'),
  };
}

/** Kernel settings that a kubelet wants. It sees them as done, for they are the whole machine's. */
export const KUBELET_SYSCTLS: Readonly<Record<string, string>> = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
};

/** The files in the private folder, by name. */
export function nodeFiles(layout: NodeLayout, snapshotter: string): Readonly<Record<string, string>> {
  return {
    'containerd.toml': containerdConfig(layout, snapshotter),
    'kubelet.yaml': JSON.stringify(kubeletConfig(layout), null, 2),
    'cni/net.d/10-bridge.conflist': JSON.stringify(networkConfig(layout), null, 2),
    'service-address.nft': serviceAddressRules(layout),
    // As machines know their own names; pods of the node's network have a copy.
    hosts: `127.0.0.1 localhost\n${layout.address} ${layout.name}\n`,
  };
}

function containerdConfig({ dir }: NodeLayout, snapshotter: string): string {
  const unwanted = ['snapshotter.v1.btrfs', 'snapshotter.v1.zfs', 'snapshotter.v1.aufs', 'snapshotter.v1.devmapper', 'internal.v1.opt'];
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return `version = 2
root = "${dir}/containerd/root"
state = "${dir}/containerd/state"
disabled_plugins = ${JSON.stringify(unwanted.map((plugin) => `io.containerd.${plugin}`))}
[grpc]
  address = "${nodePaths(dir).socket}"
[${cri}]
  sandbox_image = "${PAUSE_IMAGE}"
  stream_server_address = "127.0.0.1"
  # Root may lack CAP_SYS_RESOURCE; then no process may be made less likely to be killed than it is.
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  [${cri}.containerd]
    snapshotter = "${snapshotter}"
    default_runtime_name = "runc"
    [${cri}.containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [${cri}.containerd.runtimes.runc.options]
        SystemdCgroup = false
  [${cri}.cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${dir}/cni/net.d"
`;
}

function kubeletConfig({ dir, id, address }: NodeLayout) {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address,
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: `${dir}/ca.crt` } },
    authorization: { mode: 'Webhook' },
    tlsCertFile: `${dir}/kubelet-server.crt`,
    tlsPrivateKeyFile: `${dir}/kubelet-server.key`,
    containerRuntimeEndpoint: `unix://${nodePaths(dir).socket}`,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${id}`,
    failCgroupV1: false,
    failSwapOn: false,
    // A machine of developers may be nearly full, and an image that was collected cannot be pulled again.
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%', 'nodefs.inodesFree': '1%', 'imagefs.available': '1%' },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    podLogsDir: nodePaths(dir).podLogs,
    volumePluginDir: `${nodePaths(dir).kubelet}/volume-plugins`,
    resolvConf: '',
    clusterDNS: [address],
    clusterDomain: 'cluster.local',
    serializeImagePulls: false,
    nodeStatusUpdateFrequency: '1s',
    configMapAndSecretChangeDetectionStrategy: 'Watch',
    makeIPTablesUtilChains: false,
    // Tests that let a client crash again and again would otherwise wait up to five minutes.
    featureGates: { KubeletCrashLoopBackOffMax: true },
    crashLoopBackOff: { maxContainerRestartPeriod: '1s' },
  };
}

function networkConfig({ dir, podSubnet }: NodeLayout) {
  const ranges = [[{ subnet: podSubnet }]];
  const ipam = { type: 'host-local', dataDir: `${dir}/cni/ipam`, ranges, routes: [{ dst: '0.0.0.0/0' }] };
  return {
    cniVersion: '0.4.0',
    name: 'pods',
    // Each pod has a link of its own: on a bridge, what pods answer each other would pass by the rules that know of Services.
    plugins: [{ type: 'ptp', ipam }, { type: 'loopback' }],
  };
}

/** The API server has no address that could be an endpoint of its service: kube-proxy leads to all the others. */
function serviceAddressRules({ hostAddress }: NodeLayout): string {
  const rule = `ip daddr ${SERVICE_ADDRESS} tcp dport 443 dnat to ${hostAddress}:${API_PORT}`;
  return `table ip services {
  chain pods {
    type nat hook prerouting priority dstnat;
    ${rule}
  }
  chain node {
    type nat hook output priority -100;
    ${rule}
  }
}
`;
}

export function containerdArgs({ dir }: NodeLayout): readonly string[] {
  return ['--config', `${dir}/containerd.toml`];
}

export function kubeletArgs({ dir, name, address }: NodeLayout): readonly string[] {
  const { kubelet } = nodePaths(dir);
  return [
    `--config=${dir}/kubelet.yaml`,
    `--kubeconfig=${dir}/kubelet.kubeconfig`,
    `--hostname-override=${name}`,
    `--node-ip=${address}`,
    `--root-dir=${kubelet}`,
    `--cert-dir=${kubelet}/pki`,
    '--v=2',
  ];
}
