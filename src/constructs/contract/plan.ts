import type { Identity, NodeSelector, PersistentVolumeSpec, Toleration } from '../../api/index.ts';
import type { Warning } from '../warnings.ts';
import type { Role, WorkloadNames } from './input.ts';

/**
 * The fields of every plan. `basePlan` computes it; a runtime's plan spreads it and adds its own fields. A plan is data: JSON can hold it.
 */
export interface BasePlan {
  /** `juicefs`: in host directories and `status.runtimes[].type`. */
  readonly type: string;
  /** Name of the engine, in node labels and `status.valueFile`. */
  readonly engine: string;
  /** Label `app` of the workloads, and the prefix of their label `role`. Workloads select their pods by both. */
  readonly app: string;
  /** Names of the workloads. */
  readonly workloads: WorkloadNames;
  /** Labels by which workloads select their pods. Default: `app`, `release` and `role`. */
  readonly selectors?: Readonly<Record<Role, Readonly<Record<string, string>>>>;
  readonly name: string;
  readonly namespace: string;
  /** The runtime, as owner reference of its objects. */
  readonly owner: { readonly apiVersion: string; readonly kind: string; readonly name: string; readonly uid: string };
  readonly dataset: Identity;
  /** Host directory that the fuse pod shares with the node: `<mountRoot>/<type>/<namespace>/<name>`. */
  readonly hostPath: string;
  /** Host directory where the file system appears: `<hostPath>/<mountDir>`, `fluid_path` of the volume. */
  readonly mountPath: string;
  /** Number of pods of a workload. A workload without a number is not created, such as workers that the user did not enable. */
  readonly replicas: Readonly<Partial<Record<'master' | 'worker', number>>>;
  /** `Exclusive`: a node with a worker of this Dataset has no worker of another. `Shared`: Shared Datasets share nodes. */
  readonly placement: 'Exclusive' | 'Shared';
  /** `spec.nodeAffinity.required` of the Dataset: nodes that may cache the data. */
  readonly nodeAffinity?: NodeSelector;
  /** Tolerations of the Dataset, for masters and workers. */
  readonly tolerations: readonly Toleration[];
  /** Names of pull secrets for workloads whose spec names none. */
  readonly imagePullSecrets: readonly string[];
  /** Absent if this runtime has no fuse pods, although its kind has some. */
  readonly fuse?: FusePlan;
  readonly volume: VolumePlan;
  /** Pods may only read: the Dataset has no access modes, or ReadOnlyMany among them. */
  readonly readOnly: boolean;
  /** Cache of one worker in bytes, for the size labels of its node. */
  readonly cacheOnNode: Readonly<Partial<Record<'memory' | 'disk', number>>>;
  /** A ConfigMap or Secret whose changes running pods of these roles should see at once, not only after the kubelet's next sync. */
  readonly config?: { readonly name: string; readonly roles: readonly Role[] };
  /** How often cleaning is tried before the runtime is deleted without it (Fluid's default: 5), and seconds for each attempt. */
  readonly cleaning: { readonly attempts: number; readonly graceSeconds: number };
  /** Fields of the spec that the runtime ignores, or that should be written in another way. */
  readonly warnings: readonly Warning[];
}
/** The fuse pods. */
export interface FusePlan {
  /** The pods use the PID namespace of the host (annotation `runtime.fluid.io/fuse.hostpid`). */
  readonly hostPid: boolean;
  /** The pods have the priority class system-node-critical. */
  readonly critical: boolean;
  /** The user's node selector. `Fuse` adds the node label that the CSI plugin sets. */
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** Where the host path is mounted in the pod. Default: the same path as on the host. */
  readonly mountAt?: string;
  /** False: no file system is mounted at the mount path. Readers get the directory's content as soon as the directory exists. */
  readonly isMount?: false;
  /** Counts changes of image and script, for the clean policy OnFuseChanged: see `nextGeneration`. Absent if a runtime does not offer it. */
  readonly generation?: number;
}
/** The PersistentVolume and the claim of a Dataset. */
export interface VolumePlan {
  /** `mount_type` in the volume's attributes: `fuse.juicefs`. */
  readonly mountType: string;
  /** Access modes of volume and claim. */
  readonly accessModes: readonly string[];
  /** Capacity, a Kubernetes quantity. */
  readonly storage: string;
  /** `csi.volumeAttributes`, which the CSI plugin reads, by name. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Nodes on which pods may mount it. Default: those that the fuse pods select. */
  readonly nodeAffinity?: NonNullable<PersistentVolumeSpec['nodeAffinity']>;
  /** Labels and annotations that users want on volume and claim (annotation `data.fluid.io/metadataList` of the runtime). */
  readonly metadata: Readonly<Record<'volume' | 'claim', ObjectLabels>>;
}
/** Labels and annotations of one object. */
export interface ObjectLabels {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Choices that only the runtime can make for `basePlan`. */
export interface BaseChoices {
  /** Label `app` of the workloads. Default: the runtime's type. */
  readonly app?: string;
  /** `mount_type` of the volume, `fuse.juicefs`: the file system type that /proc/mounts shows. */
  readonly mountType: string;
  /** Last element of the mount path, `juicefs-fuse`. */
  readonly mountDir: string;
  /** Where the host path is mounted in the fuse pod. Default: the same path as on the host. */
  readonly mountAt?: string;
  /** False: no file system is mounted at the mount path; the fuse pods write files there. */
  readonly isMount?: false;
  /** The user's node selector for fuse pods. */
  readonly fuseNodeSelector?: Readonly<Record<string, string>> | undefined;
}
