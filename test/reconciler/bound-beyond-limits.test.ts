/** Limits hold for new specs: what is bound stays bound, and is repaired, also after a restart into a version whose limits are lower. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import * as write from '../support/objects.ts';
import { boundHarness } from './harness.ts';

const options = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`o${i}`, 'v']));
const mounts = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ mountPoint: `s3://b${i}`, name: `m${i}`, options: options(4) }));
/** 400 × 84 = 33,600 options, of which 32,768 are allowed. */
const BEYOND = { mounts: mounts(400), sharedOptions: options(80) };

/** Bound, by a controller that has no such limit, and whose last words are in the statuses. */
async function boundBeyond(reason = 'Synced') {
  const at = await boundHarness([write.openDataset('demo'), write.thinRuntime('demo', { profileName: 'profile' })]);
  await at.quiet();
  at.kill();
  at.edit('Dataset', BEYOND);
  // The cast: an object that was read.
  const dataset = at.get('Dataset') as KubeObject;
  at.put({ ...dataset, status: { ...at.dataset(), observedGeneration: dataset.metadata.generation } } as KubeObject);
  if (reason !== 'Synced') {
    const runtime = at.get('ThinRuntime') as KubeObject & { status: { conditions: { type: string }[] } };
    const conditions = runtime.status.conditions.map((each) => (each.type === 'Synced' ? { ...each, status: 'False', reason } : each));
    at.put({ ...runtime, status: { ...runtime.status, conditions } } as KubeObject);
  }
  at.delete('DaemonSet', 'demo-fuse');
  await at.restart();
  await at.quiet();
  return at;
}

describe('a bound Dataset whose specs are beyond a limit', () => {
  test.each(['Synced', 'WorkersNotReady'])('is repaired after a restart (%s)', async (reason) => {
    const at = await boundBeyond(reason);
    expect(at.get('DaemonSet', 'demo-fuse')).toBeDefined();
    expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^True/);
    expect(at.dataset()).toMatchObject({ phase: 'Bound' });
    at.delete('PersistentVolumeClaim');
    await at.restart();
    await at.quiet();
    expect(at.get('PersistentVolumeClaim')).toBeDefined();
  });
  test('is held to the limit by the next edit, and stays as it was, also after a restart', async () => {
    const at = await boundBeyond();
    at.edit('Dataset', { ...BEYOND, sharedOptions: options(90) });
    await at.quiet();
    expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^False InvalidSpec: .*spec\.sharedOptions: expected at most 32768 options/);
    at.delete('DaemonSet', 'demo-fuse');
    await at.restart();
    await at.quiet();
    expect(at.get('DaemonSet', 'demo-fuse')).toBeDefined();
    expect(at.conditions('ThinRuntime')['Synced']).toContain('the last valid plan stays in force');
  });
  test('is not followed if the last controller had refused it', async () => {
    const at = await boundBeyond('InvalidSpec');
    expect(at.get('DaemonSet', 'demo-fuse')).toBeUndefined();
    expect(at.conditions('ThinRuntime')['Synced']).toContain('no valid plan is remembered');
  });
});
