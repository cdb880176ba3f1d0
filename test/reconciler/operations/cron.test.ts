/** An operation with a schedule. Kubernetes creates its Jobs; here the test does. */
import { expect, test } from 'vitest';
import type { DataLoadSpec } from '../../../src/api/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import type { Harness } from '../harness.ts';
import { bound, ended, eventsOf, load, statusOf } from './given.ts';

const NAME = 'warm-loader-job';
const cron = (more: Partial<DataLoadSpec> = {}) => load({ dataset: { name: 'demo' }, policy: 'Cron', schedule: '0 3 * * *', ...more });

interface CronJob extends KubeObject {
  readonly spec: { readonly schedule: string; readonly jobTemplate: { readonly metadata: object; readonly spec: object } };
}
const cronJobOf = (at: Harness) => at.get('CronJob', NAME) as CronJob | undefined;

/** Kubernetes' CronJob controller at the scheduled time. */
async function fire(at: Harness, run: number): Promise<void> {
  const { apiVersion, kind, metadata, spec } = cronJobOf(at) as CronJob;
  const owner = { apiVersion, kind, name: NAME, uid: metadata.uid ?? '', controller: true };
  at.put({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { ...spec.jobTemplate.metadata, name: `${NAME}-${run}`, ownerReferences: [owner] },
    spec: spec.jobTemplate.spec,
  } as KubeObject);
  at.put({ ...(cronJobOf(at) as CronJob), status: { lastScheduleTime: `2026-01-02T0${run}:00:00Z` } } as KubeObject);
  await at.quiet();
}

test('it has a CronJob, and shows its latest Job', async () => {
  const at = await bound();
  at.put(cron());
  await at.quiet();
  expect(cronJobOf(at)?.spec.schedule).toBe('0 3 * * *');
  expect(JSON.stringify(cronJobOf(at))).not.toContain('demo-worker-0');
  expect(statusOf(at)).toMatchObject({ phase: 'Pending', duration: 'Unfinished', conditions: [] });
  expect(at.dataset()).not.toHaveProperty('operationRef');
  await at.advance(60_000);
  await fire(at, 1);
  expect(statusOf(at)).toMatchObject({ phase: 'Executing', lastScheduleTime: '2026-01-02T01:00:00Z' });
  expect(at.dataset().operationRef).toEqual({ DataLoad: 'warm' });
  await at.advance(10_000);
  await ended(at, 'Succeeded');
  expect(statusOf(at)).toMatchObject({
    phase: 'Complete',
    conditions: [{ type: 'Complete', status: 'True', reason: 'CompletionsReached' }],
  });
  // The duration of this run, not the time since the operation was created.
  expect(statusOf(at).duration).toMatch(/^1\ds$/);
  expect(at.dataset()).not.toHaveProperty('operationRef');
  at.forget();
  await at.quiet();
  expect(at.written()).toEqual([]);
  await at.advance(60_000);
  await fire(at, 2);
  expect(statusOf(at)).toMatchObject({ phase: 'Executing', duration: 'Unfinished', conditions: [] });
  for (let i = 0; i < 4; i++) await ended(at, 'Failed', 'no such path');
  expect(statusOf(at)).toMatchObject({ phase: 'Failed', lastScheduleTime: '2026-01-02T02:00:00Z' });
  expect(statusOf(at).conditions?.[0]?.message).toContain('no such path');
  expect(eventsOf(at)).toEqual(['DataOperationFailed']);
});

test('the CronJob follows edits of the operation and of the runtime, and is repaired', async () => {
  const at = await bound();
  at.put(cron());
  await at.quiet();
  at.edit('DataLoad', { schedule: '0 4 * * *' }, 'warm');
  await at.quiet();
  expect(cronJobOf(at)?.spec.schedule).toBe('0 4 * * *');
  at.edit('JuiceFSRuntime', { juicefsVersion: { image: 'example.io/juicefs', imageTag: 'v9' } });
  await at.quiet();
  expect(JSON.stringify(cronJobOf(at))).toContain('example.io/juicefs:v9');
  at.delete('CronJob', NAME);
  await at.quiet();
  expect(cronJobOf(at)).toBeDefined();
});

test('another operation waits while its Job runs, and does not wait for its next time', async () => {
  const at = await bound();
  at.put(cron());
  await at.quiet();
  at.put(load(undefined, 'once'));
  await at.quiet();
  expect(statusOf(at, 'once').phase).toBe('Executing');
  await ended(at, 'Succeeded', '', 'once');
  await fire(at, 1);
  at.put(load(undefined, 'next'));
  await at.quiet();
  expect(statusOf(at, 'next').conditions).toMatchObject([{ reason: 'WaitingForTurn' }]);
  await ended(at, 'Succeeded');
  expect(statusOf(at, 'next').phase).toBe('Executing');
});

test('a controller that starts again finds all as it is, and writes nothing', async () => {
  const at = await bound();
  at.put(cron());
  await at.quiet();
  await fire(at, 1);
  await ended(at, 'Succeeded');
  at.forget();
  at.kill();
  await at.restart();
  await at.quiet();
  expect(at.written()).toEqual([]);
  expect(statusOf(at).phase).toBe('Complete');
});

test('deleted, it takes its CronJob and its Jobs with it', async () => {
  const at = await bound();
  at.put(cron());
  await at.quiet();
  await fire(at, 1);
  at.delete('DataLoad', 'warm');
  await at.quiet();
  expect([at.get('DataLoad', 'warm'), cronJobOf(at), ...at.server.all('Job')]).toEqual([undefined, undefined]);
});

