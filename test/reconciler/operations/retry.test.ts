/** Another run, by annotation. */
import { describe, expect, test } from 'vitest';
import type { DataLoadSpec } from '../../../src/api/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import type { Harness } from '../harness.ts';
import { annotated, bound, ended, eventsOf, JOB, load, ON_DEMO, process, reasonOf, running, statusOf, uidOf } from './given.ts';

const RETRY = 'data.fluid.io/retry';
const after = (name: string, kind: 'DataLoad' | 'DataProcess' = 'DataLoad'): DataLoadSpec => ({ ...ON_DEMO, runAfter: { kind, name } });
const retried = (name: string, value: string, spec: DataLoadSpec = ON_DEMO): KubeObject => ({
  ...load(spec, name),
  metadata: { name, annotations: { [RETRY]: value } },
});
const retry = (at: Harness, name = 'warm', value = '1', kind: 'DataLoad' | 'DataProcess' = 'DataLoad') =>
  annotated(at, name, { [RETRY]: value }, kind);
const jobsCreated = (at: Harness) => at.written({ verb: 'create', kind: 'Job' }).length;

/** A DataLoad that has failed. */
async function failed(): Promise<Harness> {
  const at = await running();
  await failing(at);
  expect(statusOf(at).phase).toBe('Failed');
  at.forget();
  return at;
}
async function failing(at: Harness, name = 'warm') {
  for (let i = 0; i < 4; i++) await ended(at, 'Failed', 'no such path', name);
}

describe('one that is over', () => {
  test('runs once more for each new text of the annotation', async () => {
    const at = await failed();
    const first = uidOf(at);
    await at.advance(100_000);
    retry(at);
    await at.quiet();
    expect(uidOf(at)).not.toBe(first);
    expect(at.server.all('Job')).toHaveLength(1);
    expect(statusOf(at)).toMatchObject({ phase: 'Executing', duration: 'Unfinished', conditions: [], observedRetry: '1' });
    expect(statusOf(at)).not.toHaveProperty('infos');
    expect(at.events.filter(({ reason }) => reason === 'Retried')).toMatchObject([{ type: 'Normal' }]);
    await ended(at, 'Succeeded');
    // The status of this run.
    expect(statusOf(at)).toMatchObject({ phase: 'Complete', duration: expect.stringMatching(/^\ds$/), conditions: [{ type: 'Complete' }] });
    at.forget();
    retry(at, 'warm', '1');
    annotated(at, 'warm', { [RETRY]: undefined });
    retry(at, 'warm', '');
    await at.quiet();
    expect(at.written()).toEqual([]);
    retry(at, 'warm', '2');
    await at.quiet();
    expect(statusOf(at)).toMatchObject({ phase: 'Executing', observedRetry: '2' });
    expect(statusOf(at)).not.toHaveProperty('nodeAffinity');
  });
  test('goes behind those that waited meanwhile', async () => {
    const at = await running();
    for (const name of ['a', 'b']) at.put(load(ON_DEMO, name));
    await at.quiet();
    await failing(at);
    expect(statusOf(at, 'a').phase).toBe('Executing');
    retry(at);
    await at.quiet();
    expect([reasonOf(at), reasonOf(at, 'b')]).toEqual(['WaitingForTurn', 'WaitingForTurn']);
    at.put(load(ON_DEMO, 'c'));
    await at.quiet();
    await ended(at, 'Succeeded', '', 'a');
    expect([statusOf(at).phase, statusOf(at, 'b').phase]).toEqual(['Pending', 'Executing']);
    await ended(at, 'Succeeded', '', 'b');
    expect([statusOf(at).phase, statusOf(at, 'c').phase]).toEqual(['Executing', 'Pending']);
  });
  test('that was refused is checked once more', async () => {
    const at = await bound();
    at.put(load({ dataset: { name: 'demo', namespace: 'web' } }));
    await at.quiet();
    expect(statusOf(at).phase).toBe('Failed');
    retry(at);
    await at.quiet();
    expect(statusOf(at)).toMatchObject({ phase: 'Failed', observedRetry: '1', conditions: [{ reason: 'TargetDatasetNamespaceNotSame' }] });
    at.edit('DataLoad', ON_DEMO, 'warm');
    retry(at, 'warm', '2');
    await at.quiet();
    expect(statusOf(at).phase).toBe('Executing');
  });
  test('is deleted only so long after the end of its last run', async () => {
    const at = await bound();
    at.put(load({ ...ON_DEMO, ttlSecondsAfterFinished: 40 }));
    await at.quiet();
    await ended(at, 'Succeeded');
    retry(at);
    await at.quiet(60_000);
    expect(statusOf(at).phase).toBe('Executing');
    await ended(at, 'Succeeded');
    await at.advance(20_000);
    expect(statusOf(at).phase).toBe('Complete');
    await at.advance(25_000);
    expect(at.get('DataLoad', 'warm')).toBeUndefined();
  });
  test('may be paused then', async () => {
    const at = await failed();
    annotated(at, 'warm', { [RETRY]: '1', 'data.fluid.io/paused': 'true' });
    await at.quiet();
    expect([at.get('Job', JOB), statusOf(at).phase, reasonOf(at)]).toEqual([undefined, 'Pending', 'Paused']);
    annotated(at, 'warm', { 'data.fluid.io/paused': undefined });
    await at.quiet();
    expect(statusOf(at).phase).toBe('Executing');
  });
});

