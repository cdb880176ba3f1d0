import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createScrapes } from '../../src/cli/scrapes.ts';

interface Answer {
  readonly status: number | undefined;
  readonly encoding: string | undefined;
  readonly body: Buffer;
}

async function served(text: () => AsyncIterable<string>) {
  const scrapes = createScrapes('text/plain', text);
  const server = createServer((asked, response) => scrapes.answer(asked, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const get = (acceptEncoding?: string) =>
    new Promise<Answer>((resolve, reject) => {
      const headers = acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding };
      request({ port, host: '127.0.0.1', headers, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode, encoding: response.headers['content-encoding'], body: Buffer.concat(chunks) }),
        );
        response.on('error', reject);
      })
        .on('error', reject)
        .end();
    });
  return { get, port };
}

test('the text is compressed for those who accept gzip, and plain for all others', async () => {
  const { get } = await served(async function* () {
    yield 'a 1\n';
    yield 'ü 2\n';
  });
  for (const accepts of ['gzip', 'deflate, GZIP;q=0.5', '*', 'identity;q=1, gzip']) {
    const { encoding, body } = await get(accepts);
    expect([accepts, encoding, gunzipSync(body).toString()]).toEqual([accepts, 'gzip', 'a 1\nü 2\n']);
  }
  for (const accepts of [undefined, 'identity', 'gzip;q=0', 'gzip;q=0.00', 'xgzip']) {
    const { encoding, body } = await get(accepts);
    expect([accepts, encoding, body.toString()]).toEqual([accepts, undefined, 'a 1\nü 2\n']);
  }
});

test('however many ask at once, one scrape is made, and text no faster than it is compressed', async () => {
  let made = 0;
  const line = `${'x'.repeat(999)}\n`;
  const { get } = await served(async function* () {
    made++;
    for (let i = 0; i < 2000; i++) yield line;
  });
  const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => get(i % 2 ? 'gzip' : undefined)));
  expect(made).toBe(1);
  for (const { encoding, body } of answers) expect((encoding ? gunzipSync(body) : body).equals(Buffer.from(line.repeat(2000)))).toBe(true);
});

test('an error of a scrape is the answer to it, and the next scrape is made anew', async () => {
  let made = 0;
  const { get } = await served(async function* () {
    yield 'a 1\n';
    if (++made === 1) throw new Error('no store');
  });
  const { status, body } = await get();
  expect([status, body.toString()]).toEqual([500, 'Error: no store']);
  await sleep(1100);
  expect((await get()).status).toBe(200);
});

test('clients that do not read keep no more than four scrapes in memory', async () => {
  let made = 0;
  // Random: what a compressor leaves of it does not fit into the buffers of sockets.
  const { port } = await served(async function* () {
    made++;
    for (let i = 0; i < 160; i++) yield Buffer.from(crypto.getRandomValues(new Uint8Array(49_152))).toString('base64');
  });
  for (let i = 0; i < 7; i++) {
    const stalled = request({ port, host: '127.0.0.1', headers: { 'accept-encoding': 'gzip' }, agent: false }, (response) =>
      response.pause(),
    ).on('error', () => {});
    stalled.end();
    await new Promise((resolve) => stalled.once('response', resolve));
    onTestFinished(() => void stalled.destroy());
    await sleep(1050);
  }
  expect(made).toBe(4);
}, 60_000);
