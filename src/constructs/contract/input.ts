import type { DatasetSpec, DatasetStatus, Identity, Mount, PersistentVolumeSpec, RuntimeStatus, WorkloadRole } from '../../api/index.ts';

export type Role = WorkloadRole;
export type ServingRole = Exclude<Role, 'fuse'>;

/** Everything planning may depend on. Anything not in here cannot influence a manifest. */
export interface PlanInput<Spec> extends RuntimeInput<Spec> {
  readonly runtime: RuntimeNames;
}

/** What a runtime goes by; its definition says so, for every plan. */
export interface RuntimeNames {
  /** Of the custom resource. */
  readonly kind: string;
  /** Directory, finalizer and `status.runtimes[].type`. */
  readonly type: string;
  /** Node labels and `status.valueFile`. */
  readonly engine: string;
  readonly workloads: WorkloadNames;
}
export type WorkloadNames = Readonly<Record<Role, string>>;

/** What is known of one runtime: what its users wrote, what was looked up, what the installation says. */
export interface RuntimeInput<Spec> {
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
  /** Of a runtime that has been set up, where its kind has several; a live one keeps it. */
  readonly engine?: string;
  /** Allocated host ports by the name asked for. */
  readonly ports: Readonly<Record<string, number>>;
  /** Contents of Secrets that were asked for inline, in base64 as the API server gives them; by Secret name, or `namespace/name` if a namespace was asked for. */
  readonly secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** What stands behind a `pvc://` mount, by claim name. */
  readonly claims: Readonly<Record<string, ClaimFact>>;
  /** Objects that a spec refers to by name (a profile, a class), by `Kind/name`. */
  readonly objects: Readonly<Record<string, unknown>>;
  /** Keys of ConfigMaps of users, in order, by name: what they hold is for pods alone. */
  readonly configMaps: Readonly<Record<string, readonly string[]>>;
  /** Pods that are ready, by name; none before they are. What they are made of must not follow from it. */
  readonly pods: Readonly<Partial<Record<ServingRole, readonly PodFact[]>>>;
  /** The Dataset that was asked for, which is bound. */
  readonly reference?: ReferenceFact;
  /** The fuse pod template as it stands in the cluster. */
  readonly fuse?: { readonly image: string; readonly generation: number; readonly scriptHash?: string };
}

export interface PodFact {
  readonly name: string;
  readonly ip: string;
  readonly node: string;
}

export interface ClaimFact {
  readonly uid: string;
  readonly volume: string;
  /** Absent when the volume is not a CSI volume. */
  readonly csi?: NonNullable<PersistentVolumeSpec['csi']>;
  readonly mountOptions: readonly string[];
}

/** What may be known of another Dataset. No condition and no reason of it is told: they name its pods, and say what they printed. */
export interface ReferenceFact {
  readonly dataset: {
    readonly identity: Identity;
    /** In effect. */
    readonly mounts: readonly Pick<Mount, 'mountPoint' | 'name' | 'path'>[];
    readonly status: Pick<DatasetStatus, 'ufsTotal' | 'fileNum' | 'cacheStates' | 'hcfs'>;
  };
  /** What serves it. */
  readonly runtime: Pick<RuntimeNames, 'kind' | 'type' | 'engine'> & {
    readonly status: Omit<RuntimeStatus, 'conditions' | 'masterReason' | 'workerReason' | 'fuseReason'>;
  };
  /** Of its PersistentVolume, but for whose claim that is. */
  readonly volume: Omit<PersistentVolumeSpec, 'claimRef'>;
}

/** What must be looked up before planning. Asked again with each answer, until nothing new is asked. */
export interface Needs {
  readonly ports?: readonly PortNeed[];
  readonly claims?: readonly string[];
  readonly secrets?: readonly SecretNeed[];
  /** In the runtime's namespace. */
  readonly configMaps?: readonly string[];
  /** Fuse pods come and go with their users, so nobody plans with them. */
  readonly pods?: readonly ServingRole[];
  /** Cluster-scoped objects of our API group. */
  readonly objects?: readonly ObjectNeed[];
  readonly reference?: ReferenceNeed;
}
/**
 * Another Dataset, whose data this one makes known under its own name. It is waited for until it is bound, and never written to. It must be of
 * the runtime's own namespace: of another there would have to be consent, which nobody can give yet.
 */
export interface ReferenceNeed {
  readonly namespace: string;
  readonly name: string;
}
export interface PortNeed {
  readonly name: string;
  /** First and last port that may be given out. */
  readonly range: readonly [number, number];
  /** What the user has said for others of its ports. */
  readonly except?: readonly number[];
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
  /** Without these it is as good as missing. */
  readonly keys?: readonly string[];
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
