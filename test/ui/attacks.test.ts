import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createStreams } from '../../src/ui/server/fleet/stream.ts';
import type { LiveFleet } from '../../src/ui/server/fleet/fleet.ts';
import { openSight } from '../../src/ui/server/viewers/sight.ts';
import type { ServerResponse } from 'node:http';
import { EventEmitter } from 'node:events';
import { manualClock } from '../support/manual-clock.ts';
import { ask, own, signIn } from './requests.ts';
import { apiServer, localUi, pair } from './scene.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function local() {
  const ui = await localUi(apiServer());
  ends.push(ui.stop);
  return ui;
}

test('the token of the address signs in once, and no other text does', async () => {
  const ui = await local();
  const session = (token: string) => ask(ui.port, '/api/session', { method: 'POST', headers: own, body: JSON.stringify({ token }) });
  for (const wrong of ['x', ui.token.slice(1), `${ui.token} `, ui.token.toUpperCase()]) expect((await session(wrong)).status).toBe(401);
  const { status, headers } = await session(ui.token);
  expect([status, headers['set-cookie']]).toEqual([
    200,
    [expect.stringMatching(/^sluice-ui-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)],
  ]);
  expect((await session(ui.token)).status).toBe(401);
});

test('nothing below /api is answered without the cookie', async () => {
  const ui = await local();
  for (const path of ['/api/fleet', '/api/changes', '/api/datasets/ml/demo', '/api/nodes', '/api/preview/ml/demo', '/api/anything'])
    for (const headers of [
      {},
      { cookie: 'sluice-ui-1=x' },
      { cookie: `sluice-ui-${ui.port}=x` },
      { authorization: `Bearer ${ui.token}` },
    ] as const)
      expect((await ask(ui.port, path, { headers })).status).toBe(401);
});

test('a page of another name that leads to this machine is refused: DNS rebinding', async () => {
  const ui = await local();
  const cookie = await signIn(ui.port, ui.token);
  for (const host of [
    'evil.example',
    `evil.example:${ui.port}`,
    '127.0.0.1',
    `127.0.0.1:${ui.port + 1}`,
    `localhost.evil.example:${ui.port}`,
    `[::1]:${ui.port}`,
  ])
    for (const path of ['/', '/api/fleet']) expect((await ask(ui.port, path, { headers: { ...cookie, host } })).status).toBe(403);
  for (const host of [`127.0.0.1:${ui.port}`, `localhost:${ui.port}`, `LOCALHOST:${ui.port}`])
    expect((await ask(ui.port, '/api/fleet', { headers: { ...cookie, host } })).status).toBe(200);
});

test('a page of another origin can neither sign in, nor read, nor have an edit compared', async () => {
  const ui = await local();
  const cookie = await signIn(ui.port, ui.token);
  const foreign = [
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: `http://127.0.0.1:${ui.port + 1}` },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' },
  ] as readonly Readonly<Record<string, string>>[];
  for (const headers of foreign) {
    expect((await ask(ui.port, '/api/session', { method: 'POST', headers, body: JSON.stringify({ token: ui.token }) })).status).toBe(403);
    expect((await ask(ui.port, '/api/fleet', { headers: { ...cookie, ...headers } })).status).toBe(403);
    expect((await ask(ui.port, '/api/preview/ml/demo', { method: 'POST', headers: { ...cookie, ...headers }, body: 'x' })).status).toBe(
      403,
    );
  }
  // A form of another page sends neither header in an old browser.
  expect((await ask(ui.port, '/api/preview/ml/demo', { method: 'POST', headers: cookie, body: 'x' })).status).toBe(403);
  const ours = { origin: `http://127.0.0.1:${ui.port}`, 'sec-fetch-site': 'same-origin' };
  expect((await ask(ui.port, '/api/fleet', { headers: { ...cookie, ...ours } })).status).toBe(200);
});

