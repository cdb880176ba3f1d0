import { expect, test } from 'vitest';
import { createTurns } from '../../../src/webhook/server/turns.ts';

const moments = () => new Promise<void>((resolve) => void setTimeout(resolve, 20));
const here = () => false;

test('addresses take turns, small requests of one come before its large ones, and one is worked out at a time', async () => {
  const turns = createTurns();
  const order: string[] = [];
  const take = (peer: string, name: string, isLarge = false) => void turns.take(peer, isLarge, here).then(() => order.push(name));
  for (const name of ['a1', 'a2', 'a3', 'a4']) take('a', name, true);
  take('b', 'b1');
  take('b', 'b2');
  take('a', 'a5');
  await moments();
  expect(order).toEqual(['a5', 'b1', 'a1', 'b2', 'a2', 'a3', 'a4']);
});
test('what waits for the network is served in between', async () => {
  const turns = createTurns();
  const order: string[] = [];
  for (const name of ['one', 'two'])
    void turns.take('a', false, here).then(() => {
      order.push(name);
      setImmediate(() => order.push(`after ${name}`));
    });
  await moments();
  expect(order.indexOf('after one')).toBeLessThan(order.indexOf('after two'));
  expect(order.slice(0, 1)).toEqual(['one']);
});
test('a request whose client is gone takes no turn', async () => {
  const turns = createTurns();
  const answers = await Promise.all([turns.take('a', false, () => true), turns.take('a', false, here), turns.take('b', false, () => true)]);
  expect(answers).toEqual([false, true, false]);
});
