import type { ResourceType } from '../kube/types.ts';

const kind = (group: string, name: string, plural: string, namespaced = false): ResourceType => ({
  group,
  version: 'v1',
  plural,
  kind: name,
  namespaced,
});

export const CustomResourceDefinition = kind('apiextensions.k8s.io', 'CustomResourceDefinition', 'customresourcedefinitions');
export const MutatingWebhookConfiguration = kind(
  'admissionregistration.k8s.io',
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
);

/** Kinds of Kubernetes that `sluice install` or people write, beside those of every API server in memory. Nothing acts on most of them. */
export const moreKinds: readonly ResourceType[] = [
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  kind('admissionregistration.k8s.io', 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies'),
  kind('admissionregistration.k8s.io', 'ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings'),
  kind('apps', 'Deployment', 'deployments', true),
  kind('apps', 'ReplicaSet', 'replicasets', true),
  kind('networking.k8s.io', 'NetworkPolicy', 'networkpolicies', true),
  kind('policy', 'PodDisruptionBudget', 'poddisruptionbudgets', true),
  kind('rbac.authorization.k8s.io', 'ClusterRole', 'clusterroles'),
  kind('rbac.authorization.k8s.io', 'ClusterRoleBinding', 'clusterrolebindings'),
  kind('scheduling.k8s.io', 'PriorityClass', 'priorityclasses'),
  kind('storage.k8s.io', 'CSIDriver', 'csidrivers'),
  kind('storage.k8s.io', 'StorageClass', 'storageclasses'),
];
