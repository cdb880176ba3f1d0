import { Agent, request } from 'node:https';
import { connect } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { webhookNames } from '../../../src/api/webhook-names.ts';
import { silent } from '../../../src/kube/types.ts';
import { issue } from '../../../src/webhook/certificates/issue.ts';
import { type Pair, serveWebhook, type WebhookServer } from '../../../src/webhook/server/https-server.ts';
import { until } from '../../support/manual-clock.ts';

const HOST = 'fluid-pod-admission-webhook.fluid-system.svc';
const MOST = 20;

describe('pods that post to the port of the webhook themselves', () => {
  let first: Pair & { readonly authorities: readonly string[] };
  let server: WebhookServer;
  /** Admissions of others than 127.0.0.1, which wait for this. */
  let held: number;
  let release: () => void;
  const agents: Agent[] = [];
  beforeEach(async () => {
    const released = Promise.withResolvers<void>();
    [held, release] = [0, released.resolve];
    first = await issue({ older: [] }, [HOST, 'localhost'], Date.now());
    const admit = async (text: string) => {
      if (!text.startsWith('127.0.0.1')) {
        held++;
        await released.promise;
      }
      return { status: 200, body: 'x' };
    };
    server = await serveWebhook(0, first, new Map([[webhookNames.path, admit]]), silent, MOST);
  });
  afterEach(async () => {
    release();
    for (const agent of agents.splice(0)) agent.destroy();
    await server.stop();
  });
  const agentOf = () => {
    const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
    agents.push(agent);
    return agent;
  };
  /** The status, or the code of the error. */
  const ask = (localAddress: string, agent: Agent, body = localAddress) =>
    new Promise<string>((resolve) => {
      const tls = { ca: first.authorities.join(''), servername: HOST };
      const call = { host: '127.0.0.1', port: server.port, path: webhookNames.path, method: 'POST', agent, localAddress, ...tls };
      const asked = request(call, (answer) => answer.resume().on('end', () => resolve(String(answer.statusCode))));
      asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)).end(body);
    });

  test.each([false, true])('keep no API server out with admissions that wait (it is connected before: %s)', async (isConnected) => {
    const own = agentOf();
    if (isConnected) expect(await ask('127.0.0.1', own)).toBe('200');
    for (const peer of ['127.0.0.2', '127.0.0.3'])
      for (let i = 0, agent = agentOf(); i < MOST; i++) void ask(peer, agent, `{"namespace":"n${i}"}`);
    await until(() => held >= MOST - 1, 'held');
    for (let i = 0; i < 5; i++) expect(await Promise.all([ask('127.0.0.1', own), ask('127.0.0.1', own)])).toEqual(['200', '200']);
  });

  test('have no more requests of one namespace at once than others need room', async () => {
    const flood = Array.from({ length: 15 }, () => ask('127.0.0.2', agentOf(), '{"namespace":"flood"}'));
    const others = ['a', 'b'].map((name) => ask('127.0.0.2', agentOf(), `{"namespace":"${name}"}`));
    await until(() => held >= 10, 'held');
    release();
    expect((await Promise.all(flood)).toSorted()).toEqual([...Array(8).fill('200'), ...Array(7).fill('503')]);
    expect(await Promise.all(others)).toEqual(['200', '200']);
  });

  test('have one request of a connection in memory at a time', async () => {
    const socket = connect({ port: server.port, host: '127.0.0.1', ca: first.authorities.join(''), servername: HOST });
    socket.on('error', () => {});
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await new Promise((resolve) => socket.once('secureConnect', resolve));
    const body = 'x'.repeat(250_000);
    for (let i = 0; i < 50; i++)
      socket.write(`POST ${webhookNames.path} HTTP/1.1\r\nhost: ${HOST}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    await closed;
    expect(held).toBeLessThanOrEqual(2);
  });
});
