/**
 * The conditions by which Flux, Helm and Argo CD tell whether an object is ready: those of kstatus. `Ready` says it; beside it `Reconciling`
 * stands while the cause ends by itself or another controller may end it, `Stalled` while only an edit by a person does. They follow from what
 * the status says anyway, so that they cause no write of their own, and stand behind Fluid's conditions. Pure.
 */
import type { DatasetCondition, OperationStatus, RuntimeCondition } from '../../api/index.ts';
import { causeOf, type Reason } from '../../planning/reasons.ts';
import { type UntimedCondition, withCondition, withoutCondition } from './conditions.ts';
import { UNAVAILABLE } from '../../planning/attention.ts';

/** Why an object is not as its spec says. */
interface Wait {
  readonly reason: string;
  readonly message: string;
  /** Default: as the list of causes says. */
  readonly isStalled?: boolean;
}
type Condition = RuntimeCondition | DatasetCondition;
type Times = Parameters<typeof withCondition>[3];

/** A Dataset has had `Ready` since Fluid: it keeps its place. */
const OF_DATASETS: ReadonlySet<string> = new Set(['Reconciling', 'Stalled']);
const OF_OTHERS: ReadonlySet<string> = new Set(['Ready', ...OF_DATASETS]);

/** The conditions of a Dataset with `Reconciling` or `Stalled` behind them, if it waits or its data cannot be read. */
export function withDatasetHealth(conditions: readonly DatasetCondition[], wait: Wait | undefined, now: number): DatasetCondition[] {
  const [own, health] = parted(conditions, OF_DATASETS);
  return [...own, ...withWait(health, wait ?? unavailableIn(own), now, 'lastUpdateTime')];
}

/** The conditions of a runtime with `Ready`, and `Reconciling` or `Stalled`, behind them: `Synced` in the words of kstatus. */
export function withRuntimeHealth(conditions: readonly RuntimeCondition[], now: number): RuntimeCondition[] {
  const [own, health] = parted(conditions, OF_OTHERS);
  const synced = own.find(({ type }) => type === 'Synced');
  const wait = synced?.status === 'True' ? unavailableIn(own) : waitOf(synced);
  return [...own, ...withReady(health, wait, { reason: 'Synced', message: synced?.message ?? '' }, now)];
}

interface Operation {
  readonly spec: { readonly policy?: string };
  readonly status?: { readonly conditions?: readonly RuntimeCondition[] } | undefined;
}

/** The same of an operation. One with a schedule is ready as soon as the schedule is in force, as a CronJob is, unless its last run failed. */
export function withOperationHealth<S extends OperationStatus>({ spec, status: before }: Operation, status: S, now: number): S {
  const [own] = parted(status.conditions, OF_OTHERS);
  const [, health] = parted(before?.conditions ?? [], OF_OTHERS);
  const said = own.find(({ type }) => type === 'Complete' || type === 'Failed');
  const ready = readyOf(status, said, spec.policy === 'Cron');
  const wait = ready ? undefined : operationWait(status, said);
  return { ...status, conditions: [...own, ...withReady(health, wait, ready ?? { reason: '', message: '' }, now)] };
}

function readyOf({ phase }: OperationStatus, said: RuntimeCondition | undefined, isCron: boolean): Wait | undefined {
  if (phase === 'Complete') return { reason: said?.reason || phase, message: said?.message ?? '' };
  const isInForce = isCron && phase !== 'Failed' && said === undefined;
  return isInForce ? { reason: 'Scheduled', message: 'The schedule is in force.' } : undefined;
}

function operationWait({ phase }: OperationStatus, said: RuntimeCondition | undefined): Wait {
  if (phase === 'Failed') return { reason: said?.reason || phase, message: said?.message ?? '', isStalled: true };
  if (said) return waitOf(said);
  return { reason: phase || 'Pending', message: 'The operation is not complete yet.' };
}

const waitOf = (said: Condition | undefined): Wait => ({ reason: said?.reason || 'Pending', message: said?.message ?? '' });
const unavailableIn = (conditions: readonly Condition[]): Wait | undefined => {
  const said = conditions.find(({ type, status }) => type === UNAVAILABLE && status === 'True');
  return said && waitOf(said);
};

/** Those of others, and those of kstatus. */
const parted = <C extends Condition>(conditions: readonly C[], types: ReadonlySet<string>): readonly [readonly C[], readonly C[]] => [
  conditions.filter(({ type }) => !types.has(type)),
  conditions.filter(({ type }) => types.has(type)),
];

function withReady(health: readonly RuntimeCondition[], wait: Wait | undefined, ready: Wait, now: number): readonly RuntimeCondition[] {
  const { reason, message } = wait ?? ready;
  const said: UntimedCondition = { type: 'Ready', status: wait ? 'False' : 'True', reason, message };
  return withWait(withCondition(health, said, now, 'lastProbeTime'), wait, now, 'lastProbeTime');
}

/** One of the two at most. */
function withWait<C extends Condition>(health: readonly C[], wait: Wait | undefined, now: number, time: Times): readonly C[] {
  if (!wait) return withoutCondition(withoutCondition(health, 'Reconciling'), 'Stalled');
  const { reason, message } = wait;
  // The cast: a reason without a cause of ours counts as one that passes.
  const isStalled = wait.isStalled ?? causeOf(reason as Reason).isStalling ?? false;
  const [type, other] = isStalled ? ['Stalled', 'Reconciling'] : ['Reconciling', 'Stalled'];
  return withCondition(withoutCondition(health, other), { type, status: 'True', reason, message }, now, time);
}
