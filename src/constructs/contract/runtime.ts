import type { Construct } from 'constructs';
import type { CustomResource, Manifest, Static, TSchema } from '../../api/index.ts';
import type { CacheUse, Cleanup, Command, MountTable, Probe, Seen, UfsUsage } from './commands.ts';
import type { Needs, PlanInput, Role } from './input.ts';
import type { BasePlan } from './plan.ts';

/** What the lifecycle ensures, one after the other. */
export type Part = Role | 'volume' | 'claim';

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
