import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials, status as known } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CsiError, status } from '../../../src/csi/grpc/errors.ts';
import { type Call, type UnaryMethod, type UnaryServer, unaryServer } from '../../../src/csi/grpc/unary.ts';

let dir: string;
let socket: string;
let server: UnaryServer;
let client: Client;
/** The arguments of a method, once it was called. */
let called: Promise<Call>;
let onCall: (call: Call) => void;
let release: () => void;

const methods: Record<string, UnaryMethod> = {
  '/t.T/Echo': async (bytes) => bytes,
  '/t.T/Refuse': async () => {
    throw new CsiError(status.NOT_FOUND, ' 100 % weg:\nübel \u{1f600} \ud800 ');
  },
  '/t.T/Reject': async () => {
    throw new CsiError(status.INVALID_ARGUMENT, `found ${'漢'.repeat(100_000)}`);
  },
  '/t.T/Wait': (_, call) => {
    onCall(call);
    return new Promise(() => {});
  },
  '/t.T/Hold': (bytes, call) => {
    onCall(call);
    return new Promise((resolve) => {
      release = () => resolve(bytes);
    });
  },
  '/t.T/Fail': async () => {
    throw new TypeError('x is not a function');
  },
};

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'sluice-unary-'));
  socket = join(dir, 's.sock');
  called = new Promise((resolve) => {
    onCall = resolve;
  });
  server = unaryServer(new Map(Object.entries(methods)));
  await server.listen(socket);
  client = new Client(`unix://${socket}`, credentials.createInsecure());
});
afterEach(async () => {
  client.close();
  await server.stop(0);
  rmSync(dir, { recursive: true });
});

const same = (bytes: Buffer) => bytes;
/** gRPC's own client, as the kubelet's is. */
function ask(name: string, message = Buffer.alloc(0), timeoutMs = 60_000) {
  let cancel = () => {};
  const answered = new Promise<Buffer | undefined>((resolve, reject) => {
    const call = client.makeUnaryRequest(`/t.T/${name}`, same, same, message, { deadline: Date.now() + timeoutMs }, (error, answer) =>
      error ? reject(error) : resolve(answer),
    );
    cancel = () => call.cancel();
  });
  return { answered, cancel };
}

test.each([0, 1, 100_000, 3_000_000])('a message of %i bytes comes back whole', async (length) => {
  const message = Buffer.alloc(length, 'ab');
  expect((await ask('Echo', message).answered)?.equals(message)).toBe(true);
});

test('calls of one connection do not wait for one another', async () => {
  const waiting = ask('Wait');
  expect(await ask('Echo', Buffer.from('x')).answered).toEqual(Buffer.from('x'));
  waiting.cancel();
  await expect(waiting.answered).rejects.toMatchObject({ code: known.CANCELLED });
});

test('a refusal arrives with its code and its text', async () => {
  await expect(ask('Refuse').answered).rejects.toMatchObject({ code: known.NOT_FOUND, details: ' 100 % weg:\nübel \u{1f600} \ufffd ' });
  await expect(ask('Fail').answered).rejects.toMatchObject({ code: known.INTERNAL });
  await expect(ask('Nothing').answered).rejects.toMatchObject({ code: known.UNIMPLEMENTED });
  await expect(ask('Echo', Buffer.alloc(5_000_000)).answered).rejects.toMatchObject({ code: known.RESOURCE_EXHAUSTED });
});

test('of what is longer than a header may be, the beginning arrives', async () => {
  await expect(ask('Reject').answered).rejects.toMatchObject({
    code: known.INVALID_ARGUMENT,
    details: expect.stringMatching(/^found 漢{4000,}$/),
  });
});

test('a method learns of its deadline, and that it has passed', async () => {
  const before = Date.now();
  let found: Call | undefined;
  let answered = Promise.resolve<unknown>(undefined);
  // On a busy machine a deadline may pass on the way.
  for (let ms = 300; !found; ms *= 2) {
    ({ answered } = ask('Wait', undefined, ms));
    found = await Promise.race([called, answered.then(() => undefined).catch(() => undefined)]);
  }
  const { signal, deadline } = found;
  expect(deadline).toBeGreaterThan(before);
  expect(deadline).toBeLessThanOrEqual(before + 60_000);
  await expect(answered).rejects.toMatchObject({ code: known.DEADLINE_EXCEEDED });
  await expect.poll(() => signal.aborted).toBe(true);
});

test('the signal of a method is aborted when its caller cancels', async () => {
  const { answered, cancel } = ask('Wait');
  answered.catch(() => {});
  const { signal } = await called;
  expect(signal.aborted).toBe(false);
  cancel();
  await expect.poll(() => signal.aborted).toBe(true);
  expect((signal.reason as CsiError).code).toBe(status.CANCELLED);
});

test('stopping waits for calls under way', async () => {
  const { answered } = ask('Hold', Buffer.from('x'));
  await called;
  let stopped = false;
  const stopping = server.stop(60_000).then(() => {
    stopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(stopped).toBe(false);
  release();
  expect(await answered).toEqual(Buffer.from('x'));
  await stopping;
});

test('a stop waits for calls under way no longer than its limit', async () => {
  const { answered } = ask('Wait');
  answered.catch(() => {});
  await called;
  await server.stop(0);
  await expect(answered).rejects.toMatchObject({ code: known.UNAVAILABLE, details: 'the node plugin is shutting down: retry' });
});

test('stopping does not wait for who never ends the connection', async () => {
  const peer = connect({ path: socket, allowHalfOpen: true });
  await new Promise<void>((resolve) => peer.once('connect', resolve));
  await server.stop(50);
  peer.destroy();
});
