import type { World } from '../world.ts';
import { engineStatusOf } from './cache.ts';

/** The condition, of a Dataset and of its runtime, that those who read do not get what they ask for. */
export const UNAVAILABLE = 'DataUnavailable';

/** Why, and what they see; `unknown` until a pod was asked. Nobody asks while nobody reads. */
export function unavailableOf(world: World): { readonly reason: string; readonly message: string } | 'unknown' | undefined {
  const { sight } = world;
  if (sight === 'unknown') return 'unknown';
  if (sight?.fails !== undefined) return { reason: 'LookUpFails', message: sight.fails };
  const { unavailable } = engineStatusOf(world);
  return unavailable === undefined ? undefined : { reason: 'RequestsFail', message: unavailable };
}
