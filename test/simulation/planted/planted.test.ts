import { expect, test } from 'vitest';
import { fits } from '../../support/planted.ts';
import { plantedFaults } from './all.ts';

test.each(plantedFaults)('planted fault $name still fits the code', (fault) => expect(() => fits(fault)).not.toThrow());
