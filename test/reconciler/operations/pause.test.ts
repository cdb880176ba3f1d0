/** Pause and resume by annotation. */
import { describe, expect, test } from 'vitest';
import type { DataLoadSpec } from '../../../src/api/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import type { Harness } from '../harness.ts';
import { annotated, bound, ended, eventsOf, JOB, load, ON_DEMO, reasonOf, running, statusOf } from './given.ts';

const PAUSED = 'data.fluid.io/paused';
const paused = (name = 'warm', spec: DataLoadSpec = ON_DEMO): KubeObject => ({
  ...load(spec, name),
  metadata: { name, annotations: { [PAUSED]: 'true' } },
});
const isSuspended = (at: Harness, kind = 'Job', name = JOB) => (at.get(kind, name)?.['spec'] as { suspend?: boolean } | undefined)?.suspend;
/** Pods of Jobs, which run or are ending. */
const podsOf = (at: Harness, name = 'warm') =>
  at.server
    .all('Pod')
    .filter(({ metadata, status }) => metadata.name.startsWith(`${name}-loader-job`) && (status as { phase: string }).phase === 'Running');

describe('before it has started, a paused operation', () => {
  test('does not start, says so, holds no place in the line, and starts in its turn once it is resumed', async () => {
    const at = await bound();
    at.put(paused());
    await at.advance(1000);
    at.put(load(ON_DEMO, 'next'));
    await at.quiet();
    expect(statusOf(at)).toMatchObject({
      phase: 'Pending',
      conditions: [{ type: 'Complete', status: 'False', reason: 'Paused', message: `the annotation ${PAUSED} is true` }],
    });
    expect(at.get('Job', JOB)).toBeUndefined();
    expect(statusOf(at, 'next').phase).toBe('Executing');
    expect(at.events.filter(({ reason }) => reason === 'Paused')).toMatchObject([{ type: 'Normal' }]);
    annotated(at, 'warm', { [PAUSED]: undefined });
    await at.quiet();
    expect(reasonOf(at)).toBe('WaitingForTurn');
    await ended(at, 'Succeeded', '', 'next');
    expect(statusOf(at).phase).toBe('Executing');
  });
  test('leaves the head of the line to the next one', async () => {
    const at = await running();
    for (const name of ['a', 'b']) at.put(load(ON_DEMO, name));
    await at.quiet();
    annotated(at, 'a', { [PAUSED]: 'true' });
    await ended(at, 'Succeeded');
    expect([statusOf(at, 'a').phase, statusOf(at, 'b').phase]).toEqual(['Pending', 'Executing']);
  });
  test.each(['yes', 'True', ''])('reports the value %o, which counts as true', async (value) => {
    const at = await bound();
    at.put({ ...load(), metadata: { name: 'warm', annotations: { [PAUSED]: value } } });
    await at.quiet();
    expect(reasonOf(at)).toBe('Paused');
    expect(statusOf(at).conditions?.[0]?.message).toBe(
      `annotation ${PAUSED}: expected true or false, found "${value}", which counts as true`,
    );
  });
  test('is not one whose annotation is false', async () => {
    const at = await bound();
    at.put({ ...load(), metadata: { name: 'warm', annotations: { [PAUSED]: 'false' } } });
    await at.quiet();
    expect(statusOf(at).phase).toBe('Executing');
  });
});

