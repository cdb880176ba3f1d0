import { expect, test } from 'vitest';
import { createTurnstile, KEYS, REQUESTS, shareOf, type Turnstile } from '../../../src/kube/turns/turnstile.ts';

const all = <T>(turnstile: Turnstile<T>): T[] => {
  const items: T[] = [];
  while (turnstile.isReady) items.push(turnstile.shift()!);
  return items;
};

test('namespaces take turns, one item each; items of one namespace are served as they came', () => {
  const turnstile = createTurnstile<string>(9);
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) turnstile.push(item.charAt(0), item);
  expect(all(turnstile)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

test('items of one namespace are served by their order, if they have one', () => {
  const turnstile = createTurnstile<string>(9);
  turnstile.push('a', 'second', 2);
  turnstile.push('a', 'third', 3);
  turnstile.push('a', 'first', 1);
  expect(all(turnstile)).toEqual(['first', 'second', 'third']);
});

test('no namespace has more inside than it may, and its next item is served when one leaves', () => {
  const turnstile = createTurnstile<string>(2);
  for (const item of ['a1', 'a2', 'a3', 'a4']) turnstile.push('a', item);
  expect(all(turnstile)).toEqual(['a1', 'a2']);
  turnstile.push('b', 'b1');
  expect(all(turnstile)).toEqual(['b1']);
  turnstile.leave('b');
  expect([turnstile.isReady, turnstile.waiting]).toEqual([false, 2]);
  turnstile.leave('a');
  expect(all(turnstile)).toEqual(['a3']);
});

test('an item that is removed leaves nothing behind', () => {
  const turnstile = createTurnstile<string>(1);
  turnstile.push('a', 'a1');
  turnstile.push('b', 'b1');
  turnstile.push('b', 'b2');
  turnstile.remove('a', 'a1');
  turnstile.remove('a', 'a1');
  turnstile.remove('b', 'b1');
  expect(turnstile.waiting).toBe(1);
  expect(all(turnstile)).toEqual(['b2']);
  turnstile.leave('b');
  expect([turnstile.isReady, turnstile.waiting, turnstile.shift()]).toEqual([false, 0, undefined]);
});

test('a quarter of the places is left to others, where there are so many', () =>
  expect([1, 2, 3, 4, 16, 24].map(shareOf)).toEqual([1, 2, 3, 3, 12, 18]));

test('a namespace alone has as many keys and requests at a time as one API server has use for', () =>
  expect([KEYS, REQUESTS].map(shareOf)).toEqual([24, 16]));
