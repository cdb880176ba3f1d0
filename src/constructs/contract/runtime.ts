import type { Construct } from 'constructs';
import type { CustomResource, Manifest, TSchema } from '../../api/index.ts';
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
  Seen,
  EngineStatus,
  UfsUsage,
} from './commands.ts';
import type { Needs, PlanInput, Role, RuntimeInput, WorkloadNames } from './input.ts';
import type { Operation, OperationKind, Operations } from './operation.ts';
import type { BasePlan } from './plan.ts';

/** What the lifecycle ensures, one after the other. */
export type Part = Role | 'volume' | 'claim';

export type ComponentClass<P> = new (scope: Construct, plan: P) => Construct;

/** What a runtime author says of a kind; with one engine, that of the engine as well. */
export interface RuntimeDefinition<S extends TSchema> {
  /** Folder, host directory, finalizer, `status.runtimes[].type`; also the engine's name, where there is one. */
  readonly type: string;
  readonly resource: CustomResource<S>;
  /** Further kinds that the CRD comes with, such as a profile. */
  readonly companions?: readonly CustomResource[];
  /** Environment variables of the controller that `plan` and `engineOf` read from `settings.env`. */
  readonly env?: readonly string[];
  /** Names of all host ports that `needs` may ask for. What else stands in a record of ports reserves nothing: users can write there. */
  readonly hostPorts?: readonly string[];
  /** Workloads are called `<name>-<role>`, or `<name>-` and what stands here. */
  readonly workloads?: Readonly<Partial<Record<Role, string>>>;
}
/** Several ways to serve one kind. A live runtime keeps its own: it stands in `status.valueFile`. */
export interface Engines<Spec> {
  /** By the names that node labels have. */
  readonly engines: Readonly<Record<string, Engine<Spec>>>;
  /** For a runtime that has none yet. */
  readonly engineOf: (input: RuntimeInput<Spec>) => string;
}

/** One way to serve a kind. Absence is the capability: no `mounts`, no mounting. */
export interface EngineDefinition<Spec, P extends BasePlan, C = CacheUse> {
  readonly needs?: (input: PlanInput<Spec>) => Needs;
  /** Every decision; throws InvalidSpec. */
  readonly plan: (input: PlanInput<Spec>) => P;
  readonly components: { readonly master?: ComponentClass<P>; readonly worker?: ComponentClass<P>; readonly fuse?: ComponentClass<P> };
  /** Name of the pod that leads, for commands on the `leader`; undefined while none does, and then they wait. */
  readonly leader?: Probe<P, string | undefined>;
  readonly mounts?: MountTable<P>;
  readonly probes?: { readonly cache?: Probe<P, C>; readonly ufs?: Probe<P, UfsUsage> };
  /** Whether `probes.ufs` should run for this spec (`management.metadataSyncPolicy.autoSync`). Default: yes. */
  readonly syncsMetadata?: (plan: P) => boolean;
  readonly status?: (plan: P, seen: Seen<C>) => EngineStatus;
  readonly cleanup?: Cleanup<P>;
  /** What is run in a Job beside it. */
  readonly operations?: Operations<P>;
}

/** An engine whose plan is its own affair. */
export interface Engine<Spec> {
  needs(input: PlanInput<Spec>): Needs;
  /** Throws InvalidSpec. */
  bind(input: PlanInput<Spec>): BoundRuntime;
}

/** A runtime as the rest of the system sees it: no type parameters, nothing left to configure. */
export interface Runtime {
  readonly type: string;
  readonly resource: CustomResource;
  readonly companions: readonly CustomResource[];
  readonly env: readonly string[];
  readonly hostPorts: readonly string[];
  /** Names of all engines: what a runtime left may be of any. */
  readonly engines: readonly string[];
  /** Known without a plan, so that what cannot be planned can be told of and taken down. */
  workloads(name: string): WorkloadNames;
  needs(input: RuntimeInput<unknown>): Needs;
  /** Throws InvalidSpec. */
  bind(input: RuntimeInput<unknown>): BoundRuntime;
}
export interface BoundRuntime {
  readonly plan: BasePlan;
  readonly roles: readonly Role[];
  /** Of these some may be left out of a plan. */
  readonly known: readonly Role[];
  /** The same bytes each time; computed once per binding. */
  synth(part: Part): readonly Manifest[];
  readonly leader?: BoundProbe<string | undefined>;
  readonly mounts?: {
    readonly list: BoundProbe<readonly MountRow[]>;
    readonly wanted: readonly MountRow[];
    /** With rows of `wanted`. */
    change(change: MountChange): readonly Command[];
  };
  readonly probes: { readonly cache?: BoundProbe<unknown>; readonly ufs?: BoundProbe<UfsUsage> };
  status(seen: Seen<unknown>): EngineStatus;
  readonly cleanup?: { readonly ask?: BoundProbe<unknown>; commands(found: unknown): readonly Command[] };
  /** Objects that carry out an operation. A kind that is absent is not supported. */
  readonly operations: { readonly [K in OperationKind]?: (operation: Operation<K>) => readonly Manifest[] };
}
export interface BoundProbe<T> {
  readonly commands: readonly Command[];
  parse(answers: Answers, before?: Answered<T>): T;
}
