import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/kube/clock.ts';
import { CommandTimeout } from '../../../src/kube/exec.ts';
import { type ExecFence, podExec } from '../../../src/kube/client/pod-exec.ts';
import { createCa, issue } from '../../../harness/control-plane/pki.ts';
import { until } from '../../support/manual-clock.ts';

/** A command that asked for its connection. */
interface Asked {
  readonly url: string | undefined;
  readonly socket: Socket;
  readonly open: () => void;
  readonly print: (text: string) => void;
  /** Ends the command well. */
  readonly succeed: () => void;
  /** Ends it with this text in place of a status. */
  readonly end: (text: string) => void;
  /** Ends it with an exit code, as a kubelet says it, when it has written something. */
  readonly fail: (code: number, said: string, output?: 'stdout' | 'stderr') => void;
}

// Loaded at the first command, which takes long where the disk is busy.
beforeAll(async () => void (await import('ws')), 120_000);

let server: ReturnType<typeof createServer>;
let asked: Asked[];
beforeEach(async () => {
  asked = [];
  server = createServer();
  server.on('upgrade', upgrade);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});
afterEach(() => {
  vi.useRealTimers();
  for (const { socket } of asked) socket.destroy();
  server.close();
});

function upgrade({ headers, url }: IncomingMessage, socket: Socket): void {
  socket.on('error', () => {});
  // Read, so that its end is seen; what is read is not answered.
  socket.resume();
  // RFC 6455 §4.2.2.
  const accept = createHash('sha1').update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  asked.push({
    url,
    socket,
    open: () =>
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n`,
      ),
    print: (text) => send(socket, 1, text),
    succeed: () => send(socket, 3, JSON.stringify({ status: 'Success' })),
    end: (text) => send(socket, 3, text),
    fail: (code, said, output = 'stderr') => {
      send(socket, output === 'stdout' ? 1 : 2, said);
      const message = `command terminated with non-zero exit code: command terminated with exit code ${code}`;
      const details = { causes: [{ reason: 'ExitCode', message: String(code) }] };
      send(socket, 3, JSON.stringify({ status: 'Failure', reason: 'NonZeroExitCode', message, details }));
    },
  });
}

/** One binary frame, on a channel of the command's. */
function send(socket: Socket, channel: number, text: string): void {
  const payload = Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);
  socket.write(Buffer.concat([Buffer.from([0x82, 126, payload.length >> 8, payload.length & 255]), payload]));
}

const run = (fence?: ExecFence, timeoutMs = 60_000, mostBytes?: number) => {
  const { port } = server.address() as AddressInfo;
  const exec = podExec({ server: `http://127.0.0.1:${port}`, insecureSkipTlsVerify: true }, fence);
  const answer = exec({ namespace: 'ml', pod: 'p', container: 'c' }, ['mount', '/a'], timeoutMs, mostBytes);
  // Looked at later.
  answer.catch(() => {});
  return answer;
};
const first = async (): Promise<Asked> => {
  await until(() => asked.length > 0, 'nothing was asked');
  return asked[0] as Asked;
};
const closed = ({ socket }: Asked) => until(() => socket.destroyed || socket.readableEnded, 'the connection stays open');

test('a command that ends well gives its output, and its connection back', async () => {
  const answer = run();
  const command = await first();
  command.open();
  const taken = new Promise<Buffer>((resolve) => command.socket.once('data', resolve));
  command.succeed();
  await expect(answer).resolves.toBe('');
  // A close frame: the server ends the connection when it has it.
  expect((await taken)[0]).toBe(0x88);
});

test('a command that prints more than it may loses its connection at once', async () => {
  const answer = run({}, 60_000, 10);
  const command = await first();
  command.open();
  command.print('0123456789');
  command.print('0');
  await expect(answer).rejects.toThrow('mount in ml/p printed more than 10 bytes');
  await closed(command);
});

test('of a command whose output nobody reads, too much is discarded', async () => {
  const answer = run();
  const command = await first();
  command.open();
  for (let i = 0; i < 4; i++) command.print('x'.repeat(32 << 10));
  command.succeed();
  await expect(answer).resolves.toHaveLength(64 << 10);
});

/** From here on only the deadlines of commands wait for what the test says. */
const fakeTimeouts = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

test('a command that could not begin in its time leaves no connection behind, and can begin no more', async () => {
  fakeTimeouts();
  const answer = run({}, 500);
  const command = await first();
  vi.advanceTimersByTime(500);
  await expect(answer).rejects.toThrow(new CommandTimeout('mount in ml/p took longer than 0.5 s', false));
  command.open();
  await closed(command);
});

test('a command that takes too long loses its connection at once, without asking the other side', async () => {
  fakeTimeouts();
  const answer = run({}, 500);
  const command = await first();
  command.open();
  vi.advanceTimersByTime(500);
  await expect(answer).rejects.toThrow('took longer');
  await closed(command);
});

test.each([
  ['', false],
  ['looks', true],
])('a command that printed “%s” and takes too long has printed something: %s', async (text, hasPrinted) => {
  fakeTimeouts();
  const answer = run({}, 500).catch((error: unknown) => error);
  const command = await first();
  command.open();
  command.print(text);
  // A ping, which is answered once all before it was read.
  const pong = once(command.socket, 'data');
  command.socket.write(Buffer.from([0x89, 0]));
  await pong;
  vi.advanceTimersByTime(500);
  expect(await answer).toMatchObject({ hasPrinted });
});

test('no command is begun after the deadline of the lease', async () => {
  const answer = run({ deadline: () => 1_000, clock: { ...systemClock, wall: () => 1_000 } });
  await expect(answer).rejects.toMatchObject({ name: 'NotLeader' });
  expect(asked).toEqual([]);
});

test('the deadline counts when the connection is opened, not when the command is asked for', async () => {
  let isLeader = true;
  const answer = run({ deadline: () => (isLeader ? 2_000 : 0), clock: { ...systemClock, wall: () => 1_000 } });
  isLeader = false;
  await expect(answer).rejects.toMatchObject({ name: 'NotLeader' });
  expect(asked).toEqual([]);
});

test.each(['before', 'after'] as const)('a command is given up when the lease is lost %s its connection is open', async (when) => {
  const leading = new AbortController();
  const answer = run({ signal: leading.signal });
  const command = await first();
  if (when === 'after') command.open();
  leading.abort(new Error('no longer leading'));
  await expect(answer).rejects.toThrow('no longer leading');
  await closed(command);
});

test.each(['stdout', 'stderr'] as const)('a command that fails is named with its exit code and what it said on %s', async (output) => {
  const answer = run();
  const { open, fail } = await first();
  open();
  fail(32, 'mount: /a: busy\n', output);
  await expect(answer).rejects.toThrow(/^mount in ml\/p ended with exit code 32: mount: \/a: busy$/);
});

test.each(['<html>', 'null'])('a command whose end is told by %s has failed, and the process goes on', async (text) => {
  const answer = run();
  const { open, end } = await first();
  open();
  end(text);
  await expect(answer).rejects.toThrow(`mount in ml/p failed: expected a v1.Status as JSON, found "${text}"`);
});

test('the words of a command reach the server as they are', async () => {
  const { port } = server.address() as AddressInfo;
  const words = ['sh', '-c', 'echo "$1" & ls; x=%41+é', '', ' &container=other'];
  const exec = podExec({ server: `http://127.0.0.1:${port}/behind/a/proxy` });
  exec({ namespace: 'ml', pod: 'p', container: 'c' }, words, 60_000).catch(() => {});
  const { pathname, searchParams } = new URL((await first()).url ?? '', 'http://server');
  expect(pathname).toBe('/behind/a/proxy/api/v1/namespaces/ml/pods/p/exec');
  expect(searchParams.getAll('command')).toEqual(words);
  expect(searchParams.getAll('container')).toEqual(['c']);
});

test('over TLS the server and the client are authenticated, and a later command resumes the session', async () => {
  const ca = await createCa(new Date());
  const theirs = await issue(ca, { user: 'server', hosts: ['127.0.0.1'] }, new Date());
  const mine = await issue(ca, { user: 'sluice' }, new Date());
  const resumed: boolean[] = [];
  const secure = createTlsServer({ key: theirs.key, cert: theirs.certificate, ca: ca.certificate, requestCert: true });
  secure.on('upgrade', (request, socket: TLSSocket) => {
    resumed.push(socket.isSessionReused());
    upgrade(request, socket);
    asked.at(-1)?.open();
    asked.at(-1)?.succeed();
  });
  await new Promise<void>((listening) => secure.listen(0, '127.0.0.1', listening));
  const at = { server: `https://127.0.0.1:${(secure.address() as AddressInfo).port}`, cert: mine.certificate, key: mine.key };
  const command = [{ namespace: 'ml', pod: 'p', container: 'c' }, ['true'], 60_000] as const;
  const exec = podExec({ ...at, ca: ca.certificate });
  expect(await exec(...command)).toBe('');
  expect(await exec(...command)).toBe('');
  await expect(podExec(at)(...command)).rejects.toThrow(/^true in ml\/p could not be started: .*certificate/);
  secure.close();
  expect(resumed).toEqual([false, true]);
});
