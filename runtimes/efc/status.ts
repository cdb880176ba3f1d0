import type { EngineStatus } from '../../src/constructs/index.ts';

const NAMES = [
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
  const cacheStates = Object.fromEntries(NAMES.map((name) => [name, '']));
  return { cacheStates, datasetCacheStates: cacheStates };
}
