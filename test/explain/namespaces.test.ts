import { expect, test } from 'vitest';
import juicefs from '../../runtimes/juicefs/index.ts';
import { gather } from '../../src/explain/gather.ts';
import { createApiServer } from '../../src/api-server/index.ts';
import { kinds } from '../support/kinds.ts';
import { openDataset } from '../support/objects.ts';

test('without a namespace, the objects of all are read', async () => {
  const server = createApiServer({ kinds: [kinds.Dataset], namespaces: ['ml', 'web'] });
  for (const namespace of ['ml', 'web']) {
    const dataset = openDataset('demo');
    server.put({ ...dataset, metadata: { ...dataset.metadata, namespace } });
  }
  const client = server.client({ fieldManager: 'a-user' });
  const lists = {
    ...client,
    list: (...[type, options]: Parameters<typeof client.list>) => client.list(type, { ...options, fieldSelector: undefined }),
  };
  const names = async (namespace: string | undefined, asked: readonly string[]) =>
    (await gather(lists, [juicefs], namespace, asked)).objects.map(({ metadata }) => metadata.namespace);
  expect(await names('ml', [])).toEqual(['ml']);
  expect(await names(undefined, [])).toEqual(['ml', 'web']);
  expect(await names(undefined, ['demo'])).toEqual(['ml', 'web']);
  await expect(names(undefined, ['none'])).rejects.toThrow('in any namespace, found none that is called none');
});
