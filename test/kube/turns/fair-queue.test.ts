import { expect, test } from 'vitest';
import { createFairQueue, KEYS, REQUESTS, shareOf, type FairQueue } from '../../../src/kube/turns/fair-queue.ts';

const all = <T>(queue: FairQueue<T>): T[] => {
  const items: T[] = [];
  while (queue.isReady) items.push(queue.shift()!);
  return items;
};

test('namespaces take turns, one item each; items of one namespace are served as they came', () => {
  const queue = createFairQueue<string>(9);
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.push(item.charAt(0), item);
  expect(all(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

test('items of one namespace are served by their order, if they have one', () => {
  const queue = createFairQueue<string>(9);
  queue.push('a', 'second', 2);
  queue.push('a', 'third', 3);
  queue.push('a', 'first', 1);
  expect(all(queue)).toEqual(['first', 'second', 'third']);
});

test('no namespace has more inside than it may, and its next item is served when one leaves', () => {
  const queue = createFairQueue<string>(2);
  for (const item of ['a1', 'a2', 'a3', 'a4']) queue.push('a', item);
  expect(all(queue)).toEqual(['a1', 'a2']);
  queue.push('b', 'b1');
  expect(all(queue)).toEqual(['b1']);
  queue.leave('b');
  expect([queue.isReady, queue.waiting]).toEqual([false, 2]);
  queue.leave('a');
  expect(all(queue)).toEqual(['a3']);
});

test('an item that is removed leaves nothing behind', () => {
  const queue = createFairQueue<string>(1);
  queue.push('a', 'a1');
  queue.push('b', 'b1');
  queue.push('b', 'b2');
  queue.remove('a', 'a1');
  queue.remove('a', 'a1');
  queue.remove('b', 'b1');
  expect(queue.waiting).toBe(1);
  expect(all(queue)).toEqual(['b2']);
  queue.leave('b');
  expect([queue.isReady, queue.waiting, queue.shift()]).toEqual([false, 0, undefined]);
});

test('a quarter of the places is left to others, where there are so many', () =>
  expect([1, 2, 3, 4, 16, 24].map(shareOf)).toEqual([1, 2, 3, 3, 12, 18]));

test('a namespace alone has as many keys and requests at a time as one API server has use for', () =>
  expect([KEYS, REQUESTS].map(shareOf)).toEqual([24, 16]));
