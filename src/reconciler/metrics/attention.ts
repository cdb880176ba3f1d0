import type { Dataset } from '../../api/index.ts';
import type { RuntimeObject } from '../../planning/objects.ts';
import { UNAVAILABLE } from '../status/unavailable.ts';
import { secondsOf } from './figures.ts';

/** The gravest condition that needs attention. */
export interface Attention {
  readonly condition: string;
  readonly reason: string;
  /** Seconds since 1970; 0 if the condition does not say since when. */
  readonly since: number;
}

/** The gravest first. Those that name a cause come before those that only report its effect. */
const GRAVITY: readonly (readonly [type: string, status: 'True' | 'False'])[] = [
  [UNAVAILABLE, 'True'],
  ['PodsCrashing', 'True'],
  ['PodsRefused', 'True'],
  ['PodsPending', 'True'],
  ['MountsDiffer', 'True'],
  ['DatasetTaken', 'True'],
  ['Synced', 'False'],
  ['NotReady', 'True'],
  ['ImmutableFieldChanged', 'True'],
  ['PlacementWaiting', 'True'],
  ['PodsOutdated', 'True'],
  ['SpecWarning', 'True'],
];

export function attentionOf(dataset: Dataset, runtime: RuntimeObject | undefined): Attention | undefined {
  const conditions = [...(dataset.status?.conditions ?? []), ...(runtime?.status?.conditions ?? [])];
  for (const [type, status] of GRAVITY) {
    const found = conditions.find((each) => each.type === type && each.status === status);
    if (found) return { condition: type, reason: found.reason ?? '', since: secondsOf(found.lastTransitionTime) ?? 0 };
  }
  return undefined;
}
