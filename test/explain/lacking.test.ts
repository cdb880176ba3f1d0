/** Workloads of runtimes with fewer ready pods than they should have. */
import { expect, test } from 'vitest';
import juicefs from '../../runtimes/juicefs/index.ts';
import { findings } from '../../src/explain/findings.ts';
import { type ExplainInput, gather } from '../../src/explain/gather.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { boundHarness } from '../reconciler/harness.ts';
import { jfsDataset, jfsRuntime, jfsSecret } from '../support/objects.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const LONG_AGO = '2026-01-02T03:00:00Z';
const JUST_NOW = '2026-01-02T03:04:00Z';
const condition = (type: string, status: string, reason: string, message = '') => ({ type, status, reason, message });
const SYNCED = condition('Synced', 'True', 'Synced');
const object = (kind: string, name: string, more: object = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind,
    metadata: { namespace: 'ml', name, uid: `${kind}-${name}`, creationTimestamp: LONG_AGO },
    ...more,
  }) as KubeObject;
const dataset = object('Dataset', 'demo', { status: { phase: 'Bound', conditions: [condition('Ready', 'True', 'DatasetReady')] } });
const runtime = (...conditions: readonly object[]) => object('ThinRuntime', 'demo', { status: { conditions } });
const owned = (each: KubeObject): KubeObject => ({
  ...each,
  metadata: { ...each.metadata, labels: { 'data.fluid.io/owner-uid': 'ThinRuntime-demo' } },
});
const fuse = (desired: number, ready: number): KubeObject =>
  owned(
    object('DaemonSet', 'demo-fuse', {
      spec: { selector: { matchLabels: { role: 'fuse' } } },
      status: { desiredNumberScheduled: desired, currentNumberScheduled: ready, numberReady: ready },
    }),
  );
const masters = (replicas: number, readyReplicas = 0): KubeObject =>
  owned(
    object('StatefulSet', 'demo-master', { spec: { replicas, selector: { matchLabels: { role: 'fuse' } } }, status: { readyReplicas } }),
  );
const pod = (name: string, status: object, creationTimestamp = LONG_AGO, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'ml', name, uid: name, creationTimestamp, labels: { role: 'fuse' }, ...more },
  status: status as NonNullable<KubeObject['status']>,
});
const waits = (reason: string, message?: string) => ({
  phase: 'Pending',
  containerStatuses: [{ name: 'c', state: { waiting: { reason, message } } }],
});
const event = (about: string, reason: string, message: string, lastTimestamp: string, firstTimestamp = lastTimestamp) =>
  ({ ...object('Event', about), involvedObject: { uid: about }, reason, message, firstTimestamp, lastTimestamp }) as unknown as KubeObject;
const BASELINE = 'Error creating: pods "demo-fuse-x" is forbidden: violates PodSecurity "baseline:latest": hostPath volumes';

function found(more: Partial<ExplainInput>, its = runtime(SYNCED)) {
  const objects = [dataset, its];
  const input = { objects, runtimes: [its], operations: [], workloads: [], jobs: [], pods: [], events: [], now: NOW, ...more };
  const [ofDataset, ofRuntime] = findings(input);
  if (!ofDataset || !ofRuntime) throw new Error('expected two findings');
  return { ofDataset, ofRuntime };
}

test('fuse pods that Pod Security refuses are no success: Dataset and runtime have the event, since when, and what to do', () => {
  const { ofDataset, ofRuntime } = found({
    workloads: [fuse(1, 0)],
    events: [event('DaemonSet-demo-fuse', 'FailedCreate', BASELINE, JUST_NOW, '2026-01-02T03:01:00Z')],
  });
  expect([ofDataset.healthy, ofRuntime.healthy]).toEqual([false, false]);
  expect([ofDataset.phase, ofRuntime.phase]).toEqual(['Bound', 'as its spec says, and in trouble']);
  const cause = {
    reason: 'FailedCreate',
    message: `DaemonSet demo-fuse: 0 of 1 pods ready; ${BASELINE}`,
    since: '2026-01-02T03:01:00Z',
    toDo: expect.stringMatching(/a quota, a LimitRange, Pod Security or an admission webhook/),
  };
  expect([ofDataset.causes, ofRuntime.causes]).toEqual([[cause], [cause]]);
  expect(ofRuntime.details).toEqual(['DaemonSet demo-fuse: 0 of 1 pods ready']);
});

