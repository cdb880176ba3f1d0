import { expect, test } from 'vitest';
import { explained, explainedNamed } from '../../src/explain/reasons.ts';
import { conditionAdvice } from '../../src/planning/condition-advice.ts';
import { causes } from '../../src/planning/reasons.ts';

test('every reason and every condition with advice is explained, once', () => {
  expect(explained.filter(({ is }) => is === 'reason').map(({ name }) => name)).toEqual(Object.keys(causes));
  expect(explained.filter(({ is }) => is === 'condition').map(({ name }) => name)).toEqual(Object.keys(conditionAdvice));
});
test('a text names no link of a page, and none refers to another row', () => {
  expect(explained.filter(({ means, toDo }) => /\]\(|^as for/.test(`${means}\n${toDo}`))).toEqual([]);
});
test('a name may be that of a reason and of a condition', () => {
  expect(explainedNamed(['MountsDiffer']).found.map(({ is }) => is)).toEqual(['reason', 'condition']);
});
test('names that none has are returned', () => {
  expect(explainedNamed(['Paused', 'paused', 'constructor'])).toMatchObject({
    found: [{ name: 'Paused' }],
    unknown: ['paused', 'constructor'],
  });
});
test("the companion of a vendor's runtime is explained, though the table does not name it", () => {
  expect(explainedNamed(['AcmeProfileNotFound', 'SecretNotFound'])).toMatchObject({
    found: [
      { name: 'SecretNotFound' },
      { name: 'AcmeProfileNotFound', means: 'an object that the spec names does not exist', toDo: 'create it' },
    ],
    unknown: [],
  });
});
