/** Requests that no client of Kubernetes sends: each is answered as a fault of the client, and the server goes on. */
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resources } from '../../runtimes/_resources.gen.ts';
import { crdOf } from '../../src/api/index.ts';
import { createClient, type KubeClient } from '../../src/kube/client/kube-client.ts';
import type { KubeObject, ResourceType } from '../../src/kube/types.ts';
import { CRD, definitionOf } from '../api-server/suite/definitions.ts';
import { type Playground, startPlayground } from '../../src/playground/playground.ts';
import { kinds } from '../support/kinds.ts';
import { connectionOf } from './connection.ts';

let playground: Playground;
let client: KubeClient;
const faults: unknown[] = [];
beforeAll(async () => {
  const manifests = resources.map((resource) => crdOf(resource) as unknown as KubeObject);
  playground = await startPlayground({ manifests, nodes: 1, port: 0, onFault: (error) => faults.push(error) });
  client = createClient(connectionOf(playground), { fieldManager: 'hostile' });
  await client.create(kinds.ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } });
});
afterAll(async () => {
  await client.close();
  await playground.stop();
});

const core = '/api/v1/namespaces/default';
const maps = `${core}/configmaps`;
const apps = '/apis/apps/v1/namespaces/default';
const merge = 'application/merge-patch+json';
const operations = 'application/json-patch+json';
const apply = 'application/apply-patch+yaml';

function nested(levels: number): object {
  let made = {};
  for (let level = 0; level < levels; level++) made = { a: made };
  return made;
}

test.each<[method: 'POST' | 'PUT' | 'PATCH' | 'GET' | 'DELETE', path: string, body: unknown, contentType?: string]>([
  ['POST', maps, null],
  ['POST', maps, []],
  ['POST', maps, { metadata: null }],
  ['POST', maps, { metadata: { name: 5 } }],
  ['POST', maps, { metadata: { name: '../x' } }],
  ['POST', maps, { metadata: { name: 'b', labels: [1], ownerReferences: 'x', finalizers: 5 } }],
  ['POST', maps, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'c' } }],
  ['POST', maps, { metadata: { name: 'c', namespace: 'kube-system' } }],
  ['POST', `${core}/secrets`, { metadata: { name: 's' }, stringData: { yes: true } }],
  ['PUT', `${maps}/a`, { metadata: { name: 'zz' } }],
  ['PATCH', `${maps}/a`, 5, merge],
  ['PATCH', `${maps}/a`, { metadata: null }, merge],
  ['PATCH', `${maps}/a`, { metadata: { name: 'q', namespace: 'kube-system' } }, merge],
  ['PATCH', `${maps}/a`, { metadata: { labels: { a: 5 } } }, merge],
  ['PATCH', `${maps}/a`, {}, operations],
  ['PATCH', `${maps}/a`, [{ op: 'add' }], operations],
  ['PATCH', `${maps}/a?fieldManager=x`, 5, apply],
  ['PATCH', `${maps}/a?fieldManager=x`, { metadata: { name: 'other' } }, apply],
  ['PATCH', `${maps}/a`, 'x', 'text/plain'],
  ['GET', `${maps}?labelSelector=%3D%3D%3D`, undefined],
  ['GET', `${maps}?limit=abc`, undefined],
  ['GET', `${maps}?watch=1&resourceVersion=abc`, undefined],
  ['GET', '/api/v1/namespaces/%zz/pods', undefined],
  ['DELETE', maps, undefined],
  ['DELETE', core, undefined],
  ['DELETE', `${maps}/a`, { propagationPolicy: 'Sideways' }],
  ['PATCH', `${maps}/a`, Array.from({ length: 11 }, (_, i) => ({ op: 'copy', from: '', path: `/${i}` })), operations],
  ['PATCH', `${maps}/a`, { data: { deep: nested(1_000) } }, merge],
  ['POST', `${apps}/deployments`, { metadata: { name: 'd' }, spec: { selector: {}, template: { spec: nested(1_000) } } }],
  ['POST', `${core}/pods`, { metadata: { name: 'p' } }],
  ['POST', `${core}/pods`, { metadata: { name: 'p' }, spec: { containers: 5 } }],
  ['POST', `${apps}/statefulsets`, { metadata: { name: 's' } }],
  [
    'POST',
    `${apps}/statefulsets`,
    {
      metadata: { name: 's' },
      spec: {
        replicas: 1.5,
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [] } },
      },
    },
  ],
  ['POST', `${apps}/daemonsets`, { metadata: { name: 's' }, spec: { template: 5 } }],
  ['POST', '/apis/batch/v1/namespaces/default/jobs', { metadata: { name: 's' }, spec: null }],
  ['POST', '/api/v1/persistentvolumes', { metadata: { name: 's' } }],
  ['POST', '/api/v1/nodes', { metadata: { name: 's' }, spec: { taints: 5 } }],
  ['POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { metadata: { name: 's' } }],
  ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', 5],
  ['POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', []],
  ['POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', undefined],
  ['POST', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', { metadata: { name: 's' }, webhooks: [5] }],
])('%s %s %j is refused', async (method, path, body, contentType) => {
  const answered = client.raw(method, path, { ...(body !== undefined && { body }), ...(contentType && { contentType }) });
  const { status } = await answered.then(
    () => ({ status: 200 }),
    (error: { status: number }) => error,
  );
  expect([400, 403, 404, 405, 413, 415, 422]).toContain(status);
  expect(faults).toEqual([]);
  // Requests for objects are still served.
  const name = `after-${Math.round(performance.now() * 1000)}`;
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  };
  await client.create(kinds.Pod, pod);
  await expect
    .poll(async () => (await client.get(kinds.Pod, { namespace: 'default', name }))['status'])
    .toMatchObject({ phase: 'Running' });
  await client.delete(kinds.Pod, { namespace: 'default', name });
});

