import type { Identity, NodeSelector, Toleration } from '../../api/index.ts';
import type { Warning } from '../warnings.ts';
import type { Role, WorkloadNames } from './input.ts';

/** What every plan has; `basePlan` fills it in. */
export interface BasePlan {
  /** Directory and `status.runtimes[].type`. */
  readonly type: string;
  /** Node labels and `status.valueFile`. */
  readonly engine: string;
  /** Labels `app` and `role` of workloads, by which they select their pods. */
  readonly app: string;
  readonly workloads: WorkloadNames;
  readonly name: string;
  readonly namespace: string;
  readonly owner: { readonly apiVersion: string; readonly kind: string; readonly name: string; readonly uid: string };
  readonly dataset: Identity;
  /** On the host: the directory that the fuse pod shares with the node. */
  readonly hostPath: string;
  /** On the host: where the file system appears; `fluid_path` of the volume. */
  readonly mountPath: string;
  /** A component that has none here is left out, though the runtime knows it: a worker that the user did not enable. */
  readonly replicas: Readonly<Partial<Record<'master' | 'worker', number>>>;
  readonly placement: 'Exclusive' | 'Shared';
  readonly nodeAffinity?: NodeSelector;
  readonly tolerations: readonly Toleration[];
  readonly imagePullSecrets: readonly string[];
  /** Absent: there are no fuse pods, though the runtime knows them. */
  readonly fuse?: FusePlan;
  readonly volume: VolumePlan;
  /** Cache of one worker, for the size labels of its node. Bytes. */
  readonly cacheOnNode: Readonly<Partial<Record<'memory' | 'disk', number>>>;
  /** A ConfigMap or Secret that running pods of these roles should see at once when it changes. */
  readonly config?: { readonly name: string; readonly roles: readonly Role[] };
  /** How often cleaning the cache is tried before the runtime goes without (Fluid's default: 5), and for how long each time. */
  readonly cleaning: { readonly attempts: number; readonly graceSeconds: number };
  /** What is not done, or should be written in another way: told as Warning events and in the condition `SpecWarning`. */
  readonly warnings?: readonly Warning[];
}
export interface FusePlan {
  readonly hostPid: boolean;
  readonly critical: boolean;
  /** The user's own node selector, without the label that the CSI plugin sets. */
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** Where the host path is mounted in the pod. Default: where it is on the host. */
  readonly mountAt?: string;
  /** Nothing is mounted at the mount path: readers get what is in it, as soon as it is there. */
  readonly isMount?: false;
  /** Counts image changes, for cleanPolicy OnFuseChanged; absent where a runtime does not offer it. */
  readonly generation?: number;
}
export interface VolumePlan {
  readonly mountType: string;
  readonly accessModes: readonly string[];
  readonly storage: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<'volume' | 'claim', ObjectLabels>>;
}
export interface ObjectLabels {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** What `basePlan` has to be told. */
export interface BaseChoices {
  /** Label `app` of the workloads. Default: the runtime's type. */
  readonly app?: string;
  /** `mount_type` of the volume. */
  readonly mountType: string;
  /** Last element of the mount path, `juicefs-fuse`. */
  readonly mountDir: string;
  /** Where the pod has the host path, if not where the host has it. */
  readonly mountAt?: string;
  /** Nothing is mounted at the mount path. */
  readonly isMount?: false;
  readonly fuseNodeSelector?: Readonly<Record<string, string>> | undefined;
}
