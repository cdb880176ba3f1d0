/** Caches are cleaned once no pod writes into them any more. */
import { expect, test } from 'vitest';
import { exampleFileSystem } from '../support/example-exec.ts';
import { exampleRuntime, openDataset } from '../support/objects.ts';
import { boundHarness, type Harness } from './harness.ts';

async function withClient() {
  const files = exampleFileSystem();
  const cleaned: (readonly string[])[] = [];
  const at: Harness = await boundHarness([openDataset('demo'), exampleRuntime('demo', { replicas: 1 })], {
    async exec(target, argv, options) {
      if (argv[0] === 'rm') cleaned.push(clients(at));
      return files.exec(target, argv, options);
    },
  });
  const node = at.get('Node', 'node-1')!;
  at.put({ ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, 'fluid.io/f-ml-demo': 'true' } } });
  await at.quiet();
  expect(clients(at)).toHaveLength(1);
  return { at, cleaned };
}
const clients = (at: Harness) =>
  at.server
    .all()
    .filter(({ kind, metadata }) => kind === 'Pod' && metadata.labels?.['role'] === 'example-fuse')
    .map(({ metadata }) => metadata.name);

test('fuse pods are gone before the cache is cleaned', async () => {
  const { at, cleaned } = await withClient();
  at.delete('Dataset');
  await at.quiet();
  expect(cleaned).toEqual([[]]);
  expect(at.get('ExampleRuntime')).toBeUndefined();
});

test('a fuse pod that is never gone keeps nothing for longer than a minute', async () => {
  const { at, cleaned } = await withClient();
  at.controllers.paused.add('pods');
  at.delete('Dataset');
  await at.advance(50_000);
  expect(cleaned).toEqual([]);
  await at.advance(60_000);
  expect(cleaned).toHaveLength(1);
  expect(at.get('ExampleRuntime')).toBeUndefined();
});
