import type { Unavailable } from '../../constructs/index.ts';
import { UNAVAILABLE } from '../../planning/attention.ts';
import type { World } from '../world.ts';
import { engineStatusOf } from './cache.ts';

/** Why, and what readers see; `unknown` until a pod has answered: the condition stays as it is. Undefined if nothing is known to be wrong. */
export function unavailableOf(world: World): Unavailable | 'unknown' | undefined {
  const { reads } = world;
  if (reads === 'unknown') return 'unknown';
  if (reads?.fails !== undefined) return { reason: 'ReadsFail', message: reads.fails };
  const { unavailable } = engineStatusOf(world);
  if (unavailable) return unavailable;
  // While figures are asked for, and after an error, there are none: the condition would go and come at each probe.
  const isOpen = unavailable === null || (reads && world.plan.probes.cache && world.probes.cache === undefined);
  return isOpen && isSaid(world) ? 'unknown' : undefined;
}

const REQUESTS_FAIL: Unavailable['reason'] = 'RequestsFail';

const isSaid = ({ dataset, runtime }: World): boolean =>
  [dataset, runtime].some(({ status }) => status?.conditions?.some(({ type, reason }) => type === UNAVAILABLE && reason === REQUESTS_FAIL));
