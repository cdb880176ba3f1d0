/** An operation that runs, and whose pods do not. */
import { expect, test } from 'vitest';
import { findings } from '../../src/explain/findings.ts';
import { gather } from '../../src/explain/gather.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import juicefs from '../../runtimes/juicefs/index.ts';
import { annotated, bound, load, running } from '../reconciler/operations/given.ts';
import type { Harness } from '../reconciler/harness.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const LONG_AGO = '2026-01-02T03:00:00Z';
const JUST_NOW = '2026-01-02T03:04:00Z';
const UID = 'u';

const job = (more: object = {}): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'warm-loader-job', uid: 'j', creationTimestamp: LONG_AGO, labels: { 'data.fluid.io/owner-uid': UID } },
  ...more,
});
const pod = (name: string, status: object, creationTimestamp = LONG_AGO): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid: name, creationTimestamp, labels: { 'batch.kubernetes.io/controller-uid': 'j' } },
  status: status as NonNullable<KubeObject['status']>,
});
const event = (about: string, reason: string, message: string) =>
  ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: about },
    involvedObject: { uid: about },
    reason,
    message,
  }) as unknown as KubeObject;
const unscheduled = (message: string) => ({
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
});
const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const waits = (reason: string, message?: string) => ({
  phase: 'Pending',
  containerStatuses: [{ name: 'c', state: { waiting: { reason, message } } }],
});
const failed = { phase: 'Failed', containerStatuses: [{ name: 'c', state: { terminated: { exitCode: 3 } } }] };

function found(
  pods: readonly KubeObject[],
  { events = [], jobs = [job()], policy = 'Once' }: { events?: readonly KubeObject[]; jobs?: readonly KubeObject[]; policy?: string } = {},
) {
  const operation = {
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'DataLoad',
    metadata: { namespace: 'ml', name: 'warm', uid: UID },
    spec: { policy, schedule: '@daily' },
    status: { phase: 'Executing', conditions: [] },
  } as unknown as KubeObject;
  const [finding] = findings({ objects: [operation], runtimes: [], operations: [operation], workloads: [], jobs, pods, events, now: NOW });
  if (!finding) throw new Error('expected a finding');
  return finding;
}

test('a pod that no node takes, or whose claim does not exist, is a cause, with what the scheduler says', () => {
  const { healthy, causes, details } = found([pod('p', unscheduled('persistentvolumeclaim "nope" not found'))]);
  expect(healthy).toBe(false);
  expect(causes).toEqual([
    { reason: 'Unschedulable', message: 'pod p: persistentvolumeclaim "nope" not found', since: LONG_AGO, toDo: expect.any(String) },
  ]);
  expect(causes[0]?.toDo).toMatch(/^correct what the message names: the pod starts then\. .* delete it and create it again/);
  expect(details).toEqual(['Job warm-loader-job: 0 of 1 pods ready', '  pod p: Unschedulable: persistentvolumeclaim "nope" not found']);
});

test('with a schedule, the next Job has the spec of an edit', () => {
  const { causes } = found([pod('p', unscheduled('0/3 nodes'))], { policy: 'Cron' });
  expect(causes[0]?.toDo).toContain('edit it and delete Job warm-loader-job');
});

test('an image that is not pulled is a cause at once', () => {
  const { healthy, causes } = found([pod('p', waits('ImagePullBackOff', 'no such image'), JUST_NOW)]);
  expect([healthy, causes[0]?.reason, causes[0]?.message]).toEqual([false, 'ImagePullBackOff', 'pod p: c ImagePullBackOff: no such image']);
});

test('a pod that starts has a minute for it, and what its events say is told', () => {
  const events = [event('p', 'FailedMount', 'secret "keys" not found')];
  expect(found([pod('p', waits('ContainerCreating'), JUST_NOW)], { events })).toMatchObject({
    healthy: true,
    causes: [],
    details: ['Job warm-loader-job: 0 of 1 pods ready', '  pod p: c ContainerCreating; FailedMount: secret "keys" not found'],
  });
  const { healthy, causes } = found([pod('p', waits('ContainerCreating'))], { events });
  expect([healthy, causes[0]?.reason, causes[0]?.message]).toEqual([
    false,
    'FailedMount',
    'pod p: c ContainerCreating; FailedMount: secret "keys" not found',
  ]);
});

test('an init container that runs for long is no fault', () => {
  const init = { initContainerStatuses: [{ name: 'i', state: { running: {} } }] };
  expect(found([pod('p', { ...waits('PodInitializing'), ...init })]).healthy).toBe(true);
});

test('an attempt that failed is named while the next one runs, and is a cause while none does', () => {
  const again = found([pod('p', failed), pod('q', ready)]);
  expect([again.healthy, again.details]).toEqual([true, ['Job warm-loader-job: 1 of 1 pods ready', '  pod p: c ended with exit code 3']]);
  const between = found([pod('p', failed)]);
  expect([between.healthy, between.causes[0]?.message, between.causes[0]?.toDo]).toEqual([
    false,
    'pod p: c ended with exit code 3',
    expect.stringContaining('kubectl logs p'),
  ]);
});

test('a Job that gets no pod says what its events say', () => {
  const events = [event('j', 'FailedCreate', 'exceeded quota')];
  const { healthy, causes } = found([], { events });
  expect([healthy, causes[0]?.reason, causes[0]?.message]).toEqual([false, 'FailedCreate', 'Job warm-loader-job: exceeded quota']);
  const young = job();
  expect(found([], { jobs: [{ ...young, metadata: { ...young.metadata, creationTimestamp: JUST_NOW } }] }).healthy).toBe(true);
});

const situationOf = (at: Harness) => {
  const client = at.server.client({ fieldManager: 'a-user' });
  return gather({ ...client, list: (type, options) => client.list(type, { ...options, fieldSelector: undefined }) }, [juicefs], 'ml', [
    'dataload/warm',
  ]);
};

test('Jobs that have not ended are read with their pods, if an operation runs', async () => {
  const at = await running();
  const { jobs, pods } = await situationOf(at);
  expect(jobs.map(({ metadata }) => metadata.name)).toEqual(['warm-loader-job']);
  expect(pods.map(({ metadata }) => metadata.name)).toEqual([expect.stringMatching(/^warm-loader-job-/)]);
});

test('no Job is read of an operation that waits or is paused', async () => {
  const at = await bound();
  at.put(load());
  annotated(at, 'warm', { 'data.fluid.io/paused': 'true' });
  await at.quiet();
  expect(await situationOf(at)).toMatchObject({ jobs: [], pods: [] });
});
