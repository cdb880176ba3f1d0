/** The simulated CSI plugin's effects on the cluster. */
import { expect, test } from 'vitest';
import { CustomResourceDefinition } from '../../src/api-server/kinds.ts';
import { createApiServer } from '../../src/api-server/index.ts';
import { createNodePlugin } from '../../src/playground/node-plugin.ts';
import { claim, pod, volume } from '../api-server/suite/objects.ts';
import { kinds } from '../support/kinds.ts';
import { datasetObject } from '../support/objects.ts';

test('clients of all Datasets of a pod start at once, as a kubelet mounts all volumes', () => {
  const server = createApiServer({ kinds: [kinds.Dataset] });
  const names = ['one', 'two'];
  server.put({ apiVersion: 'apiextensions.k8s.io/v1', kind: CustomResourceDefinition.kind, metadata: { name: 'datasets.data.fluid.io' } });
  server.put({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } });
  for (const name of names) {
    server.put({ ...datasetObject(name, {}), metadata: { name, namespace: 'ml' } });
    server.put({ ...volume(`ml-${name}`, 'ml', name), status: { phase: 'Bound' } });
    server.put({ ...claim('ml', name, `ml-${name}`), status: { phase: 'Bound' } });
  }
  const volumes = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const reader = server.put(pod('ml', 'reader', { nodeName: 'a', volumes }));
  expect(createNodePlugin(server).startClients(reader)).toEqual(names);
  expect(server.get('Node', undefined, 'a')?.metadata.labels).toMatchObject({ 'fluid.io/f-ml-one': 'true', 'fluid.io/f-ml-two': 'true' });
});
