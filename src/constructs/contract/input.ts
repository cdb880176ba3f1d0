import type { DatasetSpec, DatasetStatus, Identity, Mount, PersistentVolumeSpec, RuntimeStatus, WorkloadRole } from '../../api/index.ts';

/** A workload of a runtime: `master`, `worker` or `fuse`. */
export type Role = WorkloadRole;
/** A workload whose pods do not depend on which nodes read the Dataset. */
export type ServingRole = Exclude<Role, 'fuse'>;

/** Everything that planning may depend on. What is not in here cannot influence a manifest. */
export interface PlanInput<Spec> extends RuntimeInput<Spec> {
  /** Names that follow from the runtime's definition. */
  readonly runtime: RuntimeNames;
}

/** The names of a runtime. Its definition says them, for every plan. */
export interface RuntimeNames {
  /** Kind of the custom resource: `JuiceFSRuntime`. */
  readonly kind: string;
  /** `juicefs`: in host directories, the finalizer and `status.runtimes[].type`. */
  readonly type: string;
  /** Name of the engine, in node labels and `status.valueFile`; the same as `type` if the kind has one engine. */
  readonly engine: string;
  /** Names of the runtime's workloads. */
  readonly workloads: WorkloadNames;
}
/** Names of the workloads of a runtime, by role: `images-worker`. */
export type WorkloadNames = Readonly<Record<Role, string>>;

/** The input of one runtime: texts of users, facts that were looked up, and the settings of the installation. */
export interface RuntimeInput<Spec> {
  readonly name: string;
  readonly namespace: string;
  /** UID of the runtime. It owns every object that is created for it. */
  readonly uid: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** The spec as the API server stores it: parsed, with defaults. */
  readonly spec: Spec;
  /** The Dataset of the same name and namespace. */
  readonly dataset: {
    readonly identity: Identity;
    readonly annotations: Readonly<Record<string, string>>;
    readonly spec: DatasetSpec;
  };
  /** Answers to `needs`. */
  readonly facts: Facts;
  /** Settings of the installation. */
  readonly settings: Settings;
  /** These very specs were followed before, perhaps by an older version: limits of counts, which may be newer, do not stop them. */
  readonly wasInForce?: true;
}

/** Facts that had to be looked up. The controller records it in the cluster, so that the next synthesis returns the same bytes. */
export interface Facts {
  /** The engine of a runtime that was set up before, if its kind has several. A live runtime keeps its engine. */
  readonly engine?: string;
  /** Allocated host ports, by the name in `needs.ports`. */
  readonly ports: Readonly<Record<string, number>>;
  /**
   * Data of the Secrets that `needs.secrets` asked for with `inline`: base64 by key, as the API server returns it. The outer key is the
   * Secret's name, or `<namespace>/<name>` if the need had a namespace.
   */
  readonly secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The PersistentVolumes behind `pvc://` mounts, by name of the claim. */
  readonly claims: Readonly<Record<string, ClaimFact>>;
  /** Objects that a spec names, such as a profile or a class, by `<Kind>/<name>`. */
  readonly objects: Readonly<Record<string, unknown>>;
  /** Keys of users' ConfigMaps, sorted, by name of the ConfigMap. Only pods read the values. */
  readonly configMaps: Readonly<Record<string, readonly string[]>>;
  /** Ready pods, by role. The templates of these pods must not depend on them. */
  readonly pods: Readonly<Partial<Record<ServingRole, readonly PodFact[]>>>;
  /** Number of masters with which the runtime was set up; absent before its masters exist. */
  readonly masters?: number;
  /** The Dataset that `needs.reference` asked for; it is bound. */
  readonly reference?: ReferenceFact;
  /** The fuse pod template that exists in the cluster. Its generation counts changes of image or script. */
  readonly fuse?: { readonly image: string; readonly generation: number; readonly scriptHash?: string };
}

/** A pod that is ready. */
export interface PodFact {
  readonly name: string;
  readonly uid: string;
  /** IP address of the pod. */
  readonly ip: string;
  /** Name of the node that runs the pod. */
  readonly node: string;
  /** Ports of its containers that have a name. A pod that is older than its template may have others than the plan. */
  readonly ports?: Readonly<Record<string, number>>;
}

/** A user's PersistentVolumeClaim that a mount `pvc://<claim>` names. */
export interface ClaimFact {
  readonly uid: string;
  /** Name of the PersistentVolume. */
  readonly volume: string;
  /** Absent if the volume is not a CSI volume. */
  readonly csi?: NonNullable<PersistentVolumeSpec['csi']>;
  /** `spec.mountOptions` of the PersistentVolume. */
  readonly mountOptions: readonly string[];
}

