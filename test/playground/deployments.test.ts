import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { type Playground, startPlayground } from '../../src/playground/playground.ts';

let playground: Playground;
beforeAll(async () => {
  playground = await startPlayground({ manifests: [], nodes: 2, port: 0, onFault: (error) => expect.fail(String(error)) });
});
afterAll(() => playground.stop());

const labels = { app: 'web' };
const deployment = (image: string, replicas: number): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } } },
});
const images = () =>
  playground.server
    .all('Pod')
    .filter(({ metadata }) => !metadata.deletionTimestamp)
    .map(({ spec }) => (spec as { containers: readonly { image: string }[] }).containers[0]?.image);
const status = () => playground.server.get('Deployment', 'default', 'web')?.['status'];

test('a Deployment has the pods of its newest template, as many as it asks for, and takes them with it', async () => {
  playground.server.put(deployment('one', 2));
  await expect.poll(status).toMatchObject({ observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2 });
  expect(images()).toEqual(['one', 'one']);
  playground.server.put(deployment('two', 2));
  await expect.poll(status).toMatchObject({ observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2 });
  await expect.poll(images).toEqual(['two', 'two']);
  playground.server.put(deployment('two', 1));
  await expect.poll(status).toMatchObject({ observedGeneration: 3, replicas: 1, availableReplicas: 1 });
  expect(images()).toEqual(['two']);
  playground.server.delete('Deployment', 'default', 'web');
  await expect.poll(() => playground.server.all('ReplicaSet')).toEqual([]);
  await expect.poll(images).toEqual([]);
});
