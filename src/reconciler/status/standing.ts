import type { RuntimeCondition } from '../../api/index.ts';
import { stalls } from '../../planning/reasons.ts';
import { type Condition, type TimeField, withCondition, withoutCondition } from './conditions.ts';

/**
 * The conditions by which tools that know no kind see how an object is, as kstatus of sigs.k8s.io/cli-utils reads them: `Ready`, and while it
 * is not as its spec says one of `Reconciling`, which may end without help, and `Stalled`, which ends with an edit. They are the last ones of
 * the list: programs of Fluid read the first.
 */
const STANDING = ['Ready', 'Reconciling', 'Stalled'] as const;

/** Why an object is not as its spec says. */
export interface Lack {
  readonly reason: string;
  readonly message: string;
  /** Whether only an edit ends it, where the reason does not say so. */
  readonly isStalled?: boolean;
}

/** Conditions with those of a runtime or an operation. `ready` is said of one that lacks nothing. */
export function withStanding<C extends Condition>(
  conditions: readonly C[],
  before: readonly C[],
  lack: Lack | undefined,
  ready: Lack,
  now: number,
): readonly C[] {
  const others = conditions.filter(({ type }) => !STANDING.some((each) => each === type));
  const own = before.filter(({ type }) => STANDING.some((each) => each === type));
  const first = withCondition(own, { type: 'Ready', status: lack ? 'False' : 'True', ...only(lack ?? ready) }, now, 'lastProbeTime');
  return [...others, ...withProgress(first, lack, now, 'lastProbeTime')];
}

/** Conditions with `Reconciling` or `Stalled`. `Ready` of a Dataset is Fluid's own: it is True while the Dataset serves. */
export function withProgress<C extends Condition>(
  conditions: readonly C[],
  lack: Lack | undefined,
  now: number,
  time: TimeField,
): readonly C[] {
  if (!lack) return withoutCondition(withoutCondition(conditions, 'Reconciling'), 'Stalled');
  const [type, other] = (lack.isStalled ?? stalls(lack.reason)) ? ['Stalled', 'Reconciling'] : ['Reconciling', 'Stalled'];
  return withCondition(withoutCondition(conditions, other), { type, status: 'True', ...only(lack) }, now, time);
}

const only = ({ reason, message }: Lack): Lack => ({ reason, message });

/** Troubles that a runtime may have although all of its objects are as its spec says. */
const TROUBLES: readonly string[] = ['DataUnavailable', 'PodsCrashing'];

/** Conditions of a runtime with how it stands, which follows from the others. */
export function runtimeStanding(
  conditions: readonly RuntimeCondition[],
  before: readonly RuntimeCondition[] = [],
  now: number,
): RuntimeCondition[] {
  const synced = conditions.find(({ type }) => type === 'Synced');
  const wrong = synced?.status === 'True' ? conditions.find(({ type, status }) => TROUBLES.includes(type) && status === 'True') : synced;
  const textOf = ({ reason = '', message = '' }: RuntimeCondition): Lack => ({ reason, message });
  return [...withStanding(conditions, before, wrong && textOf(wrong), { reason: 'Synced', message: synced?.message ?? '' }, now)];
}
