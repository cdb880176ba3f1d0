import { expect, test } from 'vitest';
import { InvalidSpec, oneLine } from '../../src/api/index.ts';

test('a message is one line, whatever a user wrote into names and keys', () => {
  const error = new InvalidSpec({ path: 'spec.options[a\nb\u001b[31m]', expected: 'a name', found: '"\u009b"' });
  expect(error.message).toBe(String.raw`spec.options[a\nb\u001b[31m]: expected a name, found "\u009b"`);
  expect(oneLine('Größe: 10 µs ✓')).toBe('Größe: 10 µs ✓');
});
