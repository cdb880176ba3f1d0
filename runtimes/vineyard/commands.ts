import { bytesText } from '../../src/api/index.ts';
import type { Cleanup, EngineStatus, Observation } from '../../src/constructs/index.ts';
import type { VineyardPlan } from './plan.ts';

/** No program in the image says how much of the memory is in use. */
export function status({ bytes }: VineyardPlan, { readyWorkers }: Observation): EngineStatus {
  const cacheStates = { cacheCapacity: bytesText(bytes * readyWorkers) };
  return { cacheStates, datasetCacheStates: cacheStates };
}

/** Spilled data outlives pods. A worker that is older than the level of disks has no directory. */
export const removeSpill: Cleanup<VineyardPlan> = {
  commands: ({ spill }) =>
    spill === undefined
      ? []
      : [{ in: 'worker', on: 'every', argv: ['sh', '-c', '! test -d "$1" || find "$1" -mindepth 1 -delete', 'sh', spill] }],
};
