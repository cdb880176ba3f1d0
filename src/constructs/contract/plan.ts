import type { Identity, NodeSelector, Toleration } from '../../api/index.ts';
import type { Warning } from '../warnings.ts';
import type { WorkloadNames } from './input.ts';

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
  readonly fuse: FusePlan;
  readonly volume: VolumePlan;
  /** Cache of one worker, for the size labels of its node. Bytes. */
  readonly cacheOnNode: Readonly<Partial<Record<'memory' | 'disk', number>>>;
  /** A ConfigMap or Secret that running fuse pods should see at once when it changes. */
  readonly fuseConfig?: string;
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
