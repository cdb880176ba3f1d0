import type { PlantedFault } from '../../support/planted.ts';
import { applierFaults } from './applier.ts';
import { leaseFaults } from './lease.ts';
import { queueFaults } from './queue.ts';
import { storeFaults } from './store.ts';

/** Each numbered invariant of election, queue, store and applier, broken once. */
export const plantedFaults: readonly PlantedFault[] = [...leaseFaults, ...queueFaults, ...storeFaults, ...applierFaults];