describe('while it runs', () => {
  test('a pause ends its pods, and the next one starts; resumed, it takes its turn again', async () => {
    const at = await running();
    at.put(load(ON_DEMO, 'next'));
    await at.quiet();
    annotated(at, 'warm', { [PAUSED]: 'true' });
    await at.quiet();
    expect([isSuspended(at), podsOf(at).length]).toEqual([true, 0]);
    expect(statusOf(at)).toMatchObject({ phase: 'Pending', duration: 'Unfinished', conditions: [{ reason: 'Paused' }] });
    expect(statusOf(at, 'next').phase).toBe('Executing');
    expect(at.dataset().operationRef).toEqual({ DataLoad: 'next' });
    annotated(at, 'warm', { [PAUSED]: 'false' });
    await at.quiet();
    expect([isSuspended(at), reasonOf(at)]).toEqual([true, 'WaitingForTurn']);
    await ended(at, 'Succeeded', '', 'next');
    expect([isSuspended(at), podsOf(at).length]).toEqual([false, 1]);
    expect(statusOf(at)).toMatchObject({ phase: 'Executing', conditions: [] });
    await ended(at, 'Succeeded');
    expect(statusOf(at).phase).toBe('Complete');
    expect(eventsOf(at).filter((reason) => reason === 'DataOperationSucceed')).toHaveLength(2);
  });
  test('nothing else starts before its pods have ended', async () => {
    const at = await running();
    at.put(load(ON_DEMO, 'next'));
    await at.quiet();
    at.controllers.paused.add('jobs');
    annotated(at, 'warm', { [PAUSED]: 'true' });
    await at.quiet();
    expect([statusOf(at).phase, reasonOf(at), statusOf(at, 'next').phase]).toEqual(['Executing', 'Paused', 'Pending']);
    at.controllers.paused.clear();
    at.controllers.paused.add('pods');
    await at.quiet();
    expect(podsOf(at)).toHaveLength(1);
    expect([statusOf(at).phase, statusOf(at, 'next').phase]).toEqual(['Executing', 'Pending']);
    at.controllers.paused.clear();
    await at.advance(0);
    expect([statusOf(at).phase, statusOf(at, 'next').phase]).toEqual(['Pending', 'Executing']);
  });
  test('nothing else starts before the Job controller has seen the pause: it may be about to create a pod', async () => {
    const at = await bound();
    at.controllers.paused.add('jobs');
    at.put(load());
    at.put(load(ON_DEMO, 'next'));
    await at.quiet();
    const [name = '', other = ''] = statusOf(at).phase === 'Executing' ? ['warm', 'next'] : ['next', 'warm'];
    annotated(at, name, { [PAUSED]: 'true' });
    await at.quiet();
    expect([statusOf(at, name).phase, reasonOf(at, name), statusOf(at, other).phase]).toEqual(['Executing', 'Paused', 'Pending']);
    at.controllers.paused.clear();
    await at.quiet();
    expect([statusOf(at, name).phase, statusOf(at, other).phase]).toEqual(['Pending', 'Executing']);
  });
  test.each(['before its Job is suspended', 'before its status says so', 'after that'])(
    'a controller that ends %s changes nothing about that',
    async (when) => {
      const at = await running();
      at.put(load(ON_DEMO, 'next'));
      await at.quiet();
      const verb = { verb: 'patch', ...(when.includes('Job') ? { kind: 'Job' } : { kind: 'DataLoad', subresource: 'status' }) } as const;
      const held = when === 'after that' ? undefined : at.server.rules.hold(verb);
      annotated(at, 'warm', { [PAUSED]: 'true' });
      await at.settle();
      at.kill();
      held?.release();
      await at.restart();
      await at.quiet();
      expect([isSuspended(at), reasonOf(at), statusOf(at, 'next').phase]).toEqual([true, 'Paused', 'Executing']);
      at.kill();
      annotated(at, 'warm', { [PAUSED]: undefined });
      await at.restart();
      await ended(at, 'Succeeded', '', 'next');
      expect([isSuspended(at), statusOf(at).phase]).toEqual([false, 'Executing']);
    },
  );
  test('a pause that is taken back at once leaves it running, or has it run again', async () => {
    const at = await running();
    annotated(at, 'warm', { [PAUSED]: 'true' });
    await at.settle();
    annotated(at, 'warm', { [PAUSED]: undefined });
    await at.quiet();
    expect([isSuspended(at), podsOf(at).length, statusOf(at).phase]).toEqual([false, 1, 'Executing']);
  });
  test('a pause costs three writes, and none while it lasts', async () => {
    const at = await running();
    at.forget();
    annotated(at, 'warm', { [PAUSED]: 'true' });
    await at.quiet(120_000);
    expect(at.written({ kind: ['Job', 'DataLoad'] })).toEqual([
      `patch Job/${JOB}`,
      'patch DataLoad/warm/status',
      'patch DataLoad/warm/status',
    ]);
  });
  test('a Job that another client has suspended counts as running, and stays suspended', async () => {
    const at = await running();
    const job = at.get('Job', JOB) as KubeObject & { spec: object };
    at.put({ ...job, spec: { ...job.spec, suspend: true } } as KubeObject);
    at.put(load(ON_DEMO, 'next'));
    await at.quiet();
    expect([isSuspended(at), statusOf(at).phase, statusOf(at, 'next').phase]).toEqual([true, 'Executing', 'Pending']);
  });
  test('a pause that comes too late changes nothing', async () => {
    const at = await running();
    at.server.hold('Job');
    await ended(at, 'Succeeded');
    annotated(at, 'warm', { [PAUSED]: 'true' });
    await at.quiet();
    at.server.release('Job');
    await at.quiet();
    expect(statusOf(at).phase).toBe('Complete');
  });
});

