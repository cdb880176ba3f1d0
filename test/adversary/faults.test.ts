import { expect, test } from 'vitest';
import { fits } from '../support/planted.ts';
import { faults } from './faults.ts';

test.each(faults)('the planted fault $name still fits the code', (fault) => expect(() => fits(fault)).not.toThrow());
