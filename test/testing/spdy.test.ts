import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { spdyReplay } from '../../harness/control-plane/spdy.ts';

const HEAD = Buffer.from('HTTP/1.1 101 Switching Protocols\r\nUpgrade: SPDY/3.1\r\n\r\n');
const KWOK_STATUS =
  '{"metadata":{},"status":"Failure","message":"Internal error occurred: … exit status 3","reason":"InternalError","code":500}';

function data(stream: number, text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(stream, 0);
  head.writeUIntBE(payload.length, 5, 3);
  return Buffer.concat([head, payload]);
}

/** A control frame whose compressed payload looks like anything. */
const CONTROL = Buffer.from([0x80, 3, 0, 2, 0, 0, 0, 4, 0x7b, 0x22, 1, 2]);

function passed(input: readonly Buffer[], exitCode: number, delayMs = 0): Promise<Buffer> {
  return buffer(Readable.from(input).pipe(spdyReplay(exitCode, delayMs)));
}

describe('spdyReplay', () => {
  test('replaces the status of a failed command and nothing else', async () => {
    const out = await passed([HEAD, CONTROL, data(5, 'out'), data(1, KWOK_STATUS), CONTROL], 3);
    const start = HEAD.length + CONTROL.length + 11;
    expect(out.subarray(0, start)).toEqual(Buffer.concat([HEAD, CONTROL, data(5, 'out')]));
    const size = out.readUIntBE(start + 5, 3);
    expect(JSON.parse(out.toString('utf8', start + 8, start + 8 + size))).toMatchObject({
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
    });
    expect(out.subarray(start + 8 + size)).toEqual(CONTROL);
  });

  test('understands frames however they are cut into packets', async () => {
    const whole = Buffer.concat([HEAD, CONTROL, data(5, 'out'), data(1, KWOK_STATUS)]);
    const bytes = Array.from(whole, (byte) => Buffer.from([byte]));
    expect(await passed(bytes, 3)).toEqual(await passed([whole], 3));
  });

  test('passes everything of a command that succeeded', async () => {
    const whole = Buffer.concat([HEAD, data(5, KWOK_STATUS), data(1, '{"status":"Success"}')]);
    expect(await passed([whole], 0)).toEqual(whole);
  });

  test('holds back the first data, not the handshake', async () => {
    const replay = spdyReplay(0, 50);
    const chunks: { at: number; size: number }[] = [];
    const began = performance.now();
    replay.on('data', (chunk: Buffer) => chunks.push({ at: performance.now() - began, size: chunk.length }));
    const ended = new Promise((resolve) => replay.on('end', resolve));
    replay.end(Buffer.concat([HEAD, CONTROL, data(5, 'late')]));
    await ended;
    expect(chunks.map(({ size }) => size)).toEqual([HEAD.length, CONTROL.length, 12]);
    expect(chunks[2]?.at).toBeGreaterThan(40);
  });
});
