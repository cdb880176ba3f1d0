/** What a real API server refuses: it validates the templates of pods, which the one in memory does not. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jfsDataset, jfsRuntime, jfsSecret, openDataset, thinRuntime } from '../../support/objects.ts';
import { condition, eventually, PROFILE, type Sluice, says, startSluice } from '../../support/sluice.ts';
import { sharedControlPlane, simulated } from '../../support/test-cluster.ts';

describe.skipIf(!simulated).concurrent('trouble', () => {
  let sluice: Sluice;
  beforeAll(async () => {
    sluice = await startSluice(sharedControlPlane());
  });
  afterAll(() => sluice?.stop());

  const thin = (name = 'demo') => thinRuntime(name, { profileName: PROFILE });

  test('an object that the API server refuses is named with its reason, the others are made, and all is well once it is put right', async () => {
    const space = await sluice.space('trouble');
    await space.create(jfsSecret(), jfsDataset('demo'), jfsRuntime('demo', { podMetadata: { labels: { 'not a label': 'x' } } }));
    await space.becomes(
      'JuiceFSRuntime',
      'demo',
      condition('Synced', { status: 'False', reason: 'ApplyFailed', message: says('DaemonSet/demo-fuse', 'not a label') }),
    );
    await space.becomes('Dataset', 'demo', condition('NotReady', { status: 'True', message: says('not a label') }));
    await space.get('ConfigMap', 'demo-fuse-script');
    await space.patch('JuiceFSRuntime', 'demo', { spec: { podMetadata: null } });
    await space.bound('JuiceFSRuntime', 'demo');
  });

  test('an edit that the API server refuses, however often it is tried, is no conflict with another writer', async () => {
    const space = await sluice.space('trouble');
    await space.create(openDataset('demo'), thin());
    await space.bound('ThinRuntime', 'demo');
    await space.patch('ThinRuntime', 'demo', { spec: { fuse: { podMetadata: { labels: { 'not a label': 'x' } } } } });
    const failures = () =>
      sluice.log.filter((line) => line.includes('reconcile failed') && line.includes(`${space.namespace}/demo`)).length;
    await eventually(() => expect(failures()).toBeGreaterThanOrEqual(8));
    const refusal = { status: 'False', reason: 'ApplyFailed', message: says('DaemonSet/demo-fuse', 'not a label') };
    await space.becomes('ThinRuntime', 'demo', condition('Synced', refusal));
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound' } });
    await space.patch('ThinRuntime', 'demo', { spec: { fuse: { podMetadata: null } } });
    await space.bound('ThinRuntime', 'demo');
  });
});
