/** Strategic merge patches over the wire. What they do is compared with a real API server in test/cluster/strategic-merge.test.ts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient, type KubeClient } from '../../src/kube/client/kube-client.ts';
import { objectPath } from '../../src/kube/client/paths.ts';
import type { KubeObject, ResourceType } from '../../src/kube/types.ts';
import { type Playground, startPlayground } from '../../src/playground/playground.ts';
import { CRD, definitionOf } from '../api-server/suite/definitions.ts';
import { daemonSet, unique } from '../api-server/suite/objects.ts';
import { connectionOf } from './connection.ts';
import { types } from '../api-server/tables/given.ts';

let playground: Playground;
let client: KubeClient;
beforeAll(async () => {
  playground = await startPlayground({ manifests: [], nodes: 1, port: 0, onFault: (error) => expect.unreachable(String(error)) });
  client = createClient(connectionOf(playground), { fieldManager: 'tests' });
});
afterAll(async () => {
  await client.close();
  await playground.stop();
});
const patch = (type: ResourceType, { metadata }: KubeObject, body: unknown) =>
  client.raw('PATCH', objectPath(type, metadata), { body, contentType: 'application/strategic-merge-patch+json' });

test('a container is patched by its name, and the other stays', async () => {
  const containers = [
    { name: 'main', image: 'example.io/main:1' },
    { name: 'side', image: 'example.io/side:1' },
  ];
  const made = await client.create(types.DaemonSet, daemonSet('default', 'patched', { containers }));
  const order = { '$setElementOrder/containers': [{ name: 'side' }, { name: 'main' }] };
  const spec = { ...order, containers: [{ name: 'main', image: 'example.io/main:2' }] };
  expect(await patch(types.DaemonSet, made, { spec: { template: { spec } } })).toMatchObject({
    metadata: { generation: 2 },
    spec: { template: { spec: { containers: [containers[1], { name: 'main', image: 'example.io/main:2' }] } } },
  });
  const again = patch(types.DaemonSet, made, { spec: { template: { spec: { containers: [{ image: 'none' }] } } } });
  await expect(again).rejects.toThrow(/does not contain declared merge key: name/);
  await expect(patch(types.DaemonSet, made, ['none'])).rejects.toMatchObject({ status: 400 });
});

test('kinds that no schema of Sluice knows are patched too', async () => {
  const metadata = { name: unique('patched') };
  const hook = { clientConfig: { url: 'https://127.0.0.1:1/' }, sideEffects: 'None', admissionReviewVersions: ['v1'], rules: [] };
  const webhooks = ['a.example.io', 'b.example.io'].map((name) => ({ ...hook, name }));
  const type = types.MutatingWebhookConfiguration;
  const made = await client.create(type, { apiVersion: 'admissionregistration.k8s.io/v1', kind: type.kind, metadata, webhooks });
  expect(await patch(type, made, { webhooks: [{ name: 'b.example.io', timeoutSeconds: 3 }] })).toMatchObject({
    webhooks: [webhooks[0], { ...webhooks[1], timeoutSeconds: 3 }],
  });
  await client.delete(type, made.metadata);
});

test('custom resources have no such patches', async () => {
  const type = { group: `${unique('patched')}.example.io`, version: 'v1', plural: 'things', kind: 'Thing', namespaced: true };
  await client.create(CRD, definitionOf(type));
  const made = await client.create(type, { apiVersion: `${type.group}/v1`, kind: 'Thing', metadata: { name: 'a', namespace: 'default' } });
  await expect(patch(type, made, { spec: {} })).rejects.toMatchObject({ status: 415, reason: 'UnsupportedMediaType' });
});
