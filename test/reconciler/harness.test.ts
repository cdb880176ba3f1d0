import { expect, test } from 'vitest';
import { exampleRuntime, openDataset, thinRuntime } from '../support/objects.ts';
import { boundHarness, demo, harness } from './harness.ts';

test('a dataset is bound, drift is mended, and deletion leaves nothing', async () => {
  const at = await harness();
  at.put(openDataset('demo'));
  at.put(thinRuntime('demo', { profileName: 'profile' }));
  await at.quiet();
  expect(at.server.get('Dataset', demo.namespace, demo.name)).toMatchObject({ status: { phase: 'Bound' } });
  at.forget();
  await at.advance(60_000);
  expect(at.written()).toEqual([]);
  at.put({ ...at.get('ConfigMap', 'demo-fuse-conf')!, data: { 'config.json': 'edited' } });
  await at.quiet();
  expect(at.written()).toEqual(['patch ConfigMap/demo-fuse-conf', 'apply ConfigMap/demo-fuse-conf']);
  at.delete('Dataset');
  await at.quiet();
  expect(
    at.server
      .all()
      .map(({ kind }) => kind)
      .filter((kind) => !['Node', 'Namespace', 'ThinRuntimeProfile'].includes(kind)),
  ).toEqual([]);
});

test('workers are mounted, labelled, and go', async () => {
  const at = await boundHarness([openDataset('demo'), exampleRuntime('demo', { replicas: 2 })]);
  expect(at.dataset().phase).toBe('Bound');
  expect(at.get('Node', 'node-1')?.metadata.labels).toHaveProperty('fluid.io/s-ml-demo', 'true');
  at.delete('ExampleRuntime');
  await at.quiet();
  expect(at.get('ExampleRuntime')).toBeUndefined();
  expect(Object.keys(at.get('Node', 'node-1')?.metadata.labels ?? {})).toEqual(['kubernetes.io/hostname']);
});
