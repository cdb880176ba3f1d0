import type { Identity, NodeSelectorTerm, PodTemplateSpec, SidecarNote, VerifiedFuse } from '../api/index.ts';

/** The cluster as an admission knows it, from memory. Undefined: no such object is known. */
export interface KnownObjects {
  claim(namespace: string, name: string): KnownClaim | undefined;
  dataset(namespace: string, name: string): KnownDataset | undefined;
  /** A runtime, by its type: `juicefs`. */
  runtime(type: string, namespace: string, name: string): KnownRuntime | undefined;
  /** A DaemonSet, which anybody may have written: fuseOf in fuse-of.ts says whose it is. */
  fuse(namespace: string, name: string): KnownFuse | undefined;
  volume(name: string): KnownVolume | undefined;
}

export interface KnownClaim {
  /** Name of the Dataset, in the claim's namespace. Absent: any other claim. */
  readonly dataset?: string;
  /** The claim may have become a Dataset's: the watch does not show its newest version. */
  readonly isStale?: true;
  /** The claim has a deletionTimestamp: Kubernetes lets no further pod use it. */
  readonly isBeingDeleted?: true;
}
export interface KnownDataset {
  readonly identity: Identity;
  /** `status.phase`; empty before the first. */
  readonly phase: string;
  /** Message of the condition NotReady, if that is true. */
  readonly notReady?: string;
  /** The Dataset has a deletionTimestamp. */
  readonly isBeingDeleted?: true;
  /** The first of `status.runtimes`. */
  readonly runtime?: { readonly type: string; readonly namespace: string; readonly name: string };
}
export interface KnownRuntime {
  /** Length of `cacheAffinity` as JSON, which is parsed only when it is asked for. */
  readonly size: number;
  /** `status.cacheAffinity`: terms that its workers require. */
  readonly cacheAffinity: readonly NodeSelectorTerm[];
  /** `spec.fuse.metrics.scrapeTarget` or the like includes sidecars: `All` or `Sidecar`. */
  readonly scrapesSidecars: boolean;
}
export interface KnownFuse {
  readonly uid: string;
  readonly generation: number;
  /** Length of the template as JSON, which is parsed only when it is asked for. */
  readonly size: number;
  readonly template: PodTemplateSpec;
}
export interface KnownVolume {
  /** Attribute `fluid_path`: where the file system is on the host. */
  readonly path: string;
  /** Attribute `mount_type`. */
  readonly mountType: string;
  /** Attribute `fluid_sub_path`; empty: the whole. */
  readonly subPath: string;
  /** Attributes `runtime_namespace` and `runtime_name`: the runtime of another Dataset, to which this one refers. Absent: its own. */
  readonly runtime?: { readonly namespace: string; readonly name: string };
  /** The fuse DaemonSet that the controller has verified, and what the runtime says of its pods as sidecars. */
  readonly fuse?: VerifiedFuse & { readonly sidecar: SidecarNote };
  /** `spec.claimRef`: the one claim that may use it. */
  readonly claim: { readonly namespace: string; readonly name: string };
}

/** An object that an admission did not know, to be read once before a pod is denied. */
export type Unknown =
  | { readonly kind: 'claim' | 'dataset' | 'fuse'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'volume'; readonly name: string };

/** Equal for the same object. */
export const unknownKey = (each: Unknown): string => JSON.stringify([each.kind, each.kind !== 'volume' && each.namespace, each.name]);
