import type { Construct } from 'constructs';
import type { CustomResource, k8s, Manifest, RuntimeStatus, TSchema } from '../../api/index.ts';
import type {
  Answered,
  Answers,
  CacheUse,
  Cleanup,
  Command,
  MountChange,
  MountRow,
  MountTable,
  Probe,
  Observation,
  EngineStatus,
  UfsUsage,
} from './commands.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { Needs, PlanInput, Role, RuntimeInput, WorkloadNames } from './input.ts';
import type { Operation, OperationKind, OperationNeeds, Operations } from './operation.ts';
import type { BasePlan } from './plan.ts';
import type { Warning } from '../warnings.ts';

/** The parts that the lifecycle ensures, one after the other: the objects of a workload, the volume, the claim. */
export type Part = Role | 'volume' | 'claim';

/** A construct that renders a workload from the plan: a class that extends `Master`, `Worker` or `Fuse`. */
export type ComponentClass<P> = new (scope: Construct, plan: P) => Construct;

/** A kind of runtime. If it has one engine, `defineRuntime` takes these fields together with those of `EngineDefinition`. */
export interface RuntimeDefinition<S extends TSchema> {
  /**
   * `juicefs`: in host directories, the finalizer and `status.runtimes[].type`; the engine's name too, if the kind has one engine. At most
   * 20 lower-case letters, digits and dashes.
   */
  readonly type: string;
  /** The kind that users write. */
  readonly resource: CustomResource<S>;
  /** Further kinds that are installed with it, such as a profile. */
  readonly companions?: readonly CustomResource[];
  /** Default images of the kind. `settings.env` has the values of their variables; `imageTable` makes both the list and the images of containers. */
  readonly images?: readonly DefaultImage[];
  /** Names of further environment variables of the controller. `plan` and `engineOf` find their values in `settings.env`. */
  readonly env?: readonly string[];
  /** Names of all host ports that `needs` may ask for. The controller ignores other names in a runtime's record of ports. */
  readonly hostPorts?: readonly string[];
  /** Suffixes of the names of workloads. Default: the role, as in `<name>-worker`. */
  readonly workloads?: Readonly<Partial<Record<Role, string>>>;
  /** Suffixes of the names of Secrets that a plan may have, as in `<name>-<suffix>`. Those that a plan no longer has are deleted. No inventory has them, as they are not watched. */
  readonly secrets?: readonly string[];
  /** For a kind whose status has other fields than `runtimeStatus`. */
  readonly statusShape?: StatusShape;
  /**
   * Objects that serve all runtimes of the kind, such as a daemon on each node. `sluice install` prints them, `sluice uninstall` deletes them.
   * A runtime that most clusters never serve returns them only if `daemons` names its type.
   */
  readonly install?: (installation: Installed) => readonly Manifest[];
  /** The controller creates a runtime of this kind, with this spec, for a Dataset that refers to another one and has none. */
  readonly forReferences?: { readonly spec: object };
  /** For a kind whose masters and workers Fluid did not create as StatefulSets. When such a runtime is taken over, its pods stay. */
  readonly fluidsWorkloads?: WorkloadKind;
}
/** The image of a container for which neither a spec nor the installation names another one. */
export interface DefaultImage {
  /** The variable of the controller that names another one: `ALLUXIO_FUSE_IMAGE_ENV`. */
  readonly variable: string;
  /** `<image>:<tag>`, in the registry that has it by default. */
  readonly image: string;
}
/** Values that such objects may depend on. */
export interface Installed {
  /** Namespace of Sluice's own parts. */
  readonly namespace: string;
  /** Host directory of all FUSE mounts. */
  readonly mountRoot: string;
  /** The kubelet's root directory on the nodes. */
  readonly kubeletDir: string;
  /** Types of runtimes whose daemons the operator asked for: `sluice install --daemon efc`. */
  readonly daemons: readonly string[];
  /** Pull secrets of the installation. They exist in its namespace; an operator copies them into others. */
  readonly imagePullSecrets: readonly k8s.LocalObjectReference[];
  /** Registry that takes the place of that of default images, if the installation has one. */
  readonly registry?: string;
  /** Variables of the controller that the runtime declares in `images` and `env`, by name, if the installation sets them. */
  readonly env: Readonly<Record<string, string>>;
}
/** A kind of objects that own pods, in place of StatefulSets of the same names. */
export interface WorkloadKind {
  /** `workload.fluid.io`. */
  readonly group: string;
  /** `v1alpha1`. */
  readonly version: string;
  /** As in manifests. */
  readonly kind: string;
  /** As in URLs. */
  readonly plural: string;
}
/** A status of a shape of its own. What `write` leaves out is lost: the controller reads back only what `read` finds. */
export interface StatusShape {
  /** The status as users of this kind see it. `name` is that of the runtime. */
  readonly write: (status: RuntimeStatus, name: string) => object;
  /** The same as the controller works with it. A status that another controller wrote may lack any field. */
  readonly read: (status: object) => RuntimeStatus;
}
/** Several engines that serve one kind. A live runtime keeps its engine, which is in `status.valueFile`. */
export interface Engines<Spec> {
  /** By the names that node labels have. */
  readonly engines: Readonly<Record<string, Engine<Spec>>>;
  /** Name of the engine for a runtime that has none yet. */
  readonly engineOf: (input: RuntimeInput<Spec>) => string;
}

