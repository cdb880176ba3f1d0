import { mkdtempSync, rmSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as dial, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { headerBlock, headerReader } from '../../src/csi/hpack.ts';
import { type Incoming, serveHttp2 } from '../../src/csi/http2.ts';

let dir: string;
let path: string;
let server: Server;
let session: ClientHttp2Session;
const sockets = new Set<Socket>();
const asked: Incoming[] = [];

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'sluice-http2-'));
  path = join(dir, 's.sock');
  asked.length = 0;
  server = createServer((socket) => {
    sockets.add(socket);
    serveHttp2(socket, async (request) => {
      asked.push(request);
      return { headers: { ':status': '200' }, body: Buffer.from(JSON.stringify(request.headers)) };
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  session = connect('http://localhost', { createConnection: () => dial(path) });
});
afterEach(() => {
  session.destroy();
  for (const socket of sockets) socket.destroy();
  server.close();
  rmSync(dir, { recursive: true });
});

/** By nghttp2, which compresses all it can: what the server has read, as it tells. */
async function ask(headers: Record<string, string>): Promise<unknown> {
  const stream = session.request(headers).setEncoding('utf8');
  let text = '';
  for await (const part of stream) text += part as string;
  return JSON.parse(text);
}

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

test('header blocks are read as in the appendix of RFC 7541', () => {
  const coded = headerReader();
  const first = { ':method': 'GET', ':scheme': 'http', ':path': '/', ':authority': 'www.example.com' };
  expect(coded(hex('8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff'))).toEqual(first);
  expect(coded(hex('8286 84be 5886 a8eb 1064 9cbf'))).toEqual({ ...first, 'cache-control': 'no-cache' });
  expect(coded(hex('8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf'))).toEqual({
    ...first,
    ':scheme': 'https',
    ':path': '/index.html',
    'custom-key': 'custom-value',
  });
  const plain = headerReader();
  expect(plain(hex('400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572'))).toEqual({ 'custom-key': 'custom-header' });
  expect(plain(hex('040c 2f73 616d 706c 652f 7061 7468'))).toEqual({ ':path': '/sample/path' });
});

test('what we send can be read', () => {
  const headers = { ':status': '200', 'grpc-message': 'x'.repeat(126), a: 'y'.repeat(127), b: 'z'.repeat(70_000), c: '' };
  expect(headerReader()(headerBlock(headers))).toEqual(headers);
});

test.each(['be', 'ff', '3fe21f', '40', '00 82 ff', '00 84 00 00 00 00 00', '7f 80 80 80 80 80 01', '00 03 61'])(
  'a block that is broken is refused: %s',
  (text) => {
    expect(() => headerReader()(hex(text))).toThrow('HPACK');
  },
);

test('headers of another implementation arrive, however often its table was filled', async () => {
  for (let i = 0; i < 300; i++) {
    const mine = { 'x-long': `${i} `.repeat(i), [`x-${i % 7}`]: 'ü~|{}"\\'.slice(1, i % 9), 'x-same': 'the same' };
    expect(await ask(mine)).toMatchObject(mine);
  }
});

test('a header block of several frames arrives', async () => {
  const long = 'ab€'.repeat(10_000).replaceAll('€', '~');
  expect(await ask({ 'x-long': long })).toMatchObject({ 'x-long': long });
});

test('as many at once as there are', async () => {
  const answers = await Promise.all(Array.from({ length: 500 }, (_, i) => ask({ 'x-i': String(i) })));
  expect(answers.map((each) => (each as Record<string, string>)['x-i'])).toEqual(Array.from({ length: 500 }, (_, i) => String(i)));
});

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const frame = (type: number, flags: number, id: number, body: Buffer) => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(body.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(id, 5);
  return Buffer.concat([head, body]);
};
/** Resolves when the server has closed the connection on which this was written. */
const closes = (bytes: Buffer) =>
  new Promise<void>((resolve) => {
    const socket = dial(path, () => socket.write(bytes));
    socket.on('error', () => {});
    socket.resume().once('close', () => resolve());
  });

test.each([
  ['no HTTP/2', Buffer.from('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')],
  ['a frame that is too long', Buffer.concat([PREFACE, Buffer.from('ffffff000000000000', 'hex')])],
  ['an even stream', Buffer.concat([PREFACE, frame(1, 5, 2, Buffer.from([0x82]))])],
  ['a broken header block', Buffer.concat([PREFACE, frame(1, 5, 1, Buffer.from([0xff, 0xff]))])],
  [
    'a header block that another frame interrupts',
    Buffer.concat([PREFACE, frame(1, 1, 1, Buffer.from([0x82])), frame(6, 0, 0, Buffer.alloc(8))]),
  ],
  ['what goes on after its end', Buffer.concat([PREFACE, frame(1, 4, 1, Buffer.from([0x82])), frame(0, 9, 1, Buffer.from([9, 0]))])],
  [
    'too many headers',
    Buffer.concat([
      PREFACE,
      frame(1, 1, 1, Buffer.alloc(16_000)),
      ...Array.from({ length: 5 }, () => frame(9, 0, 1, Buffer.alloc(16_000))),
    ]),
  ],
])('%s ends the connection, and no other', async (_, bytes) => {
  await closes(bytes);
  expect(await ask({ 'x-a': 'b' })).toMatchObject({ 'x-a': 'b' });
});

test('nothing that is sent does harm', async () => {
  const frames = fc.array(
    fc.record({
      type: fc.integer({ min: 0, max: 10 }),
      flags: fc.integer({ min: 0, max: 255 }),
      id: fc.integer({ min: 0, max: 5 }),
      body: fc.uint8Array({ maxLength: 40 }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(frames, async (all) => {
      const bytes = Buffer.concat([PREFACE, ...all.map(({ type, flags, id, body }) => frame(type, flags, id, Buffer.from(body)))]);
      const socket = dial(path, () => socket.end(bytes));
      socket.on('error', () => {});
      await new Promise<void>((resolve) => socket.resume().once('close', () => resolve()));
    }),
    { numRuns: 200 },
  );
  expect(await ask({ 'x-a': 'b' })).toMatchObject({ 'x-a': 'b' });
});
