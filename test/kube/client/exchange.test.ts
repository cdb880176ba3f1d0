import { Pool } from 'undici';
import { expect, test } from 'vitest';
import { exchange } from '../../../src/kube/client/exchange.ts';
import { aMoment, until } from '../../support/manual-clock.ts';
import { json, pieces, type Step, scriptedServer } from '../../support/scripted-server.ts';

test('an answer in pieces is one text, whole characters', async () => {
  const bytes = Buffer.from('größe ✓');
  const server = await scriptedServer([pieces(bytes.subarray(0, 3), bytes.subarray(3, 8), bytes.subarray(8))]);
  const pool = new Pool(server.url);
  expect(await exchange(pool, { method: 'GET', path: '/' }).answer).toMatchObject({ status: 200, text: 'größe ✓' });
  await pool.close();
  await server.close();
});

test('given up while it waits for a connection, it never leaves', async () => {
  let release: (() => void) | undefined;
  const held: Step = (response) => {
    release = () => json(200, {})(response);
  };
  const server = await scriptedServer([held, json(200, {})]);
  const pool = new Pool(server.url, { connections: 1 });
  const first = exchange(pool, { method: 'GET', path: '/first' });
  const second = exchange(pool, { method: 'POST', path: '/second', body: '{}' });
  await until(() => release !== undefined, 'not sent');
  second.abort(new Error('too late'));
  await expect(second.answer).rejects.toThrow('too late');
  release?.();
  await first.answer;
  await aMoment();
  expect(server.requests.map(({ path }) => path)).toEqual(['/first']);
  await pool.close();
  await server.close();
});
