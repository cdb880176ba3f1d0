/** Pods that help the Job of a parallel migration, and their keys, when no Job of it ends: they go all the same. */
import { expect, test } from 'vitest';
import type { DataMigrateSpec } from '../../../src/api/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { datasetObject, thinRuntime } from '../../support/objects.ts';
import type { Harness } from '../harness.ts';
import { annotated, bound, ended, eventsOf, load, statusOf } from './given.ts';

const CRON = { policy: 'Cron', schedule: '0 3 * * *' } as const;
const FORBIDDEN = { status: 403, reason: 'Forbidden' } as const;
const migrate = (spec: Partial<DataMigrateSpec> = {}, name = 'm'): KubeObject => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'DataMigrate',
  metadata: { name },
  spec: {
    from: { dataset: { name: 'src', namespace: 'ml' } },
    to: { dataset: { name: 'demo', namespace: 'ml' } },
    parallelism: 3,
    ...spec,
  },
});
/** Two Datasets that are bound. */
async function two(): Promise<Harness> {
  const at = await bound();
  at.put(datasetObject('src', { mounts: [{ mountPoint: 's3://x' }] }));
  at.put(thinRuntime('src', { profileName: 'profile' }));
  await at.quiet();
  expect(at.dataset('src').phase).toBe('Bound');
  return at;
}
async function migrating(spec: Partial<DataMigrateSpec> = {}): Promise<Harness> {
  const at = await two();
  at.put(migrate(spec));
  await at.quiet();
  return at;
}
const helpers = (at: Harness) =>
  ['Secret', 'Service', 'StatefulSet'].flatMap((kind) =>
    at.server.all(kind).flatMap(({ metadata }) => (metadata.name.startsWith('m-migrate') ? kind : [])),
  );
const ALL = ['Secret', 'Service', 'StatefulSet'];
const status = (at: Harness, name = 'm') => statusOf(at, name, 'DataMigrate');
const reason = (at: Harness, name = 'm') => status(at, name).conditions?.[0]?.reason;
const replicas = (at: Harness) =>
  (at.get('StatefulSet', 'm-migrate-workers') as (KubeObject & { spec: { replicas: number } }) | undefined)?.spec.replicas;

/** Kubernetes' CronJob controller at the scheduled time. */
async function fire(at: Harness): Promise<void> {
  const cronJob = at.get('CronJob', 'm-migrate-migrate') as KubeObject & { readonly spec: { readonly jobTemplate: KubeObject } };
  const { apiVersion, kind, metadata, spec } = cronJob;
  const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true }];
  const { jobTemplate } = spec;
  at.put({
    ...jobTemplate,
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { ...jobTemplate.metadata, name: 'm-migrate-migrate-1', ownerReferences },
  });
  await at.quiet();
}
async function fired(): Promise<Harness> {
  const at = await migrating(CRON);
  await fire(at);
  expect(replicas(at)).toBe(2);
  return at;
}

