import { describe, expect, test } from 'vitest';
import { causesOf, faultLines, warningsOf } from '../../../src/webhook/validation/answer.ts';

const fault = (path: string) => ({ path, expected: 'an integer', found: '"x"' });

describe('an answer has', () => {
  test('a line for each fault, and the same by field', () => {
    expect(faultLines([fault('spec.a'), fault('spec.b')])).toBe(
      'spec.a: expected an integer, found "x"\nspec.b: expected an integer, found "x"',
    );
    expect(causesOf([fault('spec.a')])).toEqual([
      { reason: 'FieldValueInvalid', field: 'spec.a', message: 'expected an integer, found "x"' },
    ]);
  });
  test('one line for a fault whose text has several', () => {
    expect(faultLines([fault('spec.a\nspec.b')])).toBe('spec.a\\nspec.b: expected an integer, found "x"');
  });
  test('at most fifty faults, and how many there are beyond', () => {
    const lines = faultLines(Array.from({ length: 60 }, (_, i) => fault(`spec.mounts[${i}]`))).split('\n');
    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toBe('and 10 more faults, which `sluice diff` prints');
  });
  test('warnings that API servers keep whole: cut between words, each once, and not too many', () => {
    const long = 'word '.repeat(100);
    const [cut = '', ...others] = warningsOf([long, long, 'short']);
    expect(cut.length).toBeLessThanOrEqual(256);
    expect(cut).toMatch(/^(word )+word…$/);
    expect(others).toEqual(['short']);
    expect([...(warningsOf(['𝄞'.repeat(300)])[0] ?? '')]).toHaveLength(256);
    const many = warningsOf(Array.from({ length: 30 }, (_, i) => `${i} ${long}`));
    expect(many).toHaveLength(16);
    expect(many.join('').length).toBeLessThan(4096);
  });
});