test.each<[string, object, string, RegExp, RegExp]>([
  ['cannot pull its image', waits('ImagePullBackOff', 'no such image'), 'ImagePullBackOff', /no such image/, /pull secrets/],
  [
    'lacks a Secret',
    waits('CreateContainerConfigError', 'secret "keys" not found'),
    'CreateContainerConfigError',
    /"keys" not found/,
    /a Secret/,
  ],
  [
    'fits no node',
    { phase: 'Pending', conditions: [{ ...condition('PodScheduled', 'False', 'Unschedulable', '0/3 nodes are available') }] },
    'Unschedulable',
    /0\/3 nodes/,
    /which nodes the placement allows/,
  ],
])('a pod that %s is the cause, and what to do fits it', (_, status, reason, message, toDo) => {
  const { ofDataset, ofRuntime } = found({ workloads: [fuse(1, 0)], pods: [pod('demo-fuse-a', status)] });
  for (const { healthy, causes } of [ofDataset, ofRuntime]) {
    expect([healthy, causes.length]).toEqual([false, 1]);
    expect(causes[0]).toMatchObject({
      reason,
      since: LONG_AGO,
      message: expect.stringMatching(message),
      toDo: expect.stringMatching(toDo),
    });
    expect(causes[0]?.message).toMatch(/^DaemonSet demo-fuse: 0 of 1 pods ready; pod demo-fuse-a: /);
  }
});

test('a pod that ends again and again is no success from its first back-off on, and its log says why', () => {
  const status = { phase: 'Running', containerStatuses: [{ name: 'c', state: { waiting: { reason: 'CrashLoopBackOff' } } }] };
  const { ofRuntime } = found({ workloads: [fuse(1, 0)], pods: [pod('demo-fuse-a', status, JUST_NOW)] });
  expect(ofRuntime).toMatchObject({ healthy: false, causes: [{ reason: 'CrashLoopBackOff' }] });
  expect(ofRuntime.causes[0]?.toDo).toBe('see why it ended: kubectl logs demo-fuse-a -n ml --all-containers --previous');
});

test('a pod that runs, and whose readiness probe fails, is the cause with the event of the probe, from when it was ready last', () => {
  const status = {
    phase: 'Running',
    conditions: [{ ...condition('Ready', 'False', 'ContainersNotReady'), lastTransitionTime: '2026-01-02T03:02:00Z' }],
    containerStatuses: [{ name: 'c', state: { running: {} } }],
  };
  const { ofRuntime } = found({
    workloads: [masters(3, 2)],
    pods: [pod('demo-master-1', status)],
    events: [event('demo-master-1', 'Unhealthy', 'Readiness probe failed: no route to host', JUST_NOW)],
  });
  expect(ofRuntime.causes).toMatchObject([
    { reason: 'Unhealthy', since: '2026-01-02T03:02:00Z', message: expect.stringContaining('no route') },
  ]);
  expect(ofRuntime.causes[0]?.toDo).toContain('kubectl describe pod demo-master-1 -n ml');
});

test.each<[string, Partial<ExplainInput>]>([
  ['that starts', { workloads: [fuse(1, 0)], pods: [pod('demo-fuse-a', waits('ContainerCreating'), JUST_NOW)] }],
  ['that was refused once', { workloads: [fuse(1, 0)], events: [event('DaemonSet-demo-fuse', 'FailedCreate', BASELINE, JUST_NOW)] }],
  ['that is ready meanwhile', { workloads: [fuse(1, 0)], pods: [pod('demo-fuse-a', { conditions: [condition('Ready', 'True', '')] })] }],
  [
    'less than a minute late in its end',
    {
      workloads: [masters(1)],
      pods: [pod('demo-master-0', { conditions: [condition('Ready', 'True', '')] }, LONG_AGO, { deletionTimestamp: JUST_NOW })],
    },
  ],
])('a pod %s is no fault', (_, more) => {
  const { ofDataset, ofRuntime } = found(more);
  expect([ofDataset.healthy, ofDataset.causes, ofRuntime.healthy, ofRuntime.causes]).toEqual([true, [], true, []]);
});

test('a pod that does not end in time is the cause, rather than pods that are not created', () => {
  const going = pod('demo-master-0', { conditions: [condition('Ready', 'True', '')] }, LONG_AGO, {
    deletionTimestamp: '2026-01-02T03:01:00Z',
  });
  const { ofRuntime } = found({ workloads: [masters(1)], pods: [going] });
  expect(ofRuntime.causes).toMatchObject([
    { reason: 'Terminating', since: '2026-01-02T03:01:00Z', message: expect.stringContaining('pod demo-master-0: is being deleted') },
  ]);
});