test('keep no Dataset after a scheduled Job that ran when the Dataset was deleted', async () => {
  const at = await fired();
  at.delete('Dataset', 'src');
  await at.advance(60_000);
  expect([at.get('Dataset', 'src') !== undefined, replicas(at)]).toEqual([true, 2]);
  await ended(at, 'Succeeded', '', 'm');
  await at.advance(120_000);
  expect(at.get('Dataset', 'src')).toBeUndefined();
});
test('keep no Dataset, nor its runtime, when the API server refuses the Job', async () => {
  const at = await two();
  at.server.rules.refuse({ verb: 'create', kind: 'Job' }, FORBIDDEN);
  at.put(migrate());
  await at.quiet();
  expect(replicas(at)).toBe(2);
  at.delete('ThinRuntime', 'src');
  await at.advance(120_000);
  expect(at.get('ThinRuntime', 'src')).toBeUndefined();
  at.delete('Dataset', 'src');
  await at.advance(120_000);
  expect(at.get('Dataset', 'src')).toBeUndefined();
});
test('keep no Dataset while their Job is paused', async () => {
  const at = await migrating();
  annotated(at, 'm', { 'data.fluid.io/paused': 'true' }, 'DataMigrate');
  await at.quiet();
  at.delete('Dataset', 'src');
  await at.advance(120_000);
  expect(at.get('Dataset', 'src')).toBeUndefined();
});
test('end with a scheduled Job although no worker is ready then', async () => {
  const at = await fired();
  at.controllers.unready.add('ml/demo-worker');
  await at.advance(10_000);
  await ended(at, 'Succeeded', '', 'm');
  await at.quiet();
  expect([status(at).phase, helpers(at)]).toEqual(['Complete', []]);
  at.controllers.unready.delete('ml/demo-worker');
  await at.advance(60_000);
  await at.edit('DataMigrate', { schedule: '0 4 * * *' }, 'm');
  await at.quiet();
  expect([helpers(at), replicas(at)]).toEqual([ALL, 0]);
});
test('go when the operation is refused after its Job was', async () => {
  const at = await two();
  at.server.rules.refuse({ verb: 'create', kind: 'Job' }, FORBIDDEN);
  at.put(migrate());
  await at.quiet();
  expect(helpers(at)).toEqual(ALL);
  at.edit('DataMigrate', { parallelOptions: { sshPort: '0' } }, 'm');
  await at.quiet();
  expect([status(at).phase, helpers(at)]).toEqual(['Failed', []]);
});
test('go when a schedule is no longer parallel, after the Job that needs them', async () => {
  const at = await fired();
  at.edit('DataMigrate', { parallelism: 1 }, 'm');
  await at.quiet();
  expect(helpers(at)).toEqual(ALL);
  await ended(at, 'Succeeded', '', 'm');
  expect([status(at).phase, helpers(at)]).toEqual(['Complete', []]);
});
test('go with the CronJob when the policy becomes Once', async () => {
  const at = await fired();
  await ended(at, 'Succeeded', '', 'm');
  at.edit('DataMigrate', { policy: 'Once' }, 'm');
  await at.quiet();
  expect([at.get('CronJob', 'm-migrate-migrate'), helpers(at)]).toEqual([undefined, []]);
});
test('take their keys with them although a user has deleted them before', async () => {
  const at = await migrating();
  at.delete('StatefulSet', 'm-migrate-workers');
  at.delete('Service', 'm-migrate-workers');
  await at.quiet();
  await ended(at, 'Succeeded', '', 'm');
  expect([status(at).phase, helpers(at)]).toEqual(['Complete', []]);
});
test('delay neither the end of the operation nor the next one while their deletion is refused, which an event reports', async () => {
  const at = await migrating();
  at.put(migrate({ parallelism: 1 }, 'next'));
  const rule = at.server.rules.refuse({ verb: 'delete', kind: 'StatefulSet' }, FORBIDDEN);
  await ended(at, 'Succeeded', '', 'm');
  await at.advance(60_000);
  expect([status(at).phase, status(at, 'next').phase]).toEqual(['Complete', 'Executing']);
  expect(eventsOf(at, 'DataMigrate')).toContain('DeleteFailed');
  rule.remove();
  at.kill();
  await at.restart();
  await at.quiet();
  expect(helpers(at)).toEqual([]);
});
test('are not waited for by others when their keys cannot be read, which the operation reports', async () => {
  const at = await two();
  const rule = at.server.rules.refuse({ verb: 'get', kind: 'Secret' }, FORBIDDEN);
  at.put(migrate());
  await at.advance(30_000);
  expect(reason(at)).toBe('LookupFailed');
  at.put(migrate({ parallelism: 1 }, 'next'));
  await at.advance(30_000);
  expect(status(at, 'next').phase).toBe('Executing');
  rule.remove();
});