const containers = [{ name: 'c', image: 'i' }];
const running = async (name: string): Promise<void> => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' }, spec: { containers } };
  await client.create(kinds.Pod, pod);
  await expect
    .poll(async () => (await client.get(kinds.Pod, { namespace: 'default', name }))['status'])
    .toMatchObject({ phase: 'Running' });
};

test('a workload of thousands of pods is made beside other requests', async () => {
  const labels = { app: 'big' };
  const template = { metadata: { labels }, spec: { containers } };
  const spec = { replicas: 20_000, selector: { matchLabels: labels }, template };
  const big = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'big', namespace: 'default' }, spec };
  await client.create(kinds.StatefulSet, big);
  await expect.poll(() => playground.server.all('Pod').length).toBeGreaterThan(100);
  await client.get(kinds.StatefulSet, big.metadata);
  expect(playground.server.all('Pod').length).toBeLessThan(15_000);
  await client.delete(kinds.StatefulSet, big.metadata);
  await expect.poll(() => playground.server.all('Pod'), { timeout: 20_000 }).toEqual([]);
});

test('an object that no controller can read is said once, and stops no other', async () => {
  const nodeSelectorTerms = [{ matchExpressions: [{ key: 'a', operator: 'Near' }] }];
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
  const metadata = { name: 'aaa', namespace: 'default' };
  await client.create(kinds.Pod, { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers, affinity } });
  await client.create(kinds.DaemonSet, {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata,
    spec: { selector: { matchLabels: { app: 'a' } }, template: { metadata: { labels: { app: 'a' } }, spec: { containers, affinity } } },
  });
  await running('beside');
  expect(faults.splice(0).map(String).toSorted()).toEqual([
    'Error: DaemonSet default/aaa: expected an operator of node affinity, found Near',
    'Error: Pod default/aaa: expected an operator of node affinity, found Near',
  ]);
});

