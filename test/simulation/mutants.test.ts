import { expect, test } from 'vitest';
import { fits } from '../support/planted.ts';
import { mutants } from './mutants.ts';

test.each(mutants)('the mutant of $name still fits the code', (mutant) => expect(() => fits(mutant)).not.toThrow());
