/** The defects of Fluid's webhook, sidecars and application controller that are known, what is decided about each, and the test that shows it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { webhookDefects } from './webhook-defects.ts';

test.each(Object.entries(webhookDefects))('%s is decided, and its test exists', (_, { shown: [file, title] }) => {
  const text = readFileSync(join(import.meta.dirname, '..', file), 'utf8');
  expect(text).toContain(title);
});

test('all of them are decided', () =>
  expect(Object.keys(webhookDefects)).toEqual([
    ...Array.from({ length: 17 }, (_, i) => `W${i + 1}`),
    ...Array.from({ length: 4 }, (_, i) => `A${i + 1}`),
  ]));