/** Why readers do not get what they ask for: a look-up fails, or requests of clients do. */
export interface Unavailable {
  /** Reason of the condition `DataUnavailable`. */
  readonly reason: 'ReadsFail' | 'RequestsFail';
  /** The data that readers do not get, and the part that does not answer. */
  readonly message: string;
}
/** Facts about another Dataset: no conditions and no reasons, since they name its pods and quote their output. */
export interface ReferenceFact {
  /**
   * Why a Dataset of another namespace may be used: its owner allows this namespace (`grant`), the installation allows all (`open`), or Fluid
   * had set the reference up before the take-over (`fluid`). Absent for a Dataset of the runtime's own namespace,
   * and in `sluice synth` if nothing allows it.
   */
  readonly consent?: 'grant' | 'open' | 'fluid';
  /** The other Dataset, and its mounts in effect. */
  readonly dataset: {
    readonly identity: Identity;
    readonly mounts: readonly Pick<Mount, 'mountPoint' | 'name' | 'path'>[];
    readonly status: Pick<DatasetStatus, 'ufsTotal' | 'fileNum' | 'cacheStates' | 'hcfs'>;
    /** The data that its readers do not get, and why, as its condition says. */
    readonly unavailable?: Unavailable;
  };
  /** The runtime that serves it. */
  readonly runtime: Pick<RuntimeNames, 'kind' | 'type' | 'engine'> & {
    readonly status: Omit<RuntimeStatus, 'conditions' | 'masterReason' | 'workerReason' | 'fuseReason'>;
  };
  /** The spec of its PersistentVolume. */
  readonly volume: Omit<PersistentVolumeSpec, 'claimRef'>;
}

/**
 * Facts that must be looked up before planning. The controller calls `needs` again with each answer until it asks for nothing new. Set-up
 * waits until every object exists; a condition names the one that is missing.
 * @example
 * const needs = ({ settings, dataset }: PlanInput<object>): Needs => ({
 *   secrets: optionNeeds(dataset.spec),
 *   ports: [{ name: 'metrics', range: settings.portRanges['acme'] ?? [21000, 21999], in: 'worker', portName: 'metrics' }],
 * });
 */
export interface Needs {
  /** Host ports to allocate. Each name must be in `hostPorts` of the definition. */
  readonly ports?: readonly PortNeed[];
  /** Names of PersistentVolumeClaims in the runtime's namespace. */
  readonly claims?: readonly string[];
  /** Secrets that must exist. */
  readonly secrets?: readonly SecretNeed[];
  /** Names of ConfigMaps in the runtime's namespace. */
  readonly configMaps?: readonly string[];
  /** Workloads whose ready pods the plan must know. Fuse pods start and end with their users, so no plan depends on them. */
  readonly pods?: readonly ServingRole[];
  /** The number of masters with which the runtime was set up: for an engine whose masters cannot become more or fewer. */
  readonly masters?: true;
  /** Cluster-scoped objects of the API group data.fluid.io. */
  readonly objects?: readonly ObjectNeed[];
  /** Another Dataset whose data this runtime shows. */
  readonly reference?: ReferenceNeed;
}
/**
 * Another Dataset, whose data this one shows under its own name. The controller waits until it is bound, and never writes to it. A Dataset of
 * another namespace must allow it, in its annotation `data.fluid.io/shared-with`.
 */
export interface ReferenceNeed {
  readonly namespace: string;
  readonly name: string;
}
/** A host port to allocate. */
export interface PortNeed {
  readonly name: string;
  /** First and last port that may be allocated, both included. */
  readonly range: readonly [number, number];
  /** Ports that the user assigned to others of the runtime's own ports; they are not allocated. */
  readonly except?: readonly number[];
  /** The workload whose pods use the port. A runtime taken over from Fluid keeps the port that `portName` has in its template. */
  readonly in: Role;
  /** Name of the container port. */
  readonly portName: string;
}
/** A Secret that must exist. */
export interface SecretNeed {
  readonly name: string;
  /** Default: the runtime's own namespace. */
  readonly namespace?: string;
  /** The plan needs the data, in `facts.secrets`; otherwise only its existence matters. */
  readonly inline?: boolean;
  /** Keys that it must have. A Secret without one of them counts as missing. */
  readonly keys?: readonly string[];
}
/** A cluster-scoped object of the API group data.fluid.io that must exist. */
export interface ObjectNeed {
  readonly kind: string;
  readonly name: string;
}

/** Settings of the installation: src/cli reads them once, from flags and environment variables. */
export interface Settings {
  /** Host directory of all FUSE mounts (`MOUNT_ROOT`). */
  readonly mountRoot: string;
  /** Fuse pods get the priority class system-node-critical (`CRITICAL_FUSE_POD`). */
  readonly criticalFusePod: boolean;
  /** Names of pull secrets for workloads whose spec names none (`IMAGE_PULL_SECRETS`, separated by commas). */
  readonly imagePullSecrets: readonly string[];
  /** Sluice's own image, for containers that run Sluice in the runtime's pods (`SLUICE_IMAGE`). */
  readonly image?: string;
  /** Registry that takes the place of that of default images: a host, with or without a path (`SLUICE_REGISTRY`). */
  readonly registry?: string;
  /** The environment variables that a runtime declares in `images` and `env`, by name, if they are set. */
  readonly env: Readonly<Record<string, string>>;
  /** First and last host port by runtime type (`--runtime-node-port-range`). If a type is absent, the runtime's own default counts. */
  readonly portRanges: Readonly<Record<string, readonly [number, number]>>;
}
