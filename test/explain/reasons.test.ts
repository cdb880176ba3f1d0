import { expect, test } from 'vitest';
import { explainedIn, explainedNamed } from '../../src/explain/reasons.ts';
import { conditionAdvice } from '../../src/planning/condition-advice.ts';
import { causes } from '../../src/planning/reasons.ts';

test('every reason and every condition with advice is explained, once', () => {
  expect(
    explainedIn()
      .filter(({ is }) => is === 'reason')
      .map(({ name }) => name),
  ).toEqual(Object.keys(causes));
  expect(
    explainedIn()
      .filter(({ is }) => is === 'condition')
      .map(({ name }) => name),
  ).toEqual(Object.keys(conditionAdvice));
});
test('a text names no link of a page, and none refers to another row', () => {
  for (const language of ['en', 'zh'] as const)
    expect(explainedIn(language).filter(({ means, toDo }) => /\]\(|^as for/.test(`${means}\n${toDo}`))).toEqual([]);
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
test('the action is in the language that is asked for', () => {
  const differing = explainedIn('zh').filter(({ toDo }, i) => toDo !== explainedIn('en')[i]?.toDo);
  expect(differing.length).toBeGreaterThan(explainedIn().length - 5);
  expect(explainedNamed(['AcmeProfileNotFound'], 'zh').found[0]?.toDo).toMatch(/[\u4e00-\u9fff]/);
});
