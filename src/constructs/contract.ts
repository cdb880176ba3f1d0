import type { Construct } from 'constructs';
import type { Warning } from './warnings.ts';
import type {
  CustomResource,
  DatasetSpec,
  Identity,
  Manifest,
  NodeSelector,
  PersistentVolumeSpec,
  Static,
  Toleration,
  TSchema,
  WorkloadRole,
} from '../api/index.ts';

export type Role = WorkloadRole;
/** What the lifecycle ensures, one after the other. */
export type Part = Role | 'volume' | 'claim';

/** Everything planning may depend on. Anything not in here cannot influence a manifest. */
export interface PlanInput<Spec> {
  readonly name: string;
  readonly namespace: string;
  /** The Runtime's UID: owner of all we make. */
  readonly uid: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Spec;
  readonly dataset: {
    readonly identity: Identity;
    readonly annotations: Readonly<Record<string, string>>;
    readonly spec: DatasetSpec;
  };
  readonly facts: Facts;
  readonly settings: Settings;
}

/** What had to be looked up rather than computed; recorded in the cluster, so that the next synth yields the same bytes. */
export interface Facts {
  /** Allocated host ports by the name asked for. */
  readonly ports: Readonly<Record<string, number>>;
  /** Contents of Secrets that were asked for inline, in base64 as the API server gives them; by Secret name, or `namespace/name` if a namespace was asked for. */
  readonly secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** What stands behind a `pvc://` mount, by claim name. */
  readonly claims: Readonly<Record<string, ClaimFact>>;
  /** Objects that a spec refers to by name (a profile, a class), by `Kind/name`. */
  readonly objects: Readonly<Record<string, unknown>>;
  /** The fuse pod template as it stands in the cluster. */
  readonly fuse?: { readonly image: string; readonly generation: number; readonly scriptHash?: string };
}

export interface ClaimFact {
  readonly uid: string;
  readonly volume: string;
  /** Absent when the volume is not a CSI volume. */
  readonly csi?: NonNullable<PersistentVolumeSpec['csi']>;
  readonly mountOptions: readonly string[];
}

/** What must be looked up before planning. Asked again with each answer, until nothing new is asked. */
export interface Needs {
  readonly ports?: readonly PortNeed[];
  readonly claims?: readonly string[];
  readonly secrets?: readonly SecretNeed[];
  /** Cluster-scoped objects of our API group. */
  readonly objects?: readonly ObjectNeed[];
}
export interface PortNeed {
  readonly name: string;
  /** First and last port that may be given out. */
  readonly range: readonly [number, number];
  /** Where a runtime that was taken over has it: the port of that name in this workload's pods. */
  readonly in: Role;
  readonly portName: string;
}
/** `inline`: the contents are needed, not only that the Secret exists. */
export interface SecretNeed {
  readonly name: string;
  /** Default: the runtime's own. */
  readonly namespace?: string;
  readonly inline?: boolean;
}
export interface ObjectNeed {
  readonly kind: string;
  readonly name: string;
}

/** The installation's choices, read once from flags and environment in cli/. */
export interface Settings {
  /** Host directory of all FUSE mounts (env MOUNT_ROOT). */
  readonly mountRoot: string;
  /** Fuse pods get priority class system-node-critical (env CRITICAL_FUSE_POD). */
  readonly criticalFusePod: boolean;
  /** Added to workloads whose spec names none (env IMAGE_PULL_SECRETS, comma-separated). */
  readonly imagePullSecrets: readonly string[];
  /** Sluice's own image, for what of it runs in the pods that we make (env SLUICE_IMAGE). */
  readonly image?: string;
  /** The environment variables that runtimes declared in `env`, where set. */
  readonly env: Readonly<Record<string, string>>;
  /** Port ranges by runtime type; a runtime's own default where absent (flag --runtime-node-port-range). */
  readonly portRanges: Readonly<Record<string, readonly [number, number]>>;
}

/** Something to run inside a pod. It is data, so a plan containing it can be printed, diffed and tested. */
export interface Command {
  readonly in: Role;
  /** `first` is the pod with ordinal 0; `one` any ready pod; `every` all ready pods. */
  readonly on: 'first' | 'one' | 'every';
  readonly argv: readonly string[];
  /** Default 20. */
  readonly timeoutSeconds?: number;
}

/** Questions to running pods. `parse` gets, for each command, the standard output of each pod that ran it. */
export interface Probe<P, T> {
  readonly commands: (plan: P) => readonly Command[];
  readonly parse: (answers: readonly (readonly string[])[], plan: P) => T;
}

