import type { Cleanup, EngineStatus } from '../../src/constructs/index.ts';
import type { EfcPlan } from './plan.ts';

/** Where a worker keeps its cache, below its directory. */
const CACHE = 'tier_dadi';

/** A cache on a node outlives its pod. */
export const removeCache: Cleanup<EfcPlan> = {
  commands: ({ nodeCache }) =>
    nodeCache === undefined
      ? []
      : [{ in: 'worker', on: 'every', container: 'efc-worker', argv: ['rm', '-rf', '--', `${nodeCache}/${CACHE}`] }],
};

const FIGURES = [
  'cacheCapacity',
  'cacheHitRatio',
  'cacheThroughputRatio',
  'cached',
  'cachedPercentage',
  'localHitRatio',
  'localThroughputRatio',
  'remoteHitRatio',
  'remoteThroughputRatio',
];

/** EFC offers no figures of its cache. As in Fluid, each has a name and no value, in the runtime and in the Dataset. */
export function status(): EngineStatus {
  const cacheStates = Object.fromEntries(FIGURES.map((name) => [name, '']));
  return { cacheStates, datasetCacheStates: cacheStates };
}