test.each([
  ['suspended', { 'data.fluid.io/paused': 'true' }, undefined],
  ['resumed', { 'data.fluid.io/paused': 'true' }, { 'data.fluid.io/paused': undefined }],
] as const)('a Job that cannot be %s is reported', async (_, first, then) => {
  const at = await bound();
  at.put(load());
  await at.quiet();
  if (then) annotated(at, 'warm', first);
  await at.quiet();
  at.server.rules.refuse({ verb: 'patch', kind: 'Job' }, FORBIDDEN);
  annotated(at, 'warm', then ?? first);
  await at.advance(60_000);
  expect(statusOf(at).conditions?.[0]?.reason).toBe('UpdateFailed');
  expect(eventsOf(at)).toContain('UpdateFailed');
});
test('a Job that cannot be deleted with its operation is reported', async () => {
  const at = await bound();
  at.put(load());
  await at.quiet();
  at.server.rules.refuse({ verb: 'delete', kind: 'Job' }, FORBIDDEN);
  at.delete('DataLoad', 'warm');
  await at.advance(60_000);
  expect(eventsOf(at)).toContain('DeleteFailed');
});
test('Jobs of a schedule that cannot be listed when Fluid’s is taken over are reported', async () => {
  const at = await bound();
  at.kill();
  const { metadata } = at.put({
    ...load({ dataset: { name: 'demo' }, ...CRON }),
    status: { phase: 'Pending', duration: 'Unfinished', conditions: [] },
  } as KubeObject);
  const ownerReferences = [
    { apiVersion: 'data.fluid.io/v1alpha1', kind: 'DataLoad', name: 'warm', uid: metadata.uid ?? '', controller: true },
  ];
  const template = { spec: { containers: [{ name: 'c', image: 'i:1' }], restartPolicy: 'Never' } };
  at.put({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'warm-loader-job', ownerReferences },
    spec: { schedule: CRON.schedule, jobTemplate: { spec: { template } } },
  } as KubeObject);
  await at.restart();
  at.server.rules.refuse(
    { verb: 'list', kind: 'Job', when: ({ options }) => String(options['labelSelector']).startsWith('cronjob=') },
    FORBIDDEN,
  );
  await at.advance(60_000);
  expect(statusOf(at).conditions?.[0]?.reason).toBe('UpdateFailed');
});
test('a retry that a schedule does not follow is reported once, and is no wish for a run after an edit to Once', async () => {
  const at = await fired();
  await ended(at, 'Succeeded', '', 'm');
  annotated(at, 'm', { 'data.fluid.io/retry': '1' }, 'DataMigrate');
  await at.quiet();
  for (const x of ['1', '2', '3']) {
    annotated(at, 'm', { x }, 'DataMigrate');
    await at.quiet();
  }
  expect(eventsOf(at, 'DataMigrate').filter((each) => each === 'SpecPartlyIgnored')).toHaveLength(1);
  at.edit('DataMigrate', { policy: 'Once' }, 'm');
  await at.quiet();
  expect([status(at).phase, at.server.all('Job')]).toEqual(['Complete', []]);
});

test('that a quota refuses are said by the operation, and by what runs after it, until they are there', async () => {
  const at = await two();
  at.controllers.paused.add('statefulsets');
  at.put(migrate());
  at.put(load({ dataset: { name: 'demo', namespace: 'ml' }, runAfter: { kind: 'DataMigrate', name: 'm' } }));
  await at.quiet();
  const { uid } = at.get('StatefulSet', 'm-migrate-workers')!.metadata;
  const event = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'refused' }, involvedObject: { uid }, reason: 'FailedCreate' };
  at.put({ ...event, message: 'exceeded quota: small' } as KubeObject);
  expect(statusOf(at).conditions?.[0]?.message).toBe('waiting for DataMigrate ml/m to complete');
  await at.advance(60_000);
  const message = 'StatefulSet m-migrate-workers has 0 of 2 pods: exceeded quota: small';
  const condition = { type: 'Complete', status: 'False', reason: 'NoPods', message };
  expect(status(at)).toMatchObject({ phase: 'Executing', conditions: [condition] });
  expect(statusOf(at).conditions?.[0]).toMatchObject({
    reason: 'DataOperationWaiting',
    message: 'waiting for DataMigrate ml/m to complete: it runs, but Kubernetes does not create its pods: see its condition Complete',
  });
  at.forget();
  await at.advance(300_000);
  expect(at.written()).toEqual([]);
  expect(at.server.requestsThat({ verb: 'list', kind: 'Event' }).length).toBeLessThanOrEqual(5);
  at.controllers.paused.delete('statefulsets');
  at.put({ ...(at.get('StatefulSet', 'm-migrate-workers') as KubeObject) });
  await at.quiet();
  expect(status(at)).toMatchObject({ phase: 'Executing', conditions: [] });
  expect(statusOf(at).conditions?.[0]?.message).toBe('waiting for DataMigrate ml/m to complete');
});

test('are not missed by a run of a schedule that has begun, though their StatefulSet is from days ago', async () => {
  const at = await migrating(CRON);
  await at.advance(3_600_000);
  at.controllers.paused.add('statefulsets');
  await fire(at);
  expect(replicas(at)).toBe(2);
  await at.advance(50_000);
  expect(status(at)).toMatchObject({ phase: 'Executing', conditions: [] });
  expect(eventsOf(at, 'DataMigrate')).not.toContain('NoPods');
  await at.advance(11_000);
  expect(reason(at)).toBe('NoPods');
});
