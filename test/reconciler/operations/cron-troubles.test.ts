/** An operation with a schedule, when its policy is edited at an awkward moment, or writes are refused. */
import { expect, test } from 'vitest';
import type { DataLoadSpec } from '../../../src/api/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { openDataset, thinRuntime } from '../../support/objects.ts';
import { boundHarness, type Harness } from '../harness.ts';
import { bound, ended, load, running, statusOf } from './given.ts';

const NAME = 'warm-loader-job';
const CRON = { policy: 'Cron', schedule: '0 3 * * *' } as const;
const cron = (more: Partial<DataLoadSpec> = {}) => load({ dataset: { name: 'demo' }, ...CRON, ...more });

/** Kubernetes' CronJob controller at the scheduled time. */
async function fire(at: Harness, run = 1): Promise<void> {
  const cronJob = at.get('CronJob', NAME) as KubeObject & { readonly spec: { readonly jobTemplate: KubeObject } };
  const { apiVersion, kind, metadata } = cronJob;
  const { jobTemplate } = cronJob.spec;
  const owner = { apiVersion, kind, name: NAME, uid: metadata.uid ?? '', controller: true };
  const name = `${NAME}-${run}`;
  at.put({ ...jobTemplate, apiVersion: 'batch/v1', kind: 'Job', metadata: { ...jobTemplate.metadata, name, ownerReferences: [owner] } });
  at.put({ ...cronJob, status: { lastScheduleTime: `2026-01-02T0${run}:00:00Z` } } as KubeObject);
  await at.quiet();
}
/** An operation whose first scheduled Job has ended. */
async function fired(phase: 'Succeeded' | 'Failed'): Promise<Harness> {
  const at = await bound();
  at.put(cron());
  await at.quiet();
  await fire(at);
  for (let i = 0; i < (phase === 'Failed' ? 4 : 1); i++) await ended(at, phase, 'no such path');
  return at;
}

test.each(['running', 'dead'])('edited to run once after a Job was complete, it loses its CronJob: the controller is %s', async (state) => {
  const at = await fired('Succeeded');
  if (state === 'dead') at.kill();
  at.edit('DataLoad', { policy: 'Once' }, 'warm');
  if (state === 'dead') await at.restart();
  await at.quiet();
  expect(at.get('CronJob', NAME)).toBeUndefined();
  expect(statusOf(at).phase).toBe('Complete');
});

test('given a schedule while its Job runs, it runs on, and others wait for it; then the Job gives way to the CronJob', async () => {
  const at = await running();
  at.edit('DataLoad', CRON, 'warm');
  at.put(load(undefined, 'next'));
  await at.quiet();
  expect([statusOf(at).phase, statusOf(at, 'next').phase]).toEqual(['Executing', 'Pending']);
  await ended(at, 'Succeeded');
  expect([at.get('Job', NAME), statusOf(at).phase, statusOf(at, 'next').phase]).toEqual([undefined, 'Pending', 'Executing']);
  expect(at.get('CronJob', NAME)).toBeDefined();
});

test('given a schedule while its Job runs, then deleted, it takes that Job with it', async () => {
  const at = await running();
  at.edit('DataLoad', CRON, 'warm');
  await at.quiet();
  at.controllers.paused.add('garbage');
  at.delete('DataLoad', 'warm');
  await at.quiet();
  expect(at.server.all('Job')).toEqual([]);
});

test.each(['Succeeded', 'Failed'] as const)(
  'its latest Job %s: the status says so again once its CronJob can be written',
  async (phase) => {
    const at = await fired(phase);
    const before = statusOf(at);
    const rule = at.server.rules.refuse({ kind: 'CronJob', verb: 'apply' }, { status: 403, reason: 'Forbidden' });
    at.edit('DataLoad', { schedule: '0 4 * * *' }, 'warm');
    await at.advance(30_000);
    expect(JSON.stringify(statusOf(at).conditions)).toContain('ApplyFailed');
    rule.remove();
    await at.quiet(600_000);
    expect(statusOf(at)).toEqual({ ...before, observedGeneration: 2 });
  },
);

test('two of its Jobs run: others wait for both, whichever ends first', async () => {
  const at = await bound();
  at.put(cron());
  await at.quiet();
  await fire(at);
  await at.advance(2000);
  await fire(at, 2);
  const pod = at.server.all('Pod').find(({ metadata }) => metadata.name.startsWith(`${NAME}-2-`)) as KubeObject;
  at.put({ ...pod, status: { phase: 'Succeeded' } } as KubeObject);
  await at.quiet();
  expect(statusOf(at).phase).toBe('Complete');
  at.put(load(undefined, 'next'));
  await at.quiet();
  expect(statusOf(at, 'next').phase).toBe('Pending');
  await ended(at, 'Succeeded');
  await at.quiet(60_000);
  expect(statusOf(at, 'next').phase).toBe('Executing');
});

test('one that its runtime does not support says so once, however often its Dataset changes', async () => {
  const at = await boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })]);
  at.put(cron());
  await at.quiet();
  expect(statusOf(at).conditions).toMatchObject([{ type: 'Failed', reason: 'DataOperationNotSupport' }]);
  await at.advance(60_000);
  at.forget();
  const dataset = at.get('Dataset') as KubeObject;
  at.put({ ...dataset, metadata: { ...dataset.metadata, labels: { ...dataset.metadata.labels, team: 'vision' } } });
  await at.quiet();
  expect(at.passes.map(({ key }) => key)).toContain('ml/warm/DataLoad');
  expect(at.written({ kind: 'DataLoad' })).toEqual([]);
});
