/** The defects of Fluid's runtimes that are known, what is decided about each, and the test that shows it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cacheDefects } from './cache-defects.ts';
import { efcDefects } from './efc-defects.ts';
import { engineDefects } from './engine-defects.ts';
import { jindoDefects } from './jindo-defects.ts';
import type { Decision } from './runtime-defects.ts';
import { vineyardDefects } from './vineyard-defects.ts';

const DECISIONS: Readonly<Record<string, Decision>> = {
  ...engineDefects,
  ...cacheDefects,
  ...jindoDefects,
  ...efcDefects,
  ...vineyardDefects,
};

test.each(Object.entries(DECISIONS))('%s is decided, and its test exists', (_, { shown: [file, title] }) => {
  expect(readFileSync(join(import.meta.dirname, '..', file), 'utf8')).toContain(title);
});