test('edited to run once, it loses its CronJob and runs', async () => {
  const at = await bound();
  at.put(cron());
  await at.quiet();
  at.edit('DataLoad', { policy: 'Once' }, 'warm');
  await at.quiet();
  expect(cronJobOf(at)).toBeUndefined();
  expect(at.get('Job', NAME)).toBeDefined();
  expect(statusOf(at).phase).toBe('Executing');
});

test('a CronJob that Fluid created goes on, with the Job that runs and the last one that ended', async () => {
  const at = await bound();
  at.kill();
  const times = { lastScheduleTime: '2026-01-02T03:00:00Z', lastSuccessfulTime: '2026-01-01T03:00:09Z' };
  const { metadata } = at.put({
    ...cron(),
    status: { phase: 'Executing', duration: 'Unfinished', conditions: [], ...times },
  } as KubeObject);
  const owned = (apiVersion: string, kind: string, name: string, uid = '') => ({
    ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
  });
  const spec = {
    template: {
      metadata: { labels: { cronjob: NAME } },
      spec: { containers: [{ name: 'dataloader', image: 'fluid/loader:1' }], restartPolicy: 'Never' },
    },
  };
  const fluids = at.put({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: NAME, ...owned('data.fluid.io/v1alpha1', 'DataLoad', 'warm', metadata.uid) },
    spec: { schedule: '0 3 * * *', concurrencyPolicy: 'Allow', jobTemplate: { spec } },
    status: times,
  } as KubeObject);
  for (const [name, status] of [
    ['1', { conditions: [{ type: 'Complete', status: 'True', reason: 'CompletionsReached' }] }],
    ['2', {}],
  ] as const)
    at.put({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: `${NAME}-${name}`, labels: { cronjob: NAME }, ...owned('batch/v1', 'CronJob', NAME, fluids.metadata.uid) },
      spec,
      status,
    } as KubeObject);
  // Without an owner, as helm left it.
  at.put({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'warm-loader-data-load-script',
      labels: { 'app.kubernetes.io/managed-by': 'Helm', 'fluid.io/managed-by': 'fluid', release: 'warm-loader', role: 'dataload-job' },
      annotations: { 'meta.helm.sh/release-name': 'warm-loader', 'meta.helm.sh/release-namespace': 'ml' },
    },
    data: { 'dataloader.load': 'of Fluid' },
  } as KubeObject);
  // A Job of another CronJob, in spite of its label.
  at.put({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'foreign', labels: { cronjob: NAME } }, spec } as KubeObject);
  await at.settle();
  await at.restart();
  await at.quiet();
  expect([cronJobOf(at)?.metadata.uid, cronJobOf(at)?.spec]).toMatchObject([fluids.metadata.uid, { concurrencyPolicy: 'Forbid' }]);
  expect(statusOf(at)).toMatchObject({ phase: 'Executing', ...times });
  expect(at.dataset().operationRef).toEqual({ DataLoad: 'warm' });
  await ended(at, 'Succeeded');
  expect(statusOf(at)).toMatchObject({ phase: 'Complete', conditions: [{ type: 'Complete', reason: 'CompletionsReached' }] });
  expect(at.get('Job', 'foreign')?.metadata.labels).toEqual({ cronjob: NAME });
  at.delete('DataLoad', 'warm');
  await at.quiet();
  expect([cronJobOf(at), ...at.server.all('Job').map((job) => job.metadata.name)]).toEqual([undefined, 'foreign']);
});

test('the Job is followed though the CronJob does not say yet that it was started', async () => {
  const at = await bound();
  at.put(cron());
  await at.quiet();
  const { apiVersion, kind, metadata, spec } = cronJobOf(at) as CronJob;
  const owner = { apiVersion, kind, name: NAME, uid: metadata.uid ?? '', controller: true };
  const job = { ...spec.jobTemplate.metadata, name: `${NAME}-1`, ownerReferences: [owner] };
  at.put({ apiVersion: 'batch/v1', kind: 'Job', metadata: job, spec: spec.jobTemplate.spec } as KubeObject);
  await at.quiet();
  expect(statusOf(at).phase).toBe('Executing');
  await ended(at, 'Succeeded');
  expect(statusOf(at).phase).toBe('Complete');
});

test('a Job that its user creates from the CronJob counts as a run', async () => {
  const at = await bound();
  at.put(cron());
  await at.quiet();
  const { apiVersion, kind, metadata, spec } = cronJobOf(at) as CronJob;
  // As `kubectl create job --from` does: an owner that is not the controller.
  const job = { ...spec.jobTemplate.metadata, name: 'now', ownerReferences: [{ apiVersion, kind, name: NAME, uid: metadata.uid ?? '' }] };
  at.put({ apiVersion: 'batch/v1', kind: 'Job', metadata: job, spec: spec.jobTemplate.spec } as KubeObject);
  await at.quiet();
  expect([statusOf(at).phase, at.dataset().operationRef]).toEqual(['Executing', { DataLoad: 'warm' }]);
});

test('a name too long for a CronJob fails it, with what it may have', async () => {
  const at = await bound();
  at.put({ ...cron(), metadata: { name: 'a'.repeat(42) } });
  at.put({ ...cron(), metadata: { name: 'b'.repeat(41) } });
  await at.quiet();
  expect(statusOf(at, 'a'.repeat(42)).conditions?.[0]).toMatchObject({
    reason: 'InvalidSpec',
    message: expect.stringContaining(
      'metadata.name: expected at most 41 characters with policy Cron, since <name>-loader-job is a CronJob',
    ) as string,
  });
  expect(at.server.all('CronJob').map(({ metadata }) => metadata.name)).toEqual([`${'b'.repeat(41)}-loader-job`]);
});
