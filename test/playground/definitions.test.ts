import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { createClient, type KubeClient } from '../../src/kube/client/kube-client.ts';
import { type Playground, startPlayground } from '../../src/playground/playground.ts';
import { CRD } from '../api-server/suite/definitions.ts';
import { connectionOf } from './connection.ts';

let playground: Playground;
let client: KubeClient;
beforeAll(async () => {
  playground = await startPlayground({ manifests: [], nodes: 1, port: 0, onFault: (error) => expect.fail(String(error)) });
  client = createClient(connectionOf(playground), { fieldManager: 'owner' });
});
afterAll(async () => {
  await client.close();
  await playground.stop();
});

test('of a definition with a rule that is not known the types are still checked, and defaults come', async () => {
  const type = { group: 'fruit.example', version: 'v1', plural: 'apples', kind: 'Apple', namespaced: true };
  const spec = {
    type: 'object',
    properties: { size: { type: 'integer', default: 3 }, name: { type: 'string' } },
    'x-kubernetes-validations': [{ rule: "quantity('1Gi').isInteger()" }],
  };
  await client.create(CRD, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'apples.fruit.example' },
    spec: {
      group: type.group,
      names: { kind: type.kind, plural: type.plural },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }],
    },
  });
  const apple = (name: string, content: object): KubeObject => ({
    apiVersion: 'fruit.example/v1',
    kind: 'Apple',
    metadata: { name, namespace: 'default' },
    spec: content,
  });
  expect(await client.create(type, apple('a', { unknown: 1 }))).toMatchObject({ spec: { size: 3 } });
  await expect(client.create(type, apple('b', { size: 'large' }))).rejects.toMatchObject({ status: 422 });
});
