import type { BasePlan, BoundProbe, BoundRuntime, Command, MountChange, MountRow, ReadAnswer, UfsUsage } from '../constructs/index.ts';

/** The pods in which a command runs. */
export type Where = Pick<Command, 'in' | 'on'>;

/** A probe of a plan. `where` names its pods without making the plan again. */
export interface Question<T> extends BoundProbe<T> {
  readonly where?: readonly Where[];
}

/** A plan's table of mounts. `differences` may be known, for a list compared before, without making the plan again. */
export interface MountsInForce extends NonNullable<BoundRuntime['mounts']> {
  readonly list: Question<readonly MountRow[]>;
  differences?(mounted: readonly MountRow[]): MountChange;
}

/** The plan that a pass follows, bound to its runtime: the part of it that the reconciler reads. */
export interface PlanInForce
  extends Pick<BoundRuntime, 'roles' | 'known' | 'synth' | 'status' | 'operations' | 'operationWarnings' | 'operationNeeds'> {
  readonly base: Pick<
    BasePlan,
    | 'type'
    | 'engine'
    | 'app'
    | 'selectors'
    | 'name'
    | 'namespace'
    | 'dataset'
    | 'placement'
    | 'replicas'
    | 'cacheOnNode'
    | 'cleaning'
    | 'config'
    | 'warnings'
  >;
  readonly leader?: Question<string | undefined> | undefined;
  readonly mounts?: MountsInForce | undefined;
  readonly probes: {
    readonly cache?: Question<unknown> | undefined;
    readonly ufs?: Question<UfsUsage> | undefined;
    readonly reads?: Question<ReadAnswer> | undefined;
  };
  readonly cleanup?: BoundRuntime['cleanup'] | undefined;
}
