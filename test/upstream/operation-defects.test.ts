/** The defects of Fluid's operations that are known (D1 to D25), what is decided about each, and the test that shows it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { operationDefects } from './operation-defects.ts';

test.each(Object.entries(operationDefects))('%s is decided, and its test exists', (_, { shown: [file, title] }) => {
  expect(readFileSync(join(import.meta.dirname, '..', file), 'utf8')).toContain(title);
});

test('all of them are decided', () => expect(Object.keys(operationDefects)).toEqual(Array.from({ length: 25 }, (_, i) => `D${i + 1}`)));
