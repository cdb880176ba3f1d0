import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Listening, serve } from '../../../src/csi/grpc/socket.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const SERVICES = [new Map([['/t.T/Echo', async (bytes: Uint8Array) => bytes]])];
let dir: string;
let socket: string;
const started: Listening[] = [];
const listen = async (handOverMs = 0) => {
  const listening = await serve(socket, SERVICES, { log: silent, handOverMs });
  started.push(listening);
  return listening;
};

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sluice-socket-'));
  socket = join(dir, 'csi.sock');
});
afterEach(async () => {
  for (const each of started.splice(0)) await each.stop();
  rmSync(dir, { recursive: true });
});

test('a socket is for root alone, and nothing is left of it', async () => {
  const listening = await listen();
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  expect(listening.lost()).toBeUndefined();
  await listening.stop();
  expect(readdirSync(dir)).toEqual([]);
});

test('a plugin that lost the socket reports it, and does not remove the socket of its successor', async () => {
  const first = await listen();
  rmSync(socket);
  expect(first.lost()).toContain('removed, or taken');
  const second = await listen();
  expect([first.lost() !== undefined, second.lost()]).toEqual([true, undefined]);
  await first.stop();
  expect(existsSync(socket)).toBe(true);
  expect(second.lost()).toBeUndefined();
});

test('calls under way are waited for, and a file that is not a socket stays', async () => {
  const first = await listen();
  await expect(listen()).rejects.toThrow('another process serves it');
  const second = listen(60_000);
  await first.stop();
  expect((await second).lost()).toBeUndefined();
  await (await second).stop();
  writeFileSync(socket, '');
  await expect(listen()).rejects.toThrow('expected a socket or nothing');
  expect(existsSync(socket)).toBe(true);
});

test('a plugin waits for as long as another one serves, says so, and serves within a second of its end', async () => {
  const first = await listen();
  const said: string[] = [];
  const second = serve(socket, SERVICES, { log: silent, onWait: (why) => said.push(why) });
  await expect.poll(() => said).toEqual([expect.stringContaining('another process serves it')]);
  const ended = performance.now();
  await first.stop();
  started.push(await second);
  expect(performance.now() - ended).toBeLessThan(1_000);
});

test('a plugin that is stopped while it waits for another one takes nothing', async () => {
  const first = await listen();
  const stop = new AbortController();
  const second = serve(socket, SERVICES, { log: silent, signal: stop.signal, onWait: () => stop.abort() });
  await expect(second).rejects.toThrow('aborted');
  expect(first.lost()).toBeUndefined();
});
