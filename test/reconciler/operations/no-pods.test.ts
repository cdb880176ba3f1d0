/** A Job whose pods Kubernetes refuses, by a quota or Pod Security: the Job exists, and nothing else ever happens. */
import { expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/types.ts';
import type { Harness } from '../harness.ts';
import { bound, eventsOf, load, statusOf } from './given.ts';

const QUOTA =
  'Error creating: pods "warm-loader-job-x" is forbidden: exceeded quota: small, requested: pods=1, used: pods=0, limited: pods=0';

const jobUid = (at: Harness, name = 'warm-loader-job') => at.get('Job', name)?.metadata.uid ?? '';
/** As the Job controller reports it. */
function refused(at: Harness, message: string, more: object = {}, uid = jobUid(at), name = 'refused') {
  const involvedObject = { kind: 'Job', name: 'warm-loader-job', uid };
  const lastTimestamp = '2026-01-02T03:05:00Z';
  at.put({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name },
    involvedObject,
    reason: 'FailedCreate',
    message,
    lastTimestamp,
    ...more,
  } as KubeObject);
}
const lists = (at: Harness) => at.server.requests.filter(({ verb, kind }) => verb === 'list' && kind === 'Event').length;

/** A DataLoad whose Job gets no pod, as long as `jobs` are paused. */
async function podless(): Promise<Harness> {
  const at = await bound();
  at.controllers.paused.add('jobs');
  at.put(load());
  await at.quiet();
  expect(statusOf(at)).toMatchObject({ phase: 'Executing', conditions: [] });
  return at;
}

test('a minute later it says why, in the words of Kubernetes; so do those behind it, until there is a pod', async () => {
  const at = await podless();
  at.put(load(undefined, 'second'));
  await at.quiet();
  refused(at, QUOTA);
  refused(at, 'an earlier one', { lastTimestamp: '2026-01-02T03:04:10Z' }, jobUid(at), 'earlier');
  refused(at, 'of another object', { lastTimestamp: '2026-01-02T03:06:00Z' }, 'another', 'others');
  refused(at, 'of another kind', { lastTimestamp: '2026-01-02T03:06:00Z', reason: 'SuccessfulCreate' }, jobUid(at), 'created');
  expect(lists(at)).toBe(0);
  await at.advance(60_000);
  const message = `Job warm-loader-job has no pod: ${QUOTA}`;
  expect(statusOf(at)).toMatchObject({
    phase: 'Executing',
    conditions: [{ type: 'Complete', status: 'False', reason: 'NoPods', message }],
  });
  expect(eventsOf(at)).toContain('NoPods');
  expect(statusOf(at, 'second').conditions?.[0]?.message).toBe(
    'number 2 in line for Dataset demo: DataLoad warm runs, but Kubernetes does not create its pods: see its condition Complete',
  );
  at.controllers.paused.delete('jobs');
  at.put({ ...(at.get('Job', 'warm-loader-job') as KubeObject) });
  await at.quiet();
  expect(statusOf(at)).toMatchObject({ phase: 'Executing', conditions: [] });
  expect(statusOf(at, 'second').conditions?.[0]?.message).toBe('number 2 in line for Dataset demo: DataLoad warm runs');
});

test('it asks once a minute, and writes nothing as long as the answer is the same', async () => {
  const at = await podless();
  refused(at, QUOTA);
  await at.advance(60_000);
  at.forget();
  await at.advance(600_000);
  expect(lists(at)).toBeGreaterThanOrEqual(8);
  expect(lists(at)).toBeLessThanOrEqual(10);
  expect(at.written()).toEqual([]);
  refused(at, 'violates PodSecurity "restricted:latest"');
  await at.advance(120_000);
  expect(statusOf(at).conditions?.[0]?.message).toBe('Job warm-loader-job has no pod: violates PodSecurity "restricted:latest"');
  expect(eventsOf(at)).toEqual([]);
});

test('a process that takes over neither takes the condition back nor reports it again', async () => {
  const at = await podless();
  refused(at, QUOTA);
  await at.advance(60_000);
  at.kill();
  at.forget();
  await at.restart();
  await at.advance(120_000);
  expect(at.written({ kind: 'DataLoad' })).toEqual([]);
  expect(eventsOf(at)).toEqual([]);
});

test.each([
  ['without an event', () => {}],
  [
    'without the right',
    (at: Harness) => void at.server.rules.refuse({ verb: 'list', kind: 'Event' }, { status: 403, reason: 'Forbidden' }),
  ],
])('it says how to find out, %s', async (_, given) => {
  const at = await podless();
  given(at);
  await at.advance(60_000);
  expect(statusOf(at).conditions).toMatchObject([
    { reason: 'NoPods', message: expect.stringContaining('See `kubectl describe job warm-loader-job`') },
  ]);
});

test('the text is that of anybody: bounded, without control characters and secrets', async () => {
  const at = await podless();
  refused(at, `\u001b[31mpassword=hunter2 ${'a'.repeat(100_000)}`);
  await at.advance(60_000);
  const [{ message = '' } = {}] = statusOf(at).conditions ?? [];
  expect(message.length).toBeLessThan(600);
  for (const hidden of ['hunter2', '\u001b']) expect(message).not.toContain(hidden);
});

test('a Job that has a pod, or is suspended by others, or waits to replace one that failed, costs nothing and says nothing', async () => {
  const at = await bound();
  at.put(load());
  await at.quiet();
  at.forget();
  await at.advance(3_600_000);
  expect(lists(at)).toBe(0);
  const job = at.get('Job', 'warm-loader-job') as KubeObject;
  at.controllers.paused.add('jobs');
  at.put({ ...job, status: { active: 0, failed: 1 } } as KubeObject);
  await at.advance(120_000);
  expect(statusOf(at)).toMatchObject({ phase: 'Executing', conditions: [] });
  refused(at, QUOTA);
  await at.advance(120_000);
  expect(statusOf(at).conditions?.[0]?.message).toContain('exceeded quota');
  at.put({ ...job, spec: { ...(job['spec'] as object), suspend: true }, status: {} } as KubeObject);
  await at.advance(120_000);
  expect(statusOf(at)).toMatchObject({ phase: 'Executing', conditions: [] });
});

test('with a schedule, of its latest Job', async () => {
  const at = await bound();
  at.put(load({ dataset: { name: 'demo' }, policy: 'Cron', schedule: '0 3 * * *' }));
  await at.quiet();
  at.controllers.paused.add('jobs');
  const { apiVersion, kind, metadata, spec } = at.get('CronJob', 'warm-loader-job') as KubeObject;
  const { jobTemplate } = spec as { readonly jobTemplate: { readonly metadata: object; readonly spec: object } };
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true };
  at.put({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { ...jobTemplate.metadata, name: 'warm-loader-job-1', ownerReferences: [owner] },
    spec: jobTemplate.spec,
  } as KubeObject);
  refused(at, QUOTA, {}, jobUid(at, 'warm-loader-job-1'));
  await at.advance(61_000);
  const message = `Job warm-loader-job-1 has no pod: ${QUOTA}`;
  expect(statusOf(at)).toMatchObject({
    phase: 'Executing',
    conditions: [{ type: 'Complete', status: 'False', reason: 'NoPods', message }],
  });
  at.controllers.paused.delete('jobs');
  await at.quiet();
  expect(statusOf(at)).toMatchObject({ phase: 'Executing', conditions: [] });
});
