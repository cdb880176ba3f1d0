/**
 * Services on a test node: kube-proxy leads to their pods, CoreDNS knows their names. Both are processes on the node, like its kubelet; as
 * each node asks its own CoreDNS, that needs no Service. Pure: the layout in, texts out.
 */
import type { NodeLayout } from './layout.ts';

const CLUSTER_DOMAIN = 'cluster.local';

/** The files in the private folder, by name. */
export function serviceFiles(layout: NodeLayout): Readonly<Record<string, string>> {
  return { 'kube-proxy.yaml': JSON.stringify(kubeProxyConfig(layout), null, 2), Corefile: corefile(layout) };
}

export function kubeProxyArgs({ dir }: NodeLayout): readonly string[] {
  return [`--config=${dir}/kube-proxy.yaml`];
}

export function corednsArgs({ dir }: NodeLayout): readonly string[] {
  return [`-conf=${dir}/Corefile`];
}

function kubeProxyConfig({ dir, name }: NodeLayout) {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    clientConnection: { kubeconfig: `${dir}/kube-proxy.kubeconfig` },
    hostnameOverride: name,
    // The tables of connections are the whole machine's: zero leaves their size as it is. Liberal: a packet that comes late on a busy
    // machine is left to TCP, where it would be dropped as that of no connection.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s', tcpBeLiberal: true },
    nftables: { syncPeriod: '30s', minSyncPeriod: '100ms' },
  };
}

/** Names of Services and of their pods; every other name does not exist, where silence would have pods ask again. */
function corefile({ dir }: NodeLayout): string {
  return `${CLUSTER_DOMAIN}:53 {
  errors
  kubernetes ${CLUSTER_DOMAIN} {
    kubeconfig ${dir}/coredns.kubeconfig
  }
}
.:53 {
  template ANY ANY . {
    rcode NXDOMAIN
  }
}
`;
}
