/** A running client is never taken from under an application by an edit: with the real DaemonSet controller. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/types.ts';
import { sharedControlPlane, simulated } from '../../support/test-cluster.ts';
import { openDataset, reader, thinRuntime } from '../../support/objects.ts';
import { condition, eventually, PROFILE, type Sluice, type Space, says, startSluice } from '../../support/sluice.ts';

describe.skipIf(!simulated)('an edit of where fuse pods may be', () => {
  let sluice: Sluice;
  let space: Space;
  let labels: Record<string, string>;
  beforeAll(async () => {
    sluice = await startSluice(sharedControlPlane());
    space = await sluice.space('placement');
    labels = { [`fluid.io/f-${space.namespace}-demo`]: 'true' };
    await space.create(openDataset('demo'), thinRuntime('demo', { profileName: PROFILE }));
    await space.bound('ThinRuntime', 'demo');
  });
  afterAll(async () => {
    for (const name of ['node-1', 'node-2']) await space?.patch('Node', name, { metadata: { labels: { disk: null } } });
    await sluice?.stop();
  });

  const on = (name: string, nodeName: string): KubeObject => {
    const pod = reader(name, 'demo');
    return { ...pod, spec: { ...(pod['spec'] as object), nodeName } };
  };
  const label = (name: string, more: Record<string, string | null> = {}) =>
    space.patch('Node', name, { metadata: { labels: { ...labels, ...more } } });
  /** Fuse pods by node, as `node uid`. */
  const clients = async () =>
    (await space.list('Pod'))
      .filter(({ metadata }) => metadata.labels?.['role'] === 'thin-fuse' && !metadata.deletionTimestamp)
      .map(({ metadata, spec }) => `${(spec as { nodeName: string }).nodeName} ${metadata.uid}`)
      .toSorted();
  const nodes = async () => (await clients()).map((client) => client.split(' ')[0]);
  const placement = async () => {
    const { spec } = await space.get('DaemonSet', 'demo-fuse');
    const { nodeSelector, affinity } = (spec as { template: { spec: { nodeSelector: object; affinity?: object } } }).template.spec;
    return { nodeSelector, affinity };
  };

  test('waits for pods that read unless the annotation says not to, and serves new nodes meanwhile', async () => {
    await space.create(on('training', 'node-0'));
    await label('node-0');
    await label('node-1');
    await eventually(async () => expect(await nodes()).toEqual(['node-0', 'node-1']));
    const [used = ''] = await clients();

    await space.patch('ThinRuntime', 'demo', { spec: { fuse: { nodeSelector: { disk: 'ssd' } } } });
    await space.becomes(
      'ThinRuntime',
      'demo',
      condition('PlacementWaiting', {
        status: 'True',
        reason: 'NodesInUse',
        message: says('node-0 (training)', 'data.fluid.io/fuse-placement: now'),
      }),
    );
    await space.becomes('ThinRuntime', 'demo', condition('Synced', { status: 'False', reason: 'PlacementWaiting' }));
    // No pod reads on node-1, so it is left at once; the new selector adds node-2.
    await label('node-2', { disk: 'ssd' });
    await eventually(async () => expect(await nodes()).toEqual(['node-0', 'node-2']));
    expect(await clients()).toContain(used);

    await space.delete('Pod', 'training');
    await space.bound('ThinRuntime', 'demo');
    await eventually(async () => expect(await nodes()).toEqual(['node-2']));
    expect(await placement()).toEqual({ nodeSelector: { ...labels, disk: 'ssd' }, affinity: undefined });
    expect(JSON.stringify((await space.get('ThinRuntime', 'demo'))['status'])).not.toContain('PlacementWaiting');

    // With the annotation it waits for no pod.
    await space.create(on('urgent', 'node-2'));
    await label('node-1', { disk: 'hdd' });
    await space.patch('ThinRuntime', 'demo', {
      metadata: { annotations: { 'data.fluid.io/fuse-placement': 'now' } },
      spec: { fuse: { nodeSelector: { disk: 'hdd' } } },
    });
    await eventually(async () => expect(await nodes()).toEqual(['node-1']));
    await space.bound('ThinRuntime', 'demo');
  });
});
