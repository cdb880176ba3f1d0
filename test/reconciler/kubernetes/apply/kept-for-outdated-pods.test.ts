import { expect, test } from 'vitest';
import { openDataset, thinRuntime } from '../../../support/objects.ts';
import { boundHarness } from '../../harness.ts';

test('a ConfigMap that running pods mount stays until they are gone, though the configuration is in a Secret by now', async () => {
  const env: Record<string, string> = {};
  const at = await boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })], { settings: { env } });
  const node = at.get('Node', 'node-1')!;
  at.put({ ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, 'fluid.io/f-ml-demo': 'true' } } });
  await at.quiet();
  const mounts = () => JSON.stringify(at.get('Pod', 'demo-fuse-node-1')?.['spec']);
  expect(mounts()).toContain('"configMap":{"defaultMode":292');

  env['THIN_FUSE_CONFIG_STORAGE'] = 'secret';
  await at.restart();
  await at.quiet();
  expect(at.get('Secret', 'demo-fuse-conf')).toBeDefined();
  expect(at.conditions('ThinRuntime')['PodsOutdated']).toContain('demo-fuse-node-1');
  expect(at.get('ConfigMap', 'demo-fuse-conf')).toBeDefined();

  at.delete('Pod', 'demo-fuse-node-1');
  await at.quiet();
  expect(mounts()).toContain('"secretName":"demo-fuse-conf"');
  expect(at.get('ConfigMap', 'demo-fuse-conf')).toBeUndefined();
  expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^True/);
});

test('an object that no pod can use is deleted at once', async () => {
  const at = await boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })]);
  const uid = at.get('ThinRuntime')?.metadata.uid ?? '';
  at.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'old', labels: { 'data.fluid.io/owner-uid': uid } } });
  await at.quiet();
  expect(at.get('ConfigMap', 'old')).toBeUndefined();
});

test('a ConfigMap stays for a pod of the older template that the watch does not show yet', async () => {
  const env: Record<string, string> = {};
  const at = await boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })], { settings: { env } });
  await at.pass(); // the queue stops
  env['THIN_FUSE_CONFIG_STORAGE'] = 'secret';
  await at.restart();
  at.server.hold('Pod');
  const node = at.get('Node', 'node-1')!;
  at.put({ ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, 'fluid.io/f-ml-demo': 'true' } } });
  await at.settle();
  expect(at.get('Pod', 'demo-fuse-node-1')).toBeDefined();
  for (let i = 0; i < 4; i++) await at.pass();
  expect(at.get('ConfigMap', 'demo-fuse-conf')).toBeDefined();
  at.server.release('Pod');
  at.delete('Pod', 'demo-fuse-node-1');
  await at.quiet();
  expect(at.get('ConfigMap', 'demo-fuse-conf')).toBeUndefined();
});

test('pods are listed before what they may use is pruned, and for nothing else', async () => {
  const at = await boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })]);
  const uid = at.get('ThinRuntime')?.metadata.uid ?? '';
  const lists = () => at.server.requestsThat({ verb: 'list', kind: 'Pod' }).length;
  const left = (kind: string) => at.put({ apiVersion: 'v1', kind, metadata: { name: 'old', labels: { 'data.fluid.io/owner-uid': uid } } });
  left('Service');
  await at.quiet();
  expect([at.get('Service', 'old'), lists()]).toEqual([undefined, 0]);
  left('ConfigMap');
  await at.quiet();
  expect([at.get('ConfigMap', 'old'), lists()]).toEqual([undefined, 1]);
});
