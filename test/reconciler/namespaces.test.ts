/** A controller of some namespaces, while another one, such as Fluid's, serves the others. */
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { openDataset, thinRuntime } from '../support/objects.ts';
import { type Harness, harness } from './harness.ts';

const others = (object: KubeObject): KubeObject => ({ ...object, metadata: { ...object.metadata, namespace: 'default' } });
const RUNTIME = thinRuntime('demo', { profileName: 'profile' });

/** The Dataset `demo` in both namespaces, of which the controller serves `ml`. */
async function bound(): Promise<Harness> {
  const at = await harness({ namespaces: ['ml'] });
  for (const object of [openDataset('demo'), RUNTIME]) {
    at.put(object);
    at.put(others(object));
  }
  await at.quiet();
  return at;
}
const inDefault = (at: Harness) => at.server.requests.filter(({ namespace }) => namespace === 'default');
const phaseInDefault = (at: Harness) => (at.server.get('Dataset', 'default', 'demo')?.['status'] as { phase?: string } | undefined)?.phase;

test('its Datasets are bound, and those of another namespace are neither read nor written', async () => {
  const at = await bound();
  expect(at.dataset().phase).toBe('Bound');
  expect(phaseInDefault(at)).toBeUndefined();
  expect(inDefault(at)).toEqual([]);
});

test('no list or watch of namespaced objects is of all namespaces (S15)', async () => {
  const at = await bound();
  const all = at.server.requests.filter(({ verb, namespace }) => (verb === 'list' || verb === 'watch') && namespace === undefined);
  expect(new Set(all.map(({ kind }) => kind))).toEqual(new Set(['Node', 'PersistentVolume', 'ThinRuntimeProfile']));
});

test('with several namespaces, the objects of each are seen, and a list of one does not hide those of another', async () => {
  const at = await harness({ namespaces: ['ml', 'default'] });
  for (const object of [openDataset('demo'), RUNTIME]) {
    at.put(object);
    at.put(others(object));
  }
  await at.quiet();
  expect([at.dataset().phase, phaseInDefault(at)]).toEqual(['Bound', 'Bound']);
  at.delete('DaemonSet', 'demo-fuse');
  at.server.remove('DaemonSet', 'default', 'demo-fuse');
  await at.quiet();
  expect(at.get('DaemonSet', 'demo-fuse')).toBeDefined();
  expect(at.server.get('DaemonSet', 'default', 'demo-fuse')).toBeDefined();
});

test('a volume that is left of a runtime in another namespace stays, with the label of Sluice too (S15)', async () => {
  const at = await harness({ namespaces: ['ml', 'default'] });
  for (const object of [openDataset('demo'), RUNTIME]) at.put(others(object));
  await at.quiet();
  at.kill();
  for (const kind of ['ThinRuntime', 'Dataset', 'PersistentVolumeClaim']) at.server.remove(kind, 'default', 'demo');
  at.controllers.settle();
  const volume = at.server.get('PersistentVolume', undefined, 'default-demo');
  expect(volume).toMatchObject({ metadata: { labels: { 'data.fluid.io/owner-uid': expect.any(String) } } });
  // Another process, of the other namespace alone.
  const later = await harness({
    namespaces: ['ml'],
    prepare(server) {
      const { resourceVersion: _, ...metadata } = volume!.metadata;
      server.put({ ...volume!, metadata });
    },
  });
  later.server.put({ ...later.server.get('PersistentVolume', undefined, 'default-demo')!, status: { phase: 'Released' } });
  await later.quiet();
  expect(later.server.get('PersistentVolume', undefined, 'default-demo')).toBeDefined();
  expect(later.written()).toEqual([]);
});

test('a reference to a Dataset of another namespace waits, and its message says why', async () => {
  const at = await harness({ namespaces: ['ml'] });
  at.put(others(openDataset('source')));
  at.put(openDataset('demo', { mounts: [{ mountPoint: 'dataset://default/source', name: 'r' }] }));
  await at.quiet();
  expect(at.conditions('ThinRuntime')['Synced']).toContain(
    'namespace default is not among those that this controller serves, so that Dataset default/source is not known',
  );
});