test('a pause while its Job is being created suspends that Job', async () => {
  const at = await bound();
  const held = at.server.rules.hold({ verb: 'create', kind: 'Job' });
  at.start();
  at.put(load());
  await at.settle();
  annotated(at, 'warm', { [PAUSED]: 'true' });
  await at.settle();
  held.release();
  await at.quiet();
  expect([isSuspended(at), podsOf(at).length, statusOf(at).phase, reasonOf(at)]).toEqual([true, 0, 'Pending', 'Paused']);
});

test('paused, and deleted, it takes its Job with it', async () => {
  const at = await running();
  annotated(at, 'warm', { [PAUSED]: 'true' });
  await at.quiet();
  at.delete('DataLoad', 'warm');
  await at.quiet();
  expect([at.get('DataLoad', 'warm'), at.get('Job', JOB)]).toEqual([undefined, undefined]);
});

test('one that is over is not changed by a pause', async () => {
  const at = await running();
  await ended(at, 'Succeeded');
  at.forget();
  annotated(at, 'warm', { [PAUSED]: 'true' });
  await at.quiet();
  expect(at.written()).toEqual([]);
});

test('one that waits for a paused operation goes on waiting', async () => {
  const at = await bound();
  at.put(paused());
  at.put(load({ ...ON_DEMO, runAfter: { kind: 'DataLoad', name: 'warm' } }, 'second'));
  await at.quiet();
  expect(reasonOf(at, 'second')).toBe('DataOperationWaiting');
});

describe('with a schedule', () => {
  const CRON = { ...ON_DEMO, policy: 'Cron', schedule: '0 3 * * *' } as const;
  /** Kubernetes' CronJob controller at the scheduled time. */
  async function fire(at: Harness): Promise<void> {
    const cronJob = at.get('CronJob', JOB) as KubeObject & { readonly spec: { readonly jobTemplate: KubeObject } };
    const { jobTemplate } = cronJob.spec;
    const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: JOB, uid: cronJob.metadata.uid ?? '', controller: true };
    const metadata = { ...jobTemplate.metadata, name: `${JOB}-1`, ownerReferences: [owner] };
    at.put({ ...jobTemplate, apiVersion: 'batch/v1', kind: 'Job', metadata });
    await at.quiet();
  }
  test('a pause suspends the CronJob and its Job that runs, also while the runtime is not ready; resumed, both go on', async () => {
    const at = await bound();
    at.put(load(CRON));
    await at.quiet();
    await fire(at);
    expect(statusOf(at).phase).toBe('Executing');
    at.delete('JuiceFSRuntime');
    annotated(at, 'warm', { [PAUSED]: 'true' });
    await at.quiet();
    expect([isSuspended(at, 'CronJob'), isSuspended(at, 'Job', `${JOB}-1`), podsOf(at).length]).toEqual([true, true, 0]);
    expect(statusOf(at)).toMatchObject({ phase: 'Pending', conditions: [{ reason: 'Paused' }] });
    at.forget();
    at.edit('DataLoad', { schedule: '0 4 * * *' }, 'warm');
    await at.quiet();
    expect(isSuspended(at, 'CronJob')).toBe(true);
    annotated(at, 'warm', { [PAUSED]: undefined });
    await at.quiet();
    expect([isSuspended(at, 'CronJob'), isSuspended(at, 'Job', `${JOB}-1`), podsOf(at).length]).toEqual([false, false, 1]);
  });
  test('a run that was complete before a pause is not announced again after it', async () => {
    const at = await bound();
    at.put(load(CRON));
    await at.quiet();
    await fire(at);
    await ended(at, 'Succeeded');
    annotated(at, 'warm', { [PAUSED]: 'true' });
    await at.quiet();
    expect(statusOf(at)).toMatchObject({ phase: 'Pending', conditions: [{ reason: 'Paused' }] });
    annotated(at, 'warm', { [PAUSED]: undefined });
    await at.quiet();
    expect(statusOf(at)).toMatchObject({ phase: 'Complete', conditions: [{ type: 'Complete', status: 'True' }] });
    expect(eventsOf(at).filter((reason) => reason === 'DataOperationSucceed')).toHaveLength(1);
  });
  test('created with a pause, it has no CronJob before it is resumed', async () => {
    const at = await bound();
    at.put(paused('warm', CRON));
    await at.quiet();
    expect([at.get('CronJob', JOB), reasonOf(at)]).toEqual([undefined, 'Paused']);
    annotated(at, 'warm', { [PAUSED]: undefined });
    await at.quiet();
    expect(at.get('CronJob', JOB)).toBeDefined();
    expect(statusOf(at)).toMatchObject({ phase: 'Pending', conditions: [] });
  });
});
