/** The condition, of a Dataset and of its runtime, that readers do not get what they ask for. */
export const UNAVAILABLE = 'DataUnavailable';

/** A condition of a Dataset or of a runtime. */
export interface SaidCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
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

/** The gravest condition that needs attention, of those of a Dataset and of its runtime. Metrics and the page show the same one. */
export function gravest(conditions: readonly SaidCondition[]): SaidCondition | undefined {
  for (const [type, status] of GRAVITY) {
    const found = conditions.find((each) => each.type === type && each.status === status);
    if (found) return found;
  }
  return undefined;
}

/** The place of a condition among those that need attention: 0 is the gravest. */
export const gravityOf = (type: string): number => GRAVITY.findIndex(([each]) => each === type);