/** Mounting is one table to converge. */
export interface MountTable<P> {
  /** The paths that are mounted now. */
  readonly list: Probe<P, readonly string[]>;
  readonly wanted: (plan: P) => readonly { readonly path: string; readonly mount: Command }[];
  readonly unmount: (plan: P, path: string) => Command;
}

/**
 * What is to be deleted from the caches when the runtime goes. `ask` finds out what (a volume's UUID) where the plan cannot know;
 * where it has no commands it is not asked, and `found` is undefined.
 */
export interface Cleanup<P, T = unknown> {
  readonly ask?: Probe<P, T>;
  /** In masters and workers: fuse pods, which would fill a cache again, are gone by then. A method, so that a runtime whose `ask` finds a string is still a `Cleanup<P>`. */
  commands(plan: P, found: T | undefined): readonly (Command & { readonly in: 'master' | 'worker' })[];
}

export interface CacheUse {
  readonly cachedBytes: number;
  /** 0 to 1; absent while nothing was read. */
  readonly hitRatio?: number;
  readonly throughputRatio?: number;
  /** Size of all the data, of which this is cached; absent where only `ufs` tells. */
  readonly totalBytes?: number;
}
export interface UfsUsage {
  readonly totalBytes: number;
  readonly files?: number;
}
/** What `cacheStates` may tell the user about. */
export interface Seen {
  readonly readyWorkers: number;
  readonly cache?: CacheUse;
  readonly ufs?: UfsUsage;
}

/** What every plan has; `basePlan` fills it in. */
export interface BasePlan {
  /** Directory, label value and `status.runtimes[].type`. */
  readonly type: string;
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

export type ComponentClass<P> = new (scope: Construct, plan: P) => Construct;

/** What a runtime author fills in. Absence is the capability: no `mounts`, no mounting. */
export interface RuntimeDefinition<S extends TSchema, P extends BasePlan> {
  /** Folder, engine name in `status.valueFile`. */
  readonly name: string;
  /** Default: `name`. Directory, node labels, finalizer. */
  readonly type?: string;
  readonly resource: CustomResource<S>;
  /** Further kinds that the CRD comes with, such as a profile. */
  readonly companions?: readonly CustomResource[];
  /** Environment variables of the controller that `plan` reads from `settings.env`. */
  readonly env?: readonly string[];
  readonly needs?: (input: PlanInput<Static<S>>) => Needs;
  /** Every decision; throws InvalidSpec. */
  readonly plan: (input: PlanInput<Static<S>>) => P;
  readonly components: { readonly master?: ComponentClass<P>; readonly worker?: ComponentClass<P>; readonly fuse: ComponentClass<P> };
  readonly mounts?: MountTable<P>;
  readonly probes?: { readonly cache?: Probe<P, CacheUse>; readonly ufs?: Probe<P, UfsUsage> };
  /** Whether `probes.ufs` should run for this spec (`management.metadataSyncPolicy.autoSync`). Default: yes. */
  readonly syncsMetadata?: (plan: P) => boolean;
  /** `status.cacheStates`, as texts. */
  readonly cacheStates?: (plan: P, seen: Seen) => Readonly<Record<string, string>>;
  readonly cleanup?: Cleanup<P>;
}

/** A runtime as the rest of the system sees it: no type parameters, nothing left to configure. */
export interface Runtime {
  readonly name: string;
  readonly type: string;
  readonly resource: CustomResource;
  readonly companions: readonly CustomResource[];
  readonly env: readonly string[];
  needs(input: PlanInput<unknown>): Needs;
  /** Throws InvalidSpec. */
  bind(input: PlanInput<unknown>): BoundRuntime;
}
export interface BoundRuntime {
  readonly plan: BasePlan;
  readonly roles: readonly Role[];
  /** The same bytes each time; computed once per binding. */
  synth(part: Part): readonly Manifest[];
  readonly mounts?: {
    readonly list: BoundProbe<readonly string[]>;
    readonly wanted: readonly { readonly path: string; readonly mount: Command }[];
    unmount(path: string): Command;
  };
  readonly probes: { readonly cache?: BoundProbe<CacheUse>; readonly ufs?: BoundProbe<UfsUsage> };
  cacheStates(seen: Seen): Readonly<Record<string, string>> | undefined;
  readonly cleanup?: { readonly ask?: BoundProbe<unknown>; commands(found: unknown): readonly Command[] };
}
export interface BoundProbe<T> {
  readonly commands: readonly Command[];
  readonly parse: (answers: readonly (readonly string[])[]) => T;
}
