import { GROUP, VERSION } from '../../api/resource.ts';
import { type ResourceType, resourceType } from '../../kube/types.ts';

/** Fluid's objects by name, as its charts 1.0.0 to 1.0.8 and that of a826600 create them. */
export const fluidNames = {
  /** Write the objects of Datasets and runtimes: two of them, or one beside Sluice's controller, undo each other's work. */
  controllers: [
    'dataset',
    'alluxioruntime',
    'jindoruntime',
    'juicefsruntime',
    'thinruntime',
    'efcruntime',
    'vineyardruntime',
    'cacheruntime',
  ].map((name) => `${name}-controller`),
  /** Serves a kind that Sluice does not have. */
  goosefs: 'goosefsruntime-controller',
  /** Ends the sidecars of Jobs. */
  applications: 'fluidapp-controller',
  webhook: 'fluid-webhook',
  nodePlugin: 'csi-nodeplugin-fluid',
  driver: 'fuse.csi.fluid.io',
  /** Gives the account of the controller of Datasets its rights, and so says in which namespace that is. */
  binding: 'dataset-clusterrolebinding',
  account: 'dataset-controller',
} as const;

/** A kind of the charts before a826600, which Sluice does not serve. */
export const GooseFSRuntime: ResourceType = { ...resourceType(GROUP, 'GooseFSRuntime', 'goosefsruntimes'), version: VERSION };
export const Deployment = resourceType('apps', 'Deployment', 'deployments');
export const CSIDriver = resourceType('storage.k8s.io', 'CSIDriver', 'csidrivers', false);
export const ClusterRoleBinding = resourceType('rbac.authorization.k8s.io', 'ClusterRoleBinding', 'clusterrolebindings', false);
export const MutatingWebhookConfiguration = resourceType(
  'admissionregistration.k8s.io',
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
  false,
);
