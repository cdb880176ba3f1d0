/** Fluid's own objects, as its chart creates them. */
import { gzipSync } from 'node:zlib';
import type { KubeObject } from '../../../src/kube/types.ts';

export const NAMESPACE = 'fluid-system';
const HELM = { 'meta.helm.sh/release-name': 'fluid', 'meta.helm.sh/release-namespace': 'default' };

export function deployment(name: string, replicas = 1, more: object = {}): KubeObject {
  const labels = { 'control-plane': name };
  const env = [{ name: 'CRITICAL_FUSE_POD', value: 'true' }];
  const containers = [{ name: 'manager', env, image: `registry.example/fluid/${name}:v1.0.8-6533239` }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: NAMESPACE, labels, annotations: HELM, ...more },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

export const pod = (name: string, labels: Readonly<Record<string, string>>, node: string, ready = true): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: NAMESPACE, labels },
  spec: { nodeName: node, containers: [{ name: 'main', image: 'example.io/main:1' }] },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
});

const PLUGIN = { app: 'csi-nodeplugin-fluid' };
export const nodePlugin = (): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'csi-nodeplugin-fluid', namespace: NAMESPACE, annotations: HELM },
  spec: {
    selector: { matchLabels: PLUGIN },
    template: {
      metadata: { labels: PLUGIN },
      spec: { containers: [{ name: 'plugins', image: 'registry.example/fluid/fluid-csi:v1.0.8-6533239' }] },
    },
  },
});
export const pluginPod = (node: string, ready = true) => pod(`csi-nodeplugin-fluid-${node}`, PLUGIN, node, ready);

export const binding = (namespace: string): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'dataset-clusterrolebinding' },
  subjects: [{ kind: 'ServiceAccount', name: 'dataset-controller', namespace }],
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'dataset-controller' },
});

export const configuration = (namespace: string): KubeObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: 'fluid-pod-admission-webhook', annotations: HELM },
  webhooks: [{ name: 'sidecar.fuse.fluid.io', clientConfig: { service: { namespace, name: 'fluid-pod-admission-webhook', port: 9443 } } }],
});

export const lease = (name: string, holderIdentity: string): KubeObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, namespace: NAMESPACE },
  spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' },
});

/** A record of helm's release `default/fluid`. */
export function record(kind: 'Secret' | 'ConfigMap', revision: number, status: string, values: object, version = '1.0.8'): KubeObject {
  const content = { name: 'fluid', config: values, chart: { metadata: { name: 'fluid', version } } };
  const text = gzipSync(JSON.stringify(content)).toString('base64');
  const release = kind === 'Secret' ? Buffer.from(text).toString('base64') : text;
  const labels = { owner: 'helm', name: 'fluid', version: String(revision), status };
  return {
    apiVersion: 'v1',
    kind,
    metadata: { name: `sh.helm.release.v1.fluid.v${revision}`, namespace: 'default', labels },
    data: { release },
  };
}
