/** Which columns the built-in kinds have. */
import type { ResourceType } from '../../../kube/types.ts';
import { networkPolicy, roleBinding, validatingAdmissionPolicy, validatingAdmissionPolicyBinding, webhookConfiguration } from './access.ts';
import { createdColumn, nameColumn, type TableColumn } from './columns.ts';
import { configMap, lease, namespace, node, resourceQuota, secret, service, serviceAccount } from './core.ts';
import { event } from './events.ts';
import { pod } from './pods.ts';
import { csiDriver, persistentVolume, persistentVolumeClaim, storageClass } from './volumes.ts';
import { cronJob, daemonSet, deployment, job, podDisruptionBudget, priorityClass, replicaSet, statefulSet } from './workloads.ts';

/** Kinds without columns of their own: when they were created. */
export const plain: readonly TableColumn[] = [nameColumn, createdColumn];

/** By `<kind>.<group>`, without the dot in the core group. */
const BUILT_IN: Readonly<Record<string, readonly TableColumn[]>> = {
  Pod: pod,
  Node: node,
  Namespace: namespace,
  Service: service,
  ConfigMap: configMap,
  Secret: secret,
  ServiceAccount: serviceAccount,
  PersistentVolume: persistentVolume,
  PersistentVolumeClaim: persistentVolumeClaim,
  ResourceQuota: resourceQuota,
  Event: event,
  'Event.events.k8s.io': event,
  'StatefulSet.apps': statefulSet,
  'DaemonSet.apps': daemonSet,
  'Deployment.apps': deployment,
  'ReplicaSet.apps': replicaSet,
  'Job.batch': job,
  'CronJob.batch': cronJob,
  'NetworkPolicy.networking.k8s.io': networkPolicy,
  'PodDisruptionBudget.policy': podDisruptionBudget,
  'PriorityClass.scheduling.k8s.io': priorityClass,
  'Lease.coordination.k8s.io': lease,
  'Role.rbac.authorization.k8s.io': plain,
  'ClusterRole.rbac.authorization.k8s.io': plain,
  'RoleBinding.rbac.authorization.k8s.io': roleBinding,
  'ClusterRoleBinding.rbac.authorization.k8s.io': roleBinding,
  'StorageClass.storage.k8s.io': storageClass,
  'CSIDriver.storage.k8s.io': csiDriver,
  'CustomResourceDefinition.apiextensions.k8s.io': plain,
  'MutatingWebhookConfiguration.admissionregistration.k8s.io': webhookConfiguration,
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io': webhookConfiguration,
  'ValidatingAdmissionPolicy.admissionregistration.k8s.io': validatingAdmissionPolicy,
  'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io': validatingAdmissionPolicyBinding,
};

/** Columns of a built-in kind; undefined for one that has none here. */
export const builtInColumns = ({ group, kind }: ResourceType): readonly TableColumn[] | undefined =>
  BUILT_IN[group === '' ? kind : `${kind}.${group}`];