describe('the text that the annotation has', () => {
  test('when the operation is created asks for no second run', async () => {
    const at = await bound();
    at.put(retried('warm', 'first'));
    await at.quiet();
    await ended(at, 'Succeeded');
    expect(statusOf(at)).toMatchObject({ phase: 'Complete', observedRetry: 'first' });
    await at.quiet();
    expect(jobsCreated(at)).toBe(1);
  });
  test('before it starts asks for no second run', async () => {
    const at = await running();
    at.put(load(ON_DEMO, 'next'));
    await at.quiet();
    retry(at, 'next');
    await at.quiet();
    await ended(at, 'Succeeded');
    await ended(at, 'Succeeded', '', 'next');
    expect(statusOf(at, 'next')).toMatchObject({ phase: 'Complete', observedRetry: '1' });
  });
  test('while it runs asks for another run after that', async () => {
    const at = await running();
    retry(at);
    await at.quiet();
    const first = uidOf(at);
    expect(statusOf(at)).not.toHaveProperty('observedRetry');
    await ended(at, 'Succeeded');
    expect(uidOf(at)).not.toBe(first);
    expect(statusOf(at)).toMatchObject({ phase: 'Executing', observedRetry: '1' });
    expect(eventsOf(at)).toEqual(['DataOperationSucceed', 'Retried']);
    await ended(at, 'Succeeded');
    expect(statusOf(at).phase).toBe('Complete');
  });
  test('with a schedule has no effect, and an event says so once', async () => {
    const at = await bound();
    at.put(retried('warm', '1', { ...ON_DEMO, policy: 'Cron', schedule: '0 3 * * *' }));
    await at.quiet();
    expect(statusOf(at)).toMatchObject({ phase: 'Pending', observedRetry: '1' });
    at.edit('DataLoad', { schedule: '0 4 * * *' }, 'warm');
    await at.quiet();
    expect(eventsOf(at)).toEqual(['SpecPartlyIgnored']);
  });
});