test('a link from elsewhere opens the page, with headers that let no other page frame it or run in it', async () => {
  const ui = await local();
  const { status, headers } = await ask(ui.port, '/', { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' } });
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-security-policy': expect.stringContaining("default-src 'none'; script-src 'self'; style-src 'self'"),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
});

test('other methods, long bodies and odd paths are refused', async () => {
  const ui = await local();
  const cookie = await signIn(ui.port, ui.token);
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'])
    for (const path of ['/', '/api/fleet', '/api/session', '/api/preview/ml/demo'])
      expect((await ask(ui.port, path, { method, headers: { ...cookie, ...own } })).status).toBeGreaterThanOrEqual(404);
  const long = 'x'.repeat(20_000);
  expect((await ask(ui.port, '/api/session', { method: 'POST', headers: own, body: JSON.stringify({ token: long }) })).status).toBe(400);
  for (const path of [
    '//api/fleet',
    '/api/fleet/',
    '/api/FLEET',
    '/..%2fapi/fleet',
    '/api/datasets/ml/..%2f..%2fx',
    `/api/datasets/ml/${'a'.repeat(300)}`,
  ])
    expect((await ask(ui.port, path, { headers: cookie })).status).toBe(404);
});

test('it listens on 127.0.0.1 alone', async () => {
  const ui = await local();
  const refused = await new Promise<string>((resolve) => {
    const socket = connect({ host: '127.0.0.2', port: ui.port }, () => resolve('connected')).on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code ?? ''),
    );
    socket.unref();
  });
  expect(refused).toBe('ECONNREFUSED');
});

test('names and messages of any characters are data of JSON, and the answer says that it is nothing else', async () => {
  const api = apiServer();
  const ui = await localUi(api);
  ends.push(ui.stop);
  const message = '</script><img src=x onerror=alert(1)> \u202etxt.exe \u0000 \u2028 "\'';
  pair('ml', 'demo', { phase: 'Bound', conditions: [{ type: 'NotReady', status: 'True', reason: '<b>', message }] }).forEach((object) =>
    api.put(object),
  );
  const cookie = await signIn(ui.port, ui.token);
  await expect
    .poll(
      async () => (await ask(ui.port, '/api/fleet', { headers: cookie })).json<{ datasets: { trouble?: object }[] }>().datasets[0]?.trouble,
    )
    .toMatchObject({ reason: '<b>', message });
  const { headers } = await ask(ui.port, '/api/fleet', { headers: cookie });
  expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff' });
});

test('a client that does not read holds what fits its socket, and is cut off after half a minute', () => {
  const clock = manualClock();
  let [head, listener] = [0, () => {}];
  // The cast: the fleet of a stream alone.
  const fleet = {
    get head() {
      return head;
    },
    datasets: new Map([['ml/demo', { row: { namespace: 'ml', name: 'demo' } }]]),
    operations: new Map(),
    since: (version: number) => new Set(version < head ? ['d/ml/demo'] : []),
    follow: (next: () => void) => ((listener = next), () => {}),
    datasetRow: ({ row }: { row: object }) => row,
  } as unknown as LiveFleet;
  const written: string[] = [];
  const socket = Object.assign(new EventEmitter(), {
    writableNeedDrain: false,
    writableEnded: false,
    destroyed: false,
    write: (text: string) => (written.push(text), true),
    end: () => {},
    destroy: () => (socket.destroyed = true),
  });
  const streams = createStreams(fleet, 'epoch', clock);
  const sight = openSight({ name: 'ada', cluster: 'test', hidden: [] });
  streams.open(socket as unknown as ServerResponse, { sight, from: 'epoch.0', ended: new AbortController().signal });
  const change = (ms: number) => {
    head++;
    listener();
    clock.advance(ms);
  };
  for (let i = 0; i < 8; i++) change(50);
  const before = written.length;
  expect(written.filter((text) => text.includes('"demo"')).length).toBeLessThanOrEqual(2);
  socket.writableNeedDrain = true;
  for (let i = 0; i < 100; i++) change(250);
  expect(written).toHaveLength(before);
  expect(socket.destroyed).toBe(false);
  socket.writableNeedDrain = false;
  change(250);
  expect(written.at(-1)).toContain(`"version":"epoch.${head}"`);
  socket.writableNeedDrain = true;
  for (let i = 0; i < 130; i++) change(250);
  expect(socket.destroyed).toBe(true);
});
