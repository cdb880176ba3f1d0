/** The command lines of the programs that make a control plane. Pure: paths and ports in, arguments out. */
export interface Layout {
  readonly dir: string;
  readonly ports: { readonly api: number; readonly etcd: number; readonly kwok: number };
}

/** Flags that the caller of `startControlPlane` adds to a component's own; the last of a repeated flag wins. */
export interface ExtraArgs {
  readonly apiServerArgs?: readonly string[];
  readonly controllerManagerArgs?: readonly string[];
  readonly schedulerArgs?: readonly string[];
}

export function etcdArgs({ dir, ports }: Layout): readonly string[] {
  const client = `http://127.0.0.1:${ports.etcd}`;
  return [
    `--data-dir=${dir}/etcd`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    '--listen-peer-urls=http://127.0.0.1:0',
    '--unsafe-no-fsync',
    '--log-level=warn',
  ];
}

export function apiServerArgs({ dir, ports }: Layout, audit: boolean): readonly string[] {
  const pki = `${dir}/pki`;
  return [
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${ports.api}`,
    // A loopback address is no valid endpoint of the service `kubernetes`; nothing in these clusters dials it.
    '--endpoint-reconciler-type=none',
    '--service-cluster-ip-range=10.96.0.0/16',
    // No Service has an address here, so that webhooks are called at their pods, as a cluster without kube-proxy on its control plane does.
    '--enable-aggregator-routing=true',
    '--allow-privileged=true',
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    `--client-ca-file=${pki}/ca.crt`,
    `--tls-cert-file=${pki}/apiserver.crt`,
    `--tls-private-key-file=${pki}/apiserver.key`,
    `--kubelet-certificate-authority=${pki}/ca.crt`,
    `--kubelet-client-certificate=${pki}/kubelet-client.crt`,
    `--kubelet-client-key=${pki}/kubelet-client.key`,
    // Otherwise exec dials the node by its name, which no resolver knows.
    '--kubelet-preferred-address-types=InternalIP,Hostname',
    `--service-account-key-file=${pki}/sa.pub`,
    `--service-account-signing-key-file=${pki}/sa.key`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    ...(audit ? [`--audit-policy-file=${dir}/audit-policy.yaml`, `--audit-log-path=${dir}/audit.log`] : []),
  ];
}

export const AUDIT_POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: Metadata}]
`;

/** Resync periods stay at their defaults: what is only fast with shorter ones is not fast. That of autoscalers is nothing of ours. */
export function controllerManagerArgs({ dir }: Layout): readonly string[] {
  const pki = `${dir}/pki`;
  return [
    `--kubeconfig=${dir}/controller-manager.kubeconfig`,
    '--use-service-account-credentials=true',
    `--service-account-private-key-file=${pki}/sa.key`,
    `--root-ca-file=${pki}/ca.crt`,
    `--cluster-signing-cert-file=${pki}/ca.crt`,
    `--cluster-signing-key-file=${pki}/ca.key`,
    '--leader-elect=false',
    '--secure-port=0',
    // Forty controllers make their accounts and tokens first: at the default 20 requests a second that alone takes 5 s.
    '--kube-api-qps=200',
    '--kube-api-burst=400',
    '--horizontal-pod-autoscaler-sync-period=2s',
  ];
}

export function schedulerArgs({ dir }: Layout): readonly string[] {
  return [`--kubeconfig=${dir}/scheduler.kubeconfig`, '--leader-elect=false', '--secure-port=0'];
}

export function kwokArgs({ dir, ports }: Layout, kubeletPort: number): readonly string[] {
  return [
    `--kubeconfig=${dir}/kwok.kubeconfig`,
    `--config=${dir}/kwok.yaml`,
    // Beside its nodes there may be a real one.
    '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
    '--cidr=10.244.0.1/16',
    '--node-ip=127.0.0.1',
    `--node-port=${kubeletPort}`,
    `--server-address=127.0.0.1:${ports.kwok}`,
    '--node-lease-duration-seconds=40',
  ];
}
