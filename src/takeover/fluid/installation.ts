import type { KubeObject } from '../../kube/types.ts';
import type { PodView } from '../steps/pod-view.ts';
import type { GitOpsOwner } from './git-ops.ts';
import type { HelmRelease } from './helm.ts';
import type { MissingRight } from './reads.ts';

/** An installation of Fluid. Objects are as the API server returned them. */
export interface FluidInstallation {
  /** Namespace of its controllers; without any, where they would be. */
  readonly namespace: string;
  /** In the order of `fluidNames`. */
  readonly deployments: readonly FluidDeployment[];
  readonly nodePlugin?: FluidNodePlugin;
  readonly webhook: FluidWebhook;
  /** CSIDriver `fuse.csi.fluid.io`. */
  readonly driver?: KubeObject;
  /** Leases that its controllers renew, those that they released too. */
  readonly leases: readonly FluidLease[];
  /** Absent: the objects say of no release. */
  readonly release?: HelmRelease;
  /** Tools that apply the objects again when they are changed. */
  readonly gitOps: readonly GitOpsOwner[];
  /** Tags of the images that its own programs run: `v1.0.8-6533239`. */
  readonly versions: readonly string[];
  /** Rights without which something was not read: that part is as if it did not exist. */
  readonly missingRights: readonly MissingRight[];
}

export interface FluidDeployment {
  readonly name: string;
  /**
   * `controller` writes the objects of Datasets and runtimes, `other` serves a kind that Sluice does not have, `applications` ends the
   * sidecars of Jobs, `webhook` admits pods.
   */
  readonly role: 'controller' | 'other' | 'applications' | 'webhook';
  /** `spec.replicas`. */
  readonly replicas: number;
  readonly object: KubeObject;
  /** Those that its selector selects, those that end too, but none that was evicted or has ended otherwise. */
  readonly pods: readonly PodView[];
}

export interface FluidNodePlugin {
  /** Absent if it was deleted and its pods were left. */
  readonly object?: KubeObject;
  /** At most one a node. */
  readonly pods: readonly PodView[];
}

/** Each absent if it does not exist. Sluice's webhook has the same names: labels say whose an object is. */
export interface FluidWebhook {
  readonly service?: KubeObject;
  readonly configuration?: KubeObject;
  /** The certificate, without its contents. */
  readonly secret?: Pick<KubeObject, 'metadata'>;
  /** ConfigMap of the lists of plugins. */
  readonly profile?: KubeObject;
}

export interface FluidLease {
  /** `dataset.data.fluid.io`. */
  readonly name: string;
  /** Empty if it was released. */
  readonly holder: string;
  readonly renewTime?: string;
  readonly object: KubeObject;
}

/** Whether anything of Fluid itself is installed. CRDs and Datasets do not count. */
export const isInstalled = ({
  deployments,
  nodePlugin,
  leases,
}: Pick<FluidInstallation, 'deployments' | 'nodePlugin' | 'leases'>): boolean =>
  deployments.length > 0 || nodePlugin !== undefined || leases.length > 0;
