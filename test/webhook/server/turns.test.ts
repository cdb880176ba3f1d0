import { expect, test, vi } from 'vitest';
import { createTurns } from '../../../src/webhook/server/turns.ts';

const moments = () => new Promise<void>((resolve) => void setTimeout(resolve, 20));
const here = () => false;

const caller = (peer: string, namespace = 'ml') => ({ peer, namespace });

test('addresses take turns, small requests of one namespace come before its large ones, and one is worked out at a time', async () => {
  const turns = createTurns();
  const order: string[] = [];
  const take = (peer: string, name: string, isLarge = false) => void turns.take(caller(peer), isLarge, here).then(() => order.push(name));
  for (const name of ['a1', 'a2', 'a3', 'a4']) take('a', name, true);
  take('b', 'b1');
  take('b', 'b2');
  take('a', 'a5');
  await vi.waitFor(() => expect(order).toHaveLength(7));
  expect(order).toEqual(['a5', 'b1', 'a1', 'b2', 'a2', 'a3', 'a4']);
});
test.each([true, false])('a namespace that floods an address keeps no other namespace of it waiting (large: %s)', async (isLarge) => {
  const turns = createTurns();
  const order: string[] = [];
  const take = (namespace: string, name: string) => void turns.take(caller('api', namespace), isLarge, here).then(() => order.push(name));
  for (let i = 0; i < 200; i++) take('flood', `flood${i}`);
  await new Promise(setImmediate);
  for (const name of ['x', 'y']) take('other', name);
  take('third', 'z');
  await new Promise((resolve) => void setTimeout(resolve, 50));
  expect(order).toHaveLength(203);
  expect(Math.max(...['x', 'z'].map((name) => order.indexOf(name)))).toBeLessThan(5);
  expect(order.indexOf('y')).toBeLessThan(7);
});
test('an admission that waits for the network is served in between', async () => {
  const turns = createTurns();
  const order: string[] = [];
  for (const name of ['one', 'two'])
    void turns.take(caller('a'), false, here).then(() => {
      order.push(name);
      setImmediate(() => order.push(`after ${name}`));
    });
  await moments();
  expect(order.indexOf('after one')).toBeLessThan(order.indexOf('after two'));
  expect(order.slice(0, 1)).toEqual(['one']);
});
test('a request whose client is gone takes no turn', async () => {
  const turns = createTurns();
  const answers = await Promise.all([
    turns.take(caller('a'), false, () => true),
    turns.take(caller('a'), false, here),
    turns.take(caller('b'), false, () => true),
  ]);
  expect(answers).toEqual([false, true, false]);
});
