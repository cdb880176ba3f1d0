import { readdirSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type HealthServer, serveHealth } from '../../../src/cli/health.ts';
import { until } from '../../support/manual-clock.ts';

/** gRPC on a socket that only root reaches. */
const OTHERS = ['src/csi/grpc/socket.ts', 'src/csi/grpc/unary.ts'];

test('every listener of the programs is made where it is bounded', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((file) => join('src', file))
    .filter((file) => file.endsWith('.ts'));
  const listens = files.filter((file) =>
    /createServer|createSecureServer|new (\w+\.)?Server\(|\.listen\(/.test(readFileSync(file, 'utf8')),
  );
  expect(listens.toSorted()).toEqual([...OTHERS, 'src/kube/listen/listener.ts'].toSorted());
});

describe('the port of the probes', () => {
  let health: HealthServer;
  const open: Socket[] = [];
  beforeEach(async () => {
    health = await serveHealth('127.0.0.1', 0, { alive: () => undefined, ready: () => undefined }, new Registry());
  });
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.destroy();
    await health.stop();
  });
  const connected = (localAddress: string, text: string) => {
    const socket = connect({ host: '127.0.0.1', port: health.port, localAddress }, () => socket.write(text));
    socket.on('error', () => {});
    open.push(socket);
    return socket;
  };
  const probe = () =>
    new Promise<number | undefined>((resolve, reject) => {
      get({ host: '127.0.0.1', port: health.port, path: '/healthz', agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).on('error', reject);
    });
  const left = () => open.filter((socket) => !socket.destroyed && socket.readyState === 'open').length;

  test('answers while others hold as many connections as they can, of which few stay', async () => {
    for (let i = 0; i < 400; i++) connected(`127.0.0.${2 + (i % 8)}`, `GET /metrics HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(2000)}`);
    expect(await probe()).toBe(200);
    await until(() => left() <= 64, 'closed');
    expect(await probe()).toBe(200);
    // Those of one address are fewer still.
    for (let i = 0; i < 100; i++) connected('127.0.0.99', 'GET');
    await until(() => open.filter((socket) => !socket.destroyed && socket.localAddress === '127.0.0.99').length <= 16, 'closed');
    expect(await probe()).toBe(200);
  });
  test('refuses headers of more than 4 KB', async () => {
    let text = '';
    connected('127.0.0.2', `GET /metrics HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(5000)}\r\n\r\n`).on(
      'data',
      (piece) => (text += String(piece)),
    );
    await until(() => text.includes('431'), 'refused');
  });
});
