/** Commands in simulated pods. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Playground, startPlayground } from '../../src/playground/playground.ts';
import { createClient } from '../../src/kube/client/kube-client.ts';
import { connectionOf } from './connection.ts';

let playground: Playground;
beforeAll(async () => {
  playground = await startPlayground({ manifests: [], nodes: 1, port: 0, onFault: (error) => expect.fail(String(error)) });
  const containers = ['juicefs-fuse', 'sidecar'].map((name) => ({ name, image: 'i' }));
  const init = [{ name: 'init', image: 'i' }];
  playground.server.put({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'demo', namespace: 'default' },
    spec: { containers, initContainers: init },
  });
});
afterAll(() => playground.stop());

/** The text of each channel; or the answer that refused it. */
async function run(container: string, ...argv: readonly string[]): Promise<readonly string[]> {
  const { token } = (JSON.parse(playground.kubeconfig) as { users: readonly [{ user: { token: string } }] }).users[0].user;
  const query = [...argv.map((word) => `command=${word}`), ...(container ? [`container=${container}`] : [])].join('&');
  const url = `${playground.url.replace('https', 'wss')}/api/v1/namespaces/default/pods/demo/exec?${query}`;
  const socket = new WebSocket(url, ['v5.channel.k8s.io'], { rejectUnauthorized: false, headers: { authorization: `Bearer ${token}` } });
  const said = ['', '', '', ''];
  socket.on('message', (message: Buffer) => (said[message[0]!] += message.subarray(1).toString()));
  return new Promise((resolve, reject) => {
    socket.once('close', () => resolve(said.slice(1)));
    socket.once('error', reject);
    socket.once('unexpected-response', (_, response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString())).once('end', () => resolve([text]));
    });
  });
}

test('an answer says beside its output that it is recorded', async () => {
  expect(await run('juicefs-fuse', 'juicefs', 'version')).toEqual([
    '',
    'This answer is recorded: the pod is simulated, no program runs in it.\n',
    expect.stringContaining('Success'),
  ]);
  expect((await run('juicefs-fuse', 'vim'))[1]).toBe('vim: not found: this pod is simulated, no program runs in it\n');
});

test("a user's own shell shows the mounts of an Alluxio", async () => {
  const [mounts] = await run('sidecar', '/bin/sh', '-c', 'alluxio fs mount');
  expect(mounts).toMatch(/^\/underFSStorage {2}on {2}\/ /);
});

test('a container that the pod does not have is refused, as Kubernetes does', async () => {
  const [message] = await run('nope', 'ls');
  expect(JSON.parse(message ?? '')).toMatchObject({ code: 400, message: 'container nope is not valid for pod demo' });
  const [asked] = await run('', 'ls');
  expect(JSON.parse(asked ?? '')).toMatchObject({
    code: 400,
    message: 'a container name must be specified for pod demo, choose one of: [init juicefs-fuse sidecar]',
  });
});

test('so is its log', async () => {
  const client = createClient(connectionOf(playground), { fieldManager: 'test' });
  await expect(client.raw('GET', '/api/v1/namespaces/default/pods/demo/log?container=nope')).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('container nope is not valid for pod demo'),
  });
  await client.close();
});