test('a definition may name its kind as Kubernetes names one: both are served, and what acts on pods goes on', async () => {
  const type: ResourceType = { group: 'hostile.example', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
  await client.create(CRD, definitionOf(type));
  const theirs = { apiVersion: 'hostile.example/v1', kind: 'Pod', metadata: { name: 'theirs', namespace: 'default' }, spec: {} };
  await client.create(type, theirs);
  await running('ours');
  const gone = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'gone' };
  await client.create(type, { ...theirs, metadata: { ...theirs.metadata, name: 'orphan', ownerReferences: [gone] } } as KubeObject);
  await expect.poll(async () => (await client.list(type)).items.map(({ metadata }) => metadata.name)).toEqual(['theirs']);
  await client.delete(CRD, { name: 'pods.hostile.example' });
  await running('after');
  await expect(client.list(type)).rejects.toMatchObject({ status: 404 });
  expect(faults).toEqual([]);
});

const tens = '[0,1,2,3,4,5,6,7,8,9]';
const loops = [...'abcdefghi'].reduce((rule, name) => `${tens}.all(${name}, ${rule})`, 'self.a != ""');
test.each<[what: string, schema: object]>([
  ['a pattern that goes back and forth', { properties: { a: { type: 'string', pattern: '^([a-z]+)*$' } } }],
  ['one in a rule', { 'x-kubernetes-validations': [{ rule: "self.a.matches('^([a-z]+)*$')" }] }],
  ['a rule of a billion steps', { 'x-kubernetes-validations': [{ rule: loops }] }],
])('%s in a definition is given up after two seconds', async (_, of) => {
  const type: ResourceType = { group: 'slow.example', version: 'v1', plural: 'slows', kind: 'Slow', namespaced: true };
  const spec = { type: 'object', properties: { a: { type: 'string' } }, ...of };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const definition = definitionOf(type) as unknown as { spec: { versions: readonly object[] } };
  const versions = definition.spec.versions.map((version) => ({ ...version, schema }));
  await client.create(CRD, { ...definition, spec: { ...definition.spec, versions } } as unknown as KubeObject);
  const slow = {
    apiVersion: 'slow.example/v1',
    kind: 'Slow',
    metadata: { name: 's', namespace: 'default' },
    spec: { a: `${'a'.repeat(60)}!` },
  };
  await expect(client.create(type, slow)).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('take more than 2000 ms'),
  });
  await client.get(kinds.ConfigMap, { namespace: 'default', name: 'a' });
  await client.delete(CRD, { name: 'slows.slow.example' });
  expect(faults).toEqual([]);
});

test('a definition of a kind that Kubernetes has changes nothing', async () => {
  const type: ResourceType = { group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment', namespaced: true };
  await client.create(CRD, definitionOf(type));
  await client.list(kinds.StatefulSet);
  await client.delete(CRD, { name: 'deployments.apps' });
  expect((await client.list(type)).items).toEqual([]);
});

test.each([
  ['a path that is no address', '//', ''],
  ['a path that is not served', '/api/v1/namespaces/default/pods/shell/portforward', 'x'.repeat(100_000)],
  ['a frame that is none', '/api/v1/namespaces/default/pods/NAME/exec?command=ls', '\xff'.repeat(8)],
])('a WebSocket may have %s', async (_, path, sent) => {
  const metadata = { name: `shell-${Math.round(performance.now() * 1000)}`, namespace: 'default' };
  await client.create(kinds.Pod, { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } });
  const { users, clusters } = JSON.parse(playground.kubeconfig) as {
    users: readonly { user: { token: string } }[];
    clusters: readonly { cluster: { 'certificate-authority-data': string } }[];
  };
  const ca = Buffer.from(clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64');
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(playground.url).port), ca });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  const lines = [
    `GET ${path.replace('NAME', metadata.name)} HTTP/1.1`,
    'host: playground',
    'connection: upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    `sec-websocket-key: ${Buffer.alloc(16).toString('base64')}`,
    `authorization: Bearer ${users[0]?.user.token}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  socket.on('data', () => socket.write(Buffer.from(sent, 'latin1')));
  await closed;
  await client.delete(kinds.Pod, metadata);
});
