import type { Cleanup } from '../../src/constructs/index.ts';
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
