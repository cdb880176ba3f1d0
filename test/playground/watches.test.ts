/** Watches of clients that read slowly, or not at all. */
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { type Playground, startPlayground } from '../../src/playground/playground.ts';
import { aMoment, until } from '../support/manual-clock.ts';

let playground: Playground;
beforeAll(async () => {
  playground = await startPlayground({ manifests: [], nodes: 1, port: 0, onFault: (error) => expect.fail(String(error)) });
});
afterAll(() => playground.stop());

const MB = 1 << 20;
/** More than a history has, and what the sockets of both ends take. */
const MOST_MB = 64;
const large = (i: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'large', namespace: 'default' },
  data: { i: String(i), text: 'x'.repeat(MB) },
});

/** A watch whose client reads nothing until it is resumed. */
async function openWatch(): Promise<{ readonly socket: TLSSocket; readonly isClosed: () => boolean; readonly text: () => string }> {
  const { users, clusters } = JSON.parse(playground.kubeconfig) as {
    users: readonly { user: { token: string } }[];
    clusters: readonly { cluster: { 'certificate-authority-data': string } }[];
  };
  const ca = Buffer.from(clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64');
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(playground.url).port), ca });
  let [closed, text] = [false, ''];
  socket.on('close', () => (closed = true)).on('error', () => {});
  const path = '/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=0';
  socket.write(`GET ${path} HTTP/1.1\r\nhost: playground\r\nauthorization: Bearer ${users[0]?.user.token}\r\n\r\n`);
  socket.on('data', (data: Buffer) => (text += data.toString('latin1').replaceAll(/x{9,}/g, '')));
  await until(() => text.includes('200 OK'), 'no answer came');
  socket.pause();
  return { socket, isClosed: () => closed, text: () => text };
}

test('a watch that is not read is closed once the history has gone on without it; one that is read has every event', async () => {
  const [silent, slow, reading] = [await openWatch(), await openWatch(), await openWatch()];
  reading.socket.resume();
  playground.server.put(large(0));
  for (let i = 1; i < 8; i++) playground.server.put(large(i));
  await aMoment(1_500);
  slow.socket.resume();
  await until(() => slow.text().includes('"i":"7"'), 'the slow one has not read on');
  // One after the other, so that who reads can.
  for (let i = 8; i <= MOST_MB; i++) {
    playground.server.put(large(i));
    for (const { text } of [slow, reading]) await until(() => text().includes(`"i":"${i}"`), `no event ${i}`);
  }
  // The server asks every second; and nothing tells a client that does not read that its connection is closed.
  await aMoment(2_500);
  silent.socket.resume();
  await until(silent.isClosed, 'the watch is still open');
  expect(silent.text()).not.toContain(`"i":"${MOST_MB}"`);
  for (const { socket, isClosed, text } of [slow, reading]) {
    expect(isClosed()).toBe(false);
    expect(text().match(/"type":"(ADDED|MODIFIED)","object":\{"apiVersion":"v1","kind":"ConfigMap"/g)).toHaveLength(MOST_MB + 1);
    socket.destroy();
  }
});
