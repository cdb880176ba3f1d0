/** Objects of ours that somebody deletes, and that a finalizer of somebody else keeps: each is named, with the finalizer. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { jfsDataset, jfsRuntime, jfsSecret, openDataset, reader, thinRuntime } from '../support/objects.ts';
import { boundHarness, type Harness } from './harness.ts';
import { annotated, bound, load, statusOf } from './operations/given.ts';

const HOLD = 'example.com/hold';

/** Adds the finalizer, or removes it. */
function hold(at: Harness, kind: string, name: string, finalizers: readonly string[] = [HOLD]): void {
  const { metadata, ...object } = at.get(kind, name)!;
  const { resourceVersion: _, ...rest } = metadata;
  at.server.put({ ...object, metadata: { ...rest, finalizers } } as KubeObject);
}
const THIN = [openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })];
const KIND = 'ThinRuntime';

describe('of a runtime that serves', () => {
  test.each(['DaemonSet/demo-fuse', 'ConfigMap/demo-fuse-conf'])('%s', async (object) => {
    const at = await boundHarness(THIN);
    const [kind = '', name = ''] = object.split('/');
    hold(at, kind, name);
    at.delete(kind, name);
    await at.quiet();
    const message = `being deleted, and kept by finalizers: ${object} (${HOLD})`;
    expect(at.conditions(KIND)['Synced']).toBe(`False Deleting: ${message}`);
    expect(at.conditions('Dataset')['Ready']).toContain(message);
    expect(at.dataset().phase).toBe('Bound');
    at.forget();
    await at.advance(120_000);
    expect(at.written()).toEqual([]);
    hold(at, kind, name, []);
    await at.advance(15_000);
    expect(at.get(kind, name)?.metadata.deletionTimestamp).toBeUndefined();
    expect(at.conditions(KIND)['Synced']).toMatch(/^True/);
  });

  test('the StatefulSet of its workers', async () => {
    const at = await boundHarness([jfsSecret(), jfsDataset('demo'), jfsRuntime('demo')]);
    hold(at, 'StatefulSet', 'demo-worker');
    at.delete('StatefulSet', 'demo-worker');
    await at.quiet();
    expect(at.conditions('JuiceFSRuntime')['Synced']).toContain(`StatefulSet/demo-worker (${HOLD})`);
  });

  test('the claim, while a pod mounts it', async () => {
    const at = await boundHarness(THIN);
    at.put(reader('app', 'demo'));
    hold(at, 'PersistentVolumeClaim', 'demo', [HOLD, 'kubernetes.io/pvc-protection']);
    at.delete('PersistentVolumeClaim', 'demo');
    await at.quiet();
    expect(at.conditions(KIND)['Synced']).toMatch(new RegExp(`^False VolumePending: the claim is being deleted.*${HOLD}`));
    expect(at.conditions(KIND)['Synced']).not.toContain('kubernetes.io/pvc-protection');
  });

  test('the volume', async () => {
    const at = await boundHarness(THIN);
    hold(at, 'PersistentVolume', 'ml-demo', [HOLD, 'kubernetes.io/pv-protection']);
    at.delete('PersistentVolume', 'ml-demo');
    await at.quiet();
    expect(at.conditions(KIND)['Synced']).toMatch(new RegExp(`^False VolumePending: .*${HOLD}`));
    expect(at.conditions(KIND)['Synced']).not.toContain('kubernetes.io/pv-protection');
    hold(at, 'PersistentVolume', 'ml-demo', []);
    await at.advance(15_000);
    expect(at.get('PersistentVolume', 'ml-demo')?.metadata.deletionTimestamp).toBeUndefined();
    expect(at.conditions(KIND)['Synced']).toMatch(/^True/);
  });
});

test('of a runtime that is being deleted', async () => {
  const at = await boundHarness(THIN);
  hold(at, 'ConfigMap', 'demo-fuse-conf');
  at.delete(KIND, 'demo');
  await at.advance(60_000);
  expect(at.conditions(KIND)['Synced']).toContain(`ConfigMap/demo-fuse-conf (kept by finalizers: ${HOLD})`);
  hold(at, 'ConfigMap', 'demo-fuse-conf', []);
  await at.advance(60_000);
  expect(at.get(KIND, 'demo')).toBeUndefined();
});

