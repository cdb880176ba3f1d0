import type { Dataset } from '../../api/index.ts';
import { gravest } from '../../planning/attention.ts';
import { secondsOf } from '../../planning/figures.ts';
import type { RuntimeObject } from '../../planning/objects.ts';

/** The gravest condition that needs attention. */
export interface Attention {
  readonly condition: string;
  readonly reason: string;
  /** Seconds since 1970; 0 if the condition does not say since when. */
  readonly since: number;
}

export function attentionOf(dataset: Dataset, runtime: RuntimeObject | undefined): Attention | undefined {
  const found = gravest([...(dataset.status?.conditions ?? []), ...(runtime?.status?.conditions ?? [])]);
  return found && { condition: found.type, reason: found.reason ?? '', since: secondsOf(found.lastTransitionTime) ?? 0 };
}