/** One way to serve a kind. A capability that is absent is not supported: without `mounts` the controller keeps no table of mounts. */
export interface EngineDefinition<Spec, P extends BasePlan, C = CacheUse> {
  /** Facts that must be looked up before planning. It runs before `plan` has checked the spec. */
  readonly needs?: (input: PlanInput<Spec>) => Needs;
  /**
   * Every decision about the runtime. A pure function: the same input gives an equal plan.
   * @throws InvalidSpec when a user must change the runtime or the Dataset; the controller then waits for an edit.
   */
  readonly plan: (input: PlanInput<Spec>) => P;
  /** The workloads. */
  readonly components: { readonly master?: ComponentClass<P>; readonly worker?: ComponentClass<P>; readonly fuse?: ComponentClass<P> };
  /** Name of the pod that leads. Commands on the `leader` wait while it is undefined. */
  readonly leader?: Probe<P, string | undefined>;
  /** Mounts that the engine keeps, beside those that pods are started with. */
  readonly mounts?: MountTable<P>;
  /** How much is cached, asked about once a minute, and how large the data is. */
  readonly probes?: { readonly cache?: Probe<P, C>; readonly ufs?: Probe<P, UfsUsage> };
  /** Whether readers get an answer: one fuse pod is asked once a minute, while any is ready. Without it, the controller asks none. */
  readonly reads?: Reads<P>;
  /** Whether `probes.ufs` runs (`management.metadataSyncPolicy.autoSync`). Default: yes. */
  readonly syncsMetadata?: (plan: P) => boolean;
  /** Status fields that only the engine knows. */
  readonly status?: (plan: P, seen: Observation<C>) => EngineStatus;
  /** How caches are cleaned when the runtime is deleted. */
  readonly cleanup?: Cleanup<P>;
  /** Operations on the data, each in a Job. */
  readonly operations?: Operations<P>;
  /** Why reads are slow. Without it, `sluice explain --slow` says what pods, nodes and statuses show. */
  readonly diagnosis?: Diagnosis<Spec>;
}

/**
 * The part that answers readers. The controller looks up a file as a reader would.
 * @example
 * const reads: Reads<BasePlan> = { subject: 'the store' };
 */
export interface Reads<P extends BasePlan> {
  /** The part that does not answer if the look-up fails. The condition has it before “does not answer”: `the metadata engine`. */
  readonly subject: string;
  /** Absolute paths in the fuse pod; the first eight count. Default: the mount path. */
  readonly directories?: (plan: P) => readonly string[];
}

/** An engine without the type of its plan: what `engine` returns. */
export interface Engine<Spec> {
  /** Kinds of operations that it supports. */
  readonly operations: readonly OperationKind[];
  /** Why reads are slow, if it can say. */
  readonly diagnosis?: Diagnosis<Spec>;
  /** Facts that must be looked up before `bind`. */
  needs(input: PlanInput<Spec>): Needs;
  /**
   * Plans a runtime.
   * @throws InvalidSpec when a user must change the runtime or the Dataset.
   */
  bind(input: PlanInput<Spec>): BoundRuntime;
}

