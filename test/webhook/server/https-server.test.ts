import { once } from 'node:events';
import { Agent, request as httpsRequest } from 'node:https';
import { connect as tcp } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { connect } from 'node:tls';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { webhookNames } from '../../../src/api/webhook-names.ts';
import { silent } from '../../../src/kube/types.ts';
import { issue } from '../../../src/webhook/certificates/issue.ts';
import type { Material } from '../../../src/webhook/certificates/material.ts';
import { type Admit, serveWebhook, type WebhookServer } from '../../../src/webhook/server/https-server.ts';
import { until } from '../../support/manual-clock.ts';

const HOST = 'fluid-pod-admission-webhook.fluid-system.svc';
let first: Material;
beforeAll(async () => {
  first = await issue({ older: [] }, [HOST, 'localhost'], Date.now());
});

let server: WebhookServer | undefined;
let agent: Agent;
afterEach(async () => {
  agent?.destroy();
  await server?.stop();
});
async function start(admit: Admit = async (text) => ({ status: 200, body: String(text.length) }), most?: number): Promise<void> {
  agent = new Agent({ keepAlive: true });
  server = await serveWebhook(0, first, new Map([[webhookNames.path, admit]]), silent, most);
}
interface Reply {
  readonly status: number | undefined;
  readonly body: string;
  readonly connection: string | undefined;
  readonly length: string | undefined;
}
const options = (ca = first.authorities.join(''), path: string = webhookNames.path, method = 'POST') => ({
  host: '127.0.0.1',
  port: server?.port,
  path,
  method,
  ca,
  servername: HOST,
  agent,
});
/** As an API server asks: by the Service's name, trusting the bundle only. */
function post(body: string | Buffer, ...how: Parameters<typeof options>): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asked = httpsRequest(options(...how), (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      const { connection, 'content-length': length } = response.headers;
      response.on('end', () => resolve({ status: response.statusCode, body: text, connection, length }));
    });
    // An answer may come before the body was sent.
    asked.on('error', reject).end(body);
  });
}

describe('the webhook serves', () => {
  test('admissions over TLS, to clients that trust its authority', async () => {
    await start();
    expect(await post('12345')).toMatchObject({ status: 200, body: '5', connection: 'keep-alive' });
    const other = await issue({ older: [] }, [HOST], Date.now());
    agent = new Agent();
    await expect(post('x', other.authorities.join(''))).rejects.toThrow(/self-signed|unable to (get|verify)/);
  });
  test('an answer with its length in bytes, so that it is not sent in chunks', async () => {
    await start(async () => ({ status: 200, body: 'é' }));
    expect(await post('x')).toMatchObject({ body: 'é', length: '2' });
  });
  test('a pod with thousands of volumes', async () => {
    await start();
    expect(await post('x'.repeat(1.5e6))).toMatchObject({ status: 200, body: '1500000' });
  });
  test.each([
    ['?timeout=15s', 15_000],
    ['?timeout=1h', undefined],
    ['', undefined],
  ])('within the timeout of the API server that asks: %j', async (query, ms) => {
    await start(async (_, withinMs) => ({ status: 200, body: String(withinMs) }));
    expect(await post('x', undefined, webhookNames.path + query)).toMatchObject({ body: String(ms) });
  });
  test('pods while large requests take all the memory that there is for them', async () => {
    await start();
    const large = Array.from({ length: 18 }, () => {
      const asked = httpsRequest({ ...options(), agent: false });
      asked.on('error', () => {}).setHeader('content-length', 3 << 19);
      asked.write(Buffer.alloc(1.5e6));
      return asked;
    });
    const refused = await Promise.race(
      large.map((asked) => new Promise<number>((resolve) => asked.on('response', ({ statusCode = 0 }) => resolve(statusCode)))),
    );
    expect(refused).toBe(503);
    expect(await post('x'.repeat(250_000))).toMatchObject({ status: 200, body: '250000' });
    for (const asked of large) asked.destroy();
  });
  test('API servers though others open more connections than there may be, with TLS and without', async () => {
    await start(undefined, 20);
    const others = Array.from({ length: 40 }, (_, i) =>
      (i % 2 ? tcp(server?.port ?? 0, '127.0.0.1') : connect({ host: '127.0.0.1', port: server?.port ?? 0, rejectUnauthorized: false })).on(
        'error',
        () => {},
      ),
    );
    for (let i = 0; i < 3; i++) {
      agent.destroy();
      agent = new Agent({ keepAlive: true });
      expect(await post('12345')).toMatchObject({ status: 200 });
    }
    await until(() => others.filter((socket) => !socket.destroyed).length <= 20, 'closed');
    for (const socket of others) socket.destroy();
  });
  test('another certificate from one connection to the next', async () => {
    await start();
    const second = await issue({ older: [] }, [HOST], Date.now());
    server?.use(second);
    const socket = connect({ host: '127.0.0.1', port: server?.port ?? 0, ca: second.authorities.join(''), servername: HOST });
    await once(socket, 'secureConnect');
    expect(socket.authorized).toBe(true);
    socket.destroy();
  });
});

describe('the webhook refuses', () => {
  test.each([
    ['/', 'POST', 404],
    [webhookNames.path, 'PUT', 405],
  ])('%s by %s', async (path, method, status) => {
    await start();
    expect(await post('x', undefined, path, method)).toMatchObject({ status });
  });
  test('a body of more than 1.5 MiB, announced or not', async () => {
    await start();
    expect(await post(Buffer.alloc((3 << 19) + 1)).catch(() => ({ status: 413 }))).toMatchObject({ status: 413 });
    expect(await post('still here')).toMatchObject({ status: 200 });
  });
  test('more than 24 MiB of requests at once, and serves again afterwards', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await start(async () => held.then(() => ({ status: 200, body: '' })));
    const all = Array.from({ length: 20 }, () => post(Buffer.alloc(1.5e6)).catch(() => ({ status: 503 })));
    const quick = await Promise.race(all);
    expect(quick).toMatchObject({ status: 503 });
    release();
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(await post('x')).toMatchObject({ status: 200 });
  });
  test('nothing of what an exception says', async () => {
    await start(() => Promise.reject(new Error('secret')));
    expect(await post('x')).toMatchObject({ status: 500, body: 'the webhook met a defect, which its log describes\n' });
  });
  test('no client for long that speaks no TLS, or goes away', async () => {
    await start();
    const port = server?.port ?? 0;
    tcp(port, '127.0.0.1')
      .on('error', () => {})
      .end('GET / HTTP/1.1\r\n\r\n');
    const socket = connect({ host: '127.0.0.1', port, ca: first.authorities.join(''), servername: HOST });
    await once(socket, 'secureConnect');
    socket.write(`POST ${webhookNames.path} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf`);
    await wait(20);
    socket.destroy();
    expect(await post('x')).toMatchObject({ status: 200 });
  });
});

test('a webhook that stops answers what was asked, and ends connections on which nothing was asked yet', async () => {
  let release = (): void => {};
  let isAsked = (): void => {};
  const asked = new Promise<void>((resolve) => (isAsked = resolve));
  await start(async () => {
    isAsked();
    await new Promise<void>((resolve) => (release = resolve));
    return { status: 200, body: 'late' };
  });
  const answer = post('x');
  await asked;
  const silentOne = connect({ host: '127.0.0.1', port: server?.port ?? 0, ca: first.authorities.join(''), servername: HOST });
  await once(silentOne, 'secureConnect');
  const stopped = server?.stop();
  release();
  expect(await answer).toMatchObject({ status: 200, body: 'late', connection: 'close' });
  await stopped;
  server = undefined;
});
