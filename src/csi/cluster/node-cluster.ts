import type { RuntimeName } from '../volume.ts';

/** What the plugin asks of the API server and tells it; every right that it has is used here (kube-node-cluster.ts) and nowhere else. */
export interface NodeCluster {
  /** Sets and removes labels of our own node, all in one request. */
  labelNode(labels: Readonly<Record<string, 'true' | null>>): Promise<void>;
  /** A PersistentVolume of ours; undefined when there is none of that name. */
  volume(name: string): Promise<VolumeRecord | undefined>;
  /** Labels of a claim; undefined when it is gone. */
  claimLabels(claim: RuntimeName): Promise<Readonly<Record<string, string>> | undefined>;
  /** A Dataset; undefined when it is gone. */
  dataset(name: RuntimeName): Promise<DatasetRecord | undefined>;
  /** When the fuse pod is to go; undefined when the runtime is gone, or of a kind that we have no right to read. */
  runtime(name: RuntimeName): Promise<RuntimeRecord | undefined>;
  /** A pod; undefined when it is gone. */
  pod(name: PodName): Promise<Pod | undefined>;
  /** Writes an event on a Dataset; nobody waits for it. */
  tell(dataset: RuntimeName, event: Telling): void;
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
  /** As users wrote it; empty where they did not. */
  readonly cleanPolicy: string;
}
export interface Telling {
  readonly type: 'Normal' | 'Warning';
  readonly reason: 'FuseRecoverSucceed' | 'FuseRecoverFailed' | 'UnmountDuplicateMountpoint';
  readonly note: string;
}

/** The part of core/v1 Pod that is read. */
export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
    readonly deletionTimestamp?: string;
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly ephemeralContainerStatuses?: readonly ContainerStatus[];
  };
}
export interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}
export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: {
    readonly exitCode: number;
    readonly reason?: string;
    readonly message?: string;
    readonly finishedAt?: string;
  };
}