describe('of those that run after it', () => {
  test.each(['Succeeded', 'Failed'] as const)('one that waits waits for the new run, after one that %s', async (phase) => {
    const at = await running();
    at.put(load(after('warm'), 'second'));
    retry(at);
    await at.quiet();
    for (let i = 0; i < (phase === 'Failed' ? 4 : 1); i++) await ended(at, phase);
    expect(statusOf(at)).toMatchObject({ phase: 'Executing', observedRetry: '1' });
    expect(reasonOf(at, 'second')).toBe('DataOperationWaiting');
    await ended(at, 'Succeeded');
    expect(statusOf(at, 'second').phase).toBe('Executing');
  });
  test('one that has failed with it stays so until it is retried itself; then it waits for the new run', async () => {
    const at = await running();
    at.put(load(after('warm'), 'second'));
    await at.quiet();
    await failing(at);
    expect(reasonOf(at, 'second')).toBe('PredecessorFailed');
    retry(at);
    await at.quiet();
    expect([statusOf(at).phase, statusOf(at, 'second').phase]).toEqual(['Executing', 'Failed']);
    retry(at, 'second');
    await at.quiet();
    expect(reasonOf(at, 'second')).toBe('DataOperationWaiting');
    await ended(at, 'Succeeded');
    expect(statusOf(at, 'second').phase).toBe('Executing');
  });
  test('one that was complete runs after it again, if both are retried', async () => {
    const at = await running();
    at.put(process({ runAfter: { kind: 'DataLoad', name: 'warm' } }));
    await ended(at, 'Succeeded');
    await ended(at, 'Succeeded', '', 'op');
    retry(at, 'op', '1', 'DataProcess');
    retry(at);
    await at.quiet();
    expect(statusOf(at).phase).toBe('Executing');
    expect(statusOf(at, 'op', 'DataProcess')).toMatchObject({ phase: 'Pending', waitingFor: { operationComplete: true } });
    await ended(at, 'Succeeded');
    expect(statusOf(at, 'op', 'DataProcess').phase).toBe('Executing');
  });
  test('one that is retried does not wait for one that is gone', async () => {
    const at = await running();
    at.put(load(after('warm'), 'second'));
    await ended(at, 'Succeeded');
    await ended(at, 'Succeeded', '', 'second');
    at.delete('DataLoad', 'warm');
    await at.quiet();
    retry(at, 'second');
    await at.quiet();
    expect(statusOf(at, 'second')).toMatchObject({ phase: 'Executing', waitingFor: { operationComplete: false } });
  });
});

describe('in trouble', () => {
  test.each(['1', '2'])('a Job that ends while no controller runs was the run of its own text; now the annotation is %s', async (now) => {
    const at = await failed();
    const held = at.server.rules.holdAnswers({ verb: 'create', kind: 'Job' });
    retry(at);
    await at.settle();
    expect(held.waiting).toBe(1);
    at.kill();
    held.release();
    const uid = uidOf(at);
    await ended(at, 'Succeeded', '', 'warm', 'dead');
    expect(statusOf(at).phase).toBe('Pending');
    retry(at, 'warm', now);
    await at.restart();
    await at.quiet();
    expect(statusOf(at)).toMatchObject({ phase: now === '1' ? 'Complete' : 'Executing', observedRetry: now });
    expect(uidOf(at) === uid).toBe(now === '1');
  });
  test('a Job that cannot be deleted is reported, and holds up no other operation', async () => {
    const at = await failed();
    at.server.rules.refuse({ verb: 'delete', kind: 'Job' }, { status: 403, reason: 'Forbidden' });
    retry(at);
    await at.advance(5000);
    expect(at.events).toContainEqual(
      expect.objectContaining({ type: 'Warning', reason: 'DeleteFailed', note: expect.stringContaining(JOB) }),
    );
    at.put(load(ON_DEMO, 'next'));
    await at.advance(5000);
    expect([statusOf(at).phase, statusOf(at, 'next').phase]).toEqual(['Failed', 'Executing']);
  });
  test('a new text while it is being reset counts for that run', async () => {
    const at = await failed();
    const held = at.server.rules.hold({ verb: 'delete', kind: 'Job' });
    retry(at);
    await at.settle();
    retry(at, 'warm', '2');
    held.release();
    await at.quiet();
    await ended(at, 'Succeeded');
    expect(statusOf(at)).toMatchObject({ phase: 'Complete', observedRetry: '2' });
    expect(jobsCreated(at)).toBe(1);
  });
  test('with a CRD that lacks status.observedRetry, it runs once more and not for ever', async () => {
    const at = await failed();
    at.server.rules.mutate({ kind: 'DataLoad', subresource: 'status' }, (object) => {
      const { observedRetry: _, ...status } = (object['status'] ?? {}) as { observedRetry?: string };
      return { ...object, status };
    });
    retry(at);
    await at.quiet();
    await ended(at, 'Succeeded');
    await at.quiet(60_000);
    expect(statusOf(at).phase).toBe('Complete');
    expect(jobsCreated(at)).toBe(1);
  });
});