describe('a runtime of which nothing is left but finalizers of others', () => {
  const BLOCK = 'example.com/block';
  const SAID = `deleted but for the finalizers of others: ${BLOCK}`;
  async function kept(): Promise<Harness> {
    const at = await boundHarness(THIN);
    hold(at, KIND, 'demo', [...(at.get(KIND)?.metadata.finalizers ?? []), BLOCK]);
    at.delete(KIND, 'demo');
    await at.quiet();
    return at;
  }
  test('says so, and so does its Dataset, once and for all', async () => {
    const at = await kept();
    await at.advance(60_000);
    expect(at.get(KIND)?.metadata.finalizers).toEqual([BLOCK]);
    expect([at.get('PersistentVolume', 'ml-demo'), at.get('DaemonSet', 'demo-fuse')]).toEqual([undefined, undefined]);
    expect(at.conditions(KIND)['Synced']).toBe(`False Deleting: ${SAID}`);
    expect(at.conditions('Dataset')['NotReady']).toBe(
      `True RuntimeDeleting: waiting until the earlier runtime of this name is deleted: ${KIND} demo (${SAID})`,
    );
    at.forget();
    await at.advance(600_000);
    expect(at.written()).toEqual([]);
  });
  test('is gone with them, and the next one serves', async () => {
    const at = await kept();
    await at.restart();
    hold(at, KIND, 'demo', []);
    at.put(thinRuntime('demo', { profileName: 'profile' }));
    await at.quiet();
    expect(at.dataset().phase).toBe('Bound');
    expect(at.conditions(KIND)['Synced']).toMatch(/^True/);
  });
});

describe('of an operation', () => {
  test('its Job while it runs', async () => {
    const at = await bound();
    at.put(load());
    await at.quiet();
    hold(at, 'Job', 'warm-loader-job');
    at.delete('Job', 'warm-loader-job');
    await at.quiet();
    expect(statusOf(at).conditions).toMatchObject([
      {
        type: 'Complete',
        status: 'False',
        reason: 'Deleting',
        message: `being deleted, and kept by finalizers: Job/warm-loader-job (${HOLD})`,
      },
    ]);
    hold(at, 'Job', 'warm-loader-job', []);
    await at.quiet();
    expect(statusOf(at)).toMatchObject({ phase: 'Executing', conditions: [] });
  });
  test('the Job of the run before', async () => {
    const at = await bound();
    at.put(load());
    await at.quiet();
    hold(at, 'Job', 'warm-loader-job');
    const job = at.get('Job', 'warm-loader-job') as KubeObject;
    const conditions = [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', lastTransitionTime: '2026-01-02T03:05:00Z' }];
    at.put({ ...job, status: { conditions, failed: 1 } } as KubeObject);
    await at.quiet();
    expect(statusOf(at).phase).toBe('Failed');
    at.forget();
    annotated(at, 'warm', { 'data.fluid.io/retry': '1' });
    await at.advance(200_000);
    const said = at.events.filter(({ reason }) => reason === 'Deleting');
    expect(said[0]?.note).toBe(`being deleted, and kept by finalizers: Job/warm-loader-job (${HOLD})`);
    hold(at, 'Job', 'warm-loader-job', []);
    await at.quiet();
    expect(statusOf(at).phase).toBe('Executing');
  });
  test.each(['Cron', 'Once'])('the CronJob of one that is %s now', async (policy) => {
    const at = await bound();
    at.put(load({ dataset: { name: 'demo' }, policy: 'Cron', schedule: '0 3 * * *' }));
    await at.quiet();
    hold(at, 'CronJob', 'warm-loader-job');
    if (policy === 'Cron') at.delete('CronJob', 'warm-loader-job');
    else at.edit('DataLoad', { dataset: { name: 'demo' }, policy: 'Once' }, 'warm');
    await at.advance(200_000);
    const message = `being deleted, and kept by finalizers: CronJob/warm-loader-job (${HOLD})`;
    expect(at.events.filter(({ reason }) => reason === 'Deleting')[0]?.note).toBe(message);
    if (policy === 'Cron')
      expect(statusOf(at).conditions).toMatchObject([{ type: 'Complete', status: 'False', reason: 'Deleting', message }]);
    hold(at, 'CronJob', 'warm-loader-job', []);
    await at.quiet();
    expect(statusOf(at)).toMatchObject({ phase: policy === 'Cron' ? 'Pending' : 'Executing', conditions: [] });
  });
});