/** A runtime as the rest of Sluice sees it, without type parameters: what `defineRuntime` returns. */
export interface Runtime
  extends Pick<RuntimeDefinition<TSchema>, 'type' | 'resource' | 'statusShape' | 'forReferences' | 'fluidsWorkloads'>,
    Required<Pick<RuntimeDefinition<TSchema>, 'companions' | 'images' | 'env' | 'hostPorts' | 'secrets'>> {
  /** Names of all engines. What a deleted runtime left on nodes may be of any. */
  readonly engines: readonly string[];
  /** Kinds of operations that at least one of its engines supports. */
  readonly operations: readonly OperationKind[];
  /** Objects that serve all runtimes of the kind. */
  install(installation: Installed): readonly Manifest[];
  /** Names of the workloads of a runtime. They need no plan, so that a runtime that cannot be planned still has a status and can be deleted. */
  workloads(name: string): WorkloadNames;
  /**
   * Facts that must be looked up before `bind`. The spec must have been parsed with `resource`.
   * @throws InvalidSpec when spec or Dataset are larger than any file system needs.
   */
  needs(input: RuntimeInput<unknown>): Needs;
  /**
   * Plans a runtime. The spec must have been parsed with `resource`.
   * @throws InvalidSpec when a user must change the runtime or the Dataset.
   */
  bind(input: RuntimeInput<unknown>): BoundRuntime;
  /** Why reads are slow, as this engine says it; undefined if it does not. Specs must have been parsed. Default of `engine`: the only one. */
  diagnosis(engine?: string): Diagnosis<unknown> | undefined;
}
/** One runtime with its plan. Nothing in it changes after `bind`. */
export interface BoundRuntime {
  readonly plan: BasePlan;
  /** The workloads that this plan has. */
  readonly roles: readonly Role[];
  /** The workloads that any plan of the engine can have. */
  readonly known: readonly Role[];
  /**
   * The objects of a part; none for a workload that the plan does not have. Computed once: each call returns the same bytes.
   * @throws InvalidSpec when a field that goes into a pod unchanged is not valid there.
   */
  synth(part: Part): readonly Manifest[];
  /** Name of the pod that leads. */
  readonly leader?: BoundProbe<string | undefined>;
  /** The table of mounts; `change` takes rows of `wanted`. */
  readonly mounts?: {
    readonly list: BoundProbe<readonly MountRow[]>;
    readonly wanted: readonly MountRow[];
    change(change: MountChange): readonly Command[];
  };
  /** The probes that run for this plan. `ufs` is absent if the user turned it off. */
  readonly probes: { readonly cache?: BoundProbe<unknown>; readonly ufs?: BoundProbe<UfsUsage>; readonly reads?: BoundProbe<ReadAnswer> };
  /** Status fields that only the engine knows. */
  status(seen: Observation<unknown>): EngineStatus;
  /** How caches are cleaned when the runtime is deleted; `commands` takes what `ask` found. */
  readonly cleanup?: { readonly ask?: BoundProbe<unknown>; commands(found: unknown): readonly Command[] };
  /** The objects that carry out an operation, by kind. A kind that is absent is not supported. */
  readonly operations: { readonly [K in OperationKind]?: (operation: Operation<K>) => readonly Manifest[] };
  /** Fields of an operation that have no effect on this engine. */
  operationWarnings(operation: Operation): readonly Warning[];
  /** Objects that an operation needs before it is rendered. */
  operationNeeds(operation: Pick<Operation, 'kind' | 'spec'>): OperationNeeds;
}
/** The result of a look-up as a reader. */
export interface ReadAnswer {
  /** The fault in the words of a condition; absent if there is none. */
  readonly fails?: string;
}
/** A probe with its plan. */
export interface BoundProbe<T> {
  /** Bytes that one pod may print for one command. */
  readonly mostBytes: number;
  /** The commands that ask. */
  readonly commands: readonly Command[];
  /** Reads their answers; throws if they make no sense. `before` is the previous result. */
  parse(answers: Answers, before?: Answered<T>): T;
  /** The answer if the commands do not end in time. Default: nothing. */
  readonly late?: (() => T) | undefined;
}
