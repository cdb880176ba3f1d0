import type * as k8s from '../../api/k8s.ts';
import type { RuntimeName } from '../volume.ts';

/** The plugin's requests to the API server; kube-node-cluster.ts uses every right that the plugin has. */
export interface NodeCluster {
  /** Sets and removes labels of the plugin's own node, all in one request. */
  labelNode(labels: Readonly<Record<string, 'true' | null>>): Promise<void>;
  /** Whether the plugin's own node has a label with the value `true`. */
  hasLabel(key: string): Promise<boolean>;
  /** A PersistentVolume of our driver; undefined when none of that name exists. */
  volume(name: string): Promise<VolumeRecord | undefined>;
  /** Labels of a claim; undefined when it does not exist. */
  claimLabels(claim: RuntimeName): Promise<Readonly<Record<string, string>> | undefined>;
  /** A Dataset; undefined when it does not exist. */
  dataset(name: RuntimeName): Promise<DatasetRecord | undefined>;
  /** A runtime; undefined when it does not exist, or is of a kind that the plugin has no right to read. */
  runtime(name: RuntimeName): Promise<RuntimeRecord | undefined>;
  /** A pod; undefined when it does not exist. */
  pod(name: PodName): Promise<FusePod | undefined>;
  /** Writes an event on a Dataset, in the background; a failure is logged. */
  recordEvent(dataset: RuntimeName, event: DatasetEvent): void;
}

export interface VolumeRecord {
  readonly attributes: Readonly<Record<string, string>>;
  readonly claim?: RuntimeName;
}
export interface DatasetRecord {
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
}
export interface PodName {
  readonly namespace: string;
  readonly name: string;
}
export interface RuntimeRecord {
  /** `spec.fuse.cleanPolicy` as users wrote it; empty when they did not. */
  readonly cleanPolicy: string;
}
export interface DatasetEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: 'FuseRecoverSucceed' | 'FuseRecoverFailed' | 'UnmountDuplicateMountpoint';
  readonly note: string;
}

/** The part of core/v1 Pod that is read. */
export interface FusePod {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
    readonly deletionTimestamp?: string;
  };
  readonly status?: Pick<k8s.PodStatus, 'phase' | 'reason' | 'message' | 'conditions'> & {
    readonly initContainerStatuses?: readonly FuseContainerStatus[];
    readonly containerStatuses?: readonly FuseContainerStatus[];
    readonly ephemeralContainerStatuses?: readonly FuseContainerStatus[];
  };
}
export type FuseContainerStatus = Pick<k8s.ContainerStatus, 'name' | 'state' | 'lastState'> &
  Partial<Pick<k8s.ContainerStatus, 'restartCount'>>;
/** The statuses of all containers of a pod. */
export const containersOf = (status: NonNullable<FusePod['status']>): readonly FuseContainerStatus[] => [
  ...(status.initContainerStatuses ?? []),
  ...(status.containerStatuses ?? []),
  ...(status.ephemeralContainerStatuses ?? []),
];
