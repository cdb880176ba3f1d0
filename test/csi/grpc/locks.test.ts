import { expect, test } from 'vitest';
import { createLocks } from '../../../src/csi/grpc/locks.ts';

test('a second call for a key fails, other work for it waits', async () => {
  const locks = createLocks();
  const first = Promise.withResolvers<void>();
  const order: string[] = [];
  const call = locks.call('k', () => first.promise.then(() => order.push('call')));
  await expect(locks.call('k', async () => {})).rejects.toThrow('another call is under way');
  const work = locks.run('k', async () => order.push('work'));
  await locks.call('other', async () => order.push('other'));
  first.resolve();
  await Promise.all([call, work]);
  expect(order).toEqual(['other', 'call', 'work']);
});
