/** How `kubectl scale` and autoscalers read and write replicas; the answers are those of a real server (test/cluster/crds.test.ts). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resources } from '../../runtimes/_resources.gen.ts';
import { crdOf } from '../../src/api/index.ts';
import { createClient, type KubeClient } from '../../src/kube/client/kube-client.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { type Playground, startPlayground } from '../../src/playground/playground.ts';
import { kinds } from '../support/kinds.ts';
import { jfsRuntime } from '../support/objects.ts';
import { connectionOf } from './connection.ts';

let playground: Playground;
let client: KubeClient;
beforeAll(async () => {
  const manifests = resources.map((resource) => crdOf(resource) as unknown as KubeObject);
  playground = await startPlayground({ manifests, nodes: 1, port: 0, onFault: (error) => expect.fail(String(error)) });
  client = createClient(connectionOf(playground), { fieldManager: 'scaler' });
});
afterAll(async () => {
  await client.close();
  await playground.stop();
});

const at = (name: string) => ({ namespace: 'default', name });

test('a runtime is scaled where its definition says', async () => {
  const { metadata, ...runtime } = jfsRuntime('demo', { replicas: 1 });
  await client.create(kinds.JuiceFSRuntime, { ...runtime, metadata: { ...metadata, namespace: 'default' } });
  const path = '/apis/data.fluid.io/v1alpha1/namespaces/default/juicefsruntimes/demo/scale';
  expect(await client.raw('GET', path)).toMatchObject({ apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 1 }, status: {} });
  await client.raw('PATCH', path, { body: { spec: { replicas: 3 } }, contentType: 'application/merge-patch+json' });
  expect(await client.get(kinds.JuiceFSRuntime, at('demo'))).toMatchObject({ spec: { replicas: 3 }, metadata: { generation: 2 } });
  await expect(client.raw('PUT', path, { body: { metadata: { name: 'demo' }, spec: { replicas: -1 } } })).rejects.toMatchObject({
    status: 422,
  });
});

test('a StatefulSet says whom it selects, and one replica if it names none', async () => {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const metadata = { name: 'web', namespace: 'default' };
  await client.create(kinds.StatefulSet, {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata,
    spec: { selector: { matchLabels: labels }, template },
  });
  const path = '/apis/apps/v1/namespaces/default/statefulsets/web/scale';
  expect(await client.raw('GET', path)).toMatchObject({ spec: { replicas: 1 }, status: { selector: 'app=web' } });
  await client.raw('PATCH', path, { body: { spec: { replicas: 2 } }, contentType: 'application/merge-patch+json' });
  await expect.poll(() => client.get(kinds.StatefulSet, at('web'))).toMatchObject({ status: { readyReplicas: 2 } });
});

test('a kind without a scale is not found', async () => {
  await expect(client.raw('GET', '/api/v1/namespaces/default/configmaps/x/scale')).rejects.toMatchObject({ status: 404 });
});