test('an event of pods that were refused earlier does not hide why those that exist do not start', () => {
  const { ofRuntime } = found({
    workloads: [fuse(2, 0)],
    pods: [pod('demo-fuse-a', waits('ImagePullBackOff', 'no such image'))],
    events: [event('DaemonSet-demo-fuse', 'FailedCreate', BASELINE, '2026-01-02T02:30:00Z')],
  });
  expect(ofRuntime.causes.map(({ reason }) => reason)).toEqual(['ImagePullBackOff']);
});

test('events without a break longer than controllers wait say since when pods are refused', () => {
  const at = (time: string) => event('DaemonSet-demo-fuse', 'FailedCreate', `${BASELINE} ${time}`, `2026-01-02T${time}:00Z`);
  const { ofRuntime } = found({ workloads: [fuse(1, 0)], events: ['02:00', '02:31', '02:46', '03:02'].map(at) });
  expect(ofRuntime.causes[0]).toMatchObject({ since: '2026-01-02T02:31:00Z', message: expect.stringContaining('03:02') });
});

test('pods that Kubernetes does not create, and no event speaks of, are a question to its controllers', () => {
  const { ofRuntime } = found({ workloads: [masters(1)] });
  expect(ofRuntime.causes).toMatchObject([
    { reason: 'NoPods', toDo: expect.stringContaining('kubectl describe statefulset demo-master -n ml') },
  ]);
});

test('masters that are not ready have one cause, with what their pods lack, and no advice about pods that do not exist', () => {
  const message = '0 of 1 master pods are ready';
  const its = runtime(condition('Synced', 'False', 'MasterNotReady', message));
  const events = [event('StatefulSet-demo-master', 'FailedCreate', BASELINE, JUST_NOW)];
  const waiting = object('Dataset', 'demo', {
    status: { phase: 'NotBound', conditions: [condition('NotReady', 'True', 'DatasetFailedToSetup', message)] },
  });
  const { ofDataset, ofRuntime } = found({ objects: [waiting, its], workloads: [masters(1)], events }, its);
  const told = { message: `${message}; ${BASELINE}`, toDo: expect.stringMatching(/^change what the message names/) };
  expect(ofRuntime.causes).toEqual([{ reason: 'MasterNotReady', ...told }]);
  expect(ofDataset.causes).toEqual([{ reason: 'DatasetFailedToSetup', ...told }]);
});

test.each([
  ['PodsRefused', 'FailedCreate', `DaemonSet/demo-fuse has 0 of 1: ${BASELINE}`],
  ['PodsCrashing', 'ContainersEnd', 'Containers of these pods end and are started again: demo-fuse-a.'],
  ['PodsPending', 'ImagePullBackOff', 'These pods have not started for a minute: demo-fuse-a. The pod demo-fuse-a: …'],
])('what %s says already is no second cause of the runtime', (type, reason, message) => {
  const isRefused = type === 'PodsRefused';
  const { ofDataset, ofRuntime } = found(
    {
      workloads: [fuse(1, 0)],
      pods: isRefused ? [] : [pod('demo-fuse-a', waits('ImagePullBackOff', 'no such image'))],
      events: isRefused ? [event('DaemonSet-demo-fuse', 'FailedCreate', BASELINE, LONG_AGO)] : [],
    },
    runtime(SYNCED, condition(type, 'True', reason, message)),
  );
  expect([ofRuntime.healthy, ofRuntime.phase]).toEqual([false, 'as its spec says, and in trouble']);
  expect(ofRuntime.causes.map((cause) => cause.message)).toEqual([message]);
  expect([ofDataset.healthy, ofDataset.causes.length]).toEqual([false, 1]);
});

test('of a Dataset alone, the workloads of its runtime are read', async () => {
  const at = await boundHarness([jfsSecret(), jfsDataset('demo'), jfsRuntime('demo')]);
  at.put({ ...(at.get('StatefulSet', 'demo-worker') as KubeObject), status: { replicas: 1, readyReplicas: 0 } });
  const client = at.server.client({ fieldManager: 'a-user' });
  const lists = {
    ...client,
    list: (...[type, options]: Parameters<typeof client.list>) => client.list(type, { ...options, fieldSelector: undefined }),
  };
  const { workloads } = await gather(lists, [juicefs], 'ml', ['dataset/demo']);
  expect(workloads.map(({ metadata }) => metadata.name).toSorted()).toEqual(['demo-fuse', 'demo-worker']);
});
