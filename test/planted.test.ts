import { expect, test } from 'vitest';
import { faults } from './adversary/faults.ts';
import { plantedFaults } from './simulation/planted/all.ts';
import { fits } from './support/planted.ts';

// Here, and not beside simulation and tenant, so that `npm run check` says it to whoever changes that code.
test.each([...plantedFaults, ...faults])('planted fault $name still fits the code', (fault) => expect(() => fits(fault)).not.toThrow());
