/** Which large requests are read, of many at once. */
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createBodies } from '../../../src/webhook/server/bodies.ts';

const LARGE = 3 << 19;

function given() {
  let ms = 0;
  const bodies = createBodies({ monotonic: () => ms });
  /** One that has sent so much of it; its status once it was refused, 200 once it was read. */
  async function send(peer: string, namespace: string, bytes: number, isWhole: boolean) {
    const head = `{"request":{"namespace":"${namespace}","x":"`;
    const request = Object.assign(new PassThrough({ highWaterMark: LARGE }), { headers: {}, socket: { remoteAddress: peer } });
    const response = new EventEmitter();
    const sent = { status: 0, close: () => response.emit('close') };
    // The casts: what is read of them.
    void bodies(request as unknown as IncomingMessage, response as ServerResponse).then((body) => {
      sent.status = typeof body === 'string' ? 200 : body.status;
    });
    request.write(head);
    for (let left = bytes - head.length; left > 0; left -= 16 << 10) request.write(Buffer.alloc(Math.min(left, 16 << 10), 'x'));
    if (isWhole) request.end();
    for (let i = 0; i < 5; i++) await turn();
    return sent;
  }
  return { send, wait: (by: number) => (ms += by) };
}
/** From each address twelve slow uploads, for as many namespaces. */
async function flood({ send }: ReturnType<typeof given>, addresses: number) {
  const uploads = [];
  for (let i = 0; i < addresses; i++) for (let k = 0; k < 12; k++) uploads.push(await send(`10.0.0.${i}`, `n${k}`, 512 << 10, false));
  return uploads;
}

test.each([1, 4, 10, 40])('slow uploads from %i addresses keep no large pod of an API server out', async (addresses) => {
  const at = given();
  await flood(at, addresses);
  at.wait(1000);
  for (let i = 0; i < 20; i++) {
    const sent = await at.send('10.1.0.1', `team${i}`, LARGE, true);
    expect(sent.status).toBe(200);
    sent.close();
  }
});
test('no more of them are cut than others need room for, the oldest first', async () => {
  const at = given();
  const slow: { readonly status: number }[] = [];
  for (let i = 0; i < 20; i++) slow.push(await at.send(`10.0.0.${i}`, 'n', LARGE - 1, false));
  const held = () => slow.filter(({ status }) => status === 0).length;
  const before = held();
  at.wait(1000);
  expect(await at.send('10.1.0.1', 'team', LARGE, true)).toMatchObject({ status: 200 });
  expect(before - held()).toBeLessThanOrEqual(3);
  expect(slow[0]?.status).toBe(503);
});
test('a body that is sent in one go is not cut for others, nor is one that waits for its answer', async () => {
  const at = given();
  const whole = [];
  for (let i = 0; i < 10; i++) whole.push(await at.send(`10.1.0.${i}`, 'team', LARGE, true));
  const young = await flood(at, 4);
  at.wait(999);
  const held = young.filter(({ status }) => status === 0).length;
  await at.send('10.2.0.1', 'other', LARGE, true);
  expect(whole.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(young.filter(({ status }) => status === 0).length).toBe(held);
});
test('a whole request that has no answer yet holds its room', async () => {
  const at = given();
  let taken = 0;
  for (let i = 0; i < 40; i++) if ((await at.send(`10.1.0.${i}`, 'team', LARGE, true)).status === 200) taken++;
  at.wait(5000);
  expect(taken * LARGE).toBeLessThanOrEqual(24 << 20);
  expect(await at.send('10.2.0.1', 'other', LARGE, true)).toMatchObject({ status: 503 });
});
