import { expect, test } from 'vitest';
import { findings } from '../../src/explain/findings.ts';
import type { ExplainInput } from '../../src/explain/gather.ts';
import type { KubeObject } from '../../src/kube/types.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const object = (kind: string, name: string, status?: object, spec: object = {}): KubeObject =>
  ({
    apiVersion: 'data.fluid.io/v1alpha1',
    kind,
    metadata: { namespace: 'ml', name, uid: `uid-${kind}-${name}` },
    spec,
    status,
  }) as KubeObject;
const of = (objects: readonly KubeObject[], more: Partial<ExplainInput> = {}) =>
  findings({ objects, runtimes: [], operations: [], workloads: [], jobs: [], pods: [], events: [], now: NOW, ...more });
const condition = (type: string, status: string, reason: string, message = '') => ({ type, status, reason, message });

test('an object that serves, runs or is complete is healthy', () => {
  const found = of([
    object('Dataset', 'demo', { phase: 'Bound', conditions: [condition('Ready', 'True', 'DatasetReady')] }),
    object('Dataset', 'moves', { phase: 'DataMigrating', conditions: [condition('Ready', 'True', 'DatasetReady')] }),
    object('ThinRuntime', 'demo', { conditions: [condition('Synced', 'True', 'Synced')] }),
    object('DataLoad', 'warm', { phase: 'Executing', conditions: [] }),
    object('DataLoad', 'done', { phase: 'Complete', conditions: [condition('Complete', 'True', 'CompletionsReached')] }),
  ]);
  expect(found.map(({ healthy, causes }) => [healthy, causes])).toEqual(found.map(() => [true, []]));
});

test('the conditions of kstatus repeat what others say: a cause is there once, and an operation that runs is healthy', () => {
  const health = (reason: string, type: string) => [condition('Ready', 'False', reason, 'x'), condition(type, 'True', reason, 'x')];
  const found = of([
    object('ThinRuntime', 'demo', { conditions: [condition('Synced', 'False', 'InvalidSpec', 'x'), ...health('InvalidSpec', 'Stalled')] }),
    object('Dataset', 'demo', {
      phase: 'NotBound',
      conditions: [condition('NotReady', 'True', 'RuntimeNotFound', 'x'), ...health('RuntimeNotFound', 'Reconciling')],
    }),
    object('DataLoad', 'warm', { phase: 'Executing', conditions: health('Executing', 'Reconciling') }),
    object('DataLoad', 'waits', {
      phase: 'Pending',
      conditions: [condition('Complete', 'False', 'WaitingForTurn', 'x'), ...health('WaitingForTurn', 'Reconciling')],
    }),
  ]);
  expect(found.map(({ healthy, causes }) => [healthy, causes.length])).toEqual([
    [false, 1],
    [false, 1],
    [true, 0],
    [false, 1],
  ]);
});

test('a cause has the message, since when, and what the table of reasons says to do, without its links', () => {
  const since = '2026-01-02T03:00:00Z';
  const wrong = { ...condition('Synced', 'False', 'InvalidSpec', 'spec.replicas: expected …'), lastTransitionTime: since };
  const [finding] = of([object('ThinRuntime', 'demo', { conditions: [wrong] })]);
  expect(finding).toMatchObject({ object: 'ThinRuntime ml/demo', healthy: false, phase: 'not as its spec says' });
  expect(finding?.causes).toEqual([
    { reason: 'InvalidSpec', message: 'spec.replicas: expected …', since, toDo: expect.stringContaining('stays so') },
  ]);
  expect(finding?.causes[0]?.toDo).not.toMatch(/[[\]()]/);
});

test('a runtime that is as its spec says, and whose engine does not answer, is in trouble', () => {
  const fails = condition('DataUnavailable', 'True', 'ReadsFail', 'A pod that looks up a file waits: the store does not answer.');
  const [dataset, runtime] = of([
    object('Dataset', 'demo', { phase: 'Bound', conditions: [condition('Ready', 'True', 'DatasetReady'), fails] }),
    object('ThinRuntime', 'demo', { conditions: [condition('Synced', 'True', 'Synced'), fails] }),
  ]);
  expect([dataset?.healthy, dataset?.phase]).toEqual([false, 'Bound']);
  expect([runtime?.healthy, runtime?.phase]).toEqual([false, 'as its spec says, and in trouble']);
  expect(runtime?.causes).toMatchObject([{ reason: 'ReadsFail', toDo: expect.stringContaining('runs and can be reached') }]);
});

test('a Dataset that is not ready says so once, and one without a status is not seen', () => {
  const [waiting, unseen] = of([
    object('Dataset', 'a', {
      phase: 'NotBound',
      conditions: [condition('Ready', 'False', 'MasterNotReady'), condition('NotReady', 'True', 'MasterNotReady', '0 of 1')],
    }),
    object('Dataset', 'b'),
  ]);
  expect(waiting?.causes.map(({ message }) => message)).toEqual(['0 of 1']);
  expect([unseen?.healthy, unseen?.causes.map(({ reason }) => reason)]).toEqual([false, ['NotSeen']]);
});

test('the advice for a Dataset that cannot be set up is that of its runtime', () => {
  const message = 'waiting for Secret ml/keys';
  const dataset = object('Dataset', 'demo', {
    phase: 'NotBound',
    conditions: [condition('NotReady', 'True', 'DatasetFailedToSetup', message)],
  });
  const runtime = (name: string, reason: string) =>
    object('JuiceFSRuntime', name, { conditions: [condition('Synced', 'False', reason, message)] });
  const [finding] = of([dataset], { runtimes: [runtime('other', 'InvalidSpec'), runtime('demo', 'SecretNotFound')] });
  expect(finding?.causes[0]?.toDo).toMatch(/^create the Secret, or add the key/);
});

test('warnings that affect nothing that is served are named, and are no fault', () => {
  const [finding] = of([
    object('ThinRuntime', 'demo', {
      conditions: [condition('Synced', 'True', ''), condition('SpecWarning', 'True', 'SpecPartlyIgnored', 'spec.x')],
    }),
  ]);
  expect([finding?.healthy, finding?.causes.map(({ message }) => message)]).toEqual([true, ['spec.x']]);
});

test('a workload that is not ready names its pods and why they are not', () => {
  const runtime = object('JuiceFSRuntime', 'demo', { conditions: [condition('Synced', 'False', 'WorkersNotReady')] });
  const labels = { 'data.fluid.io/owner-uid': runtime.metadata.uid ?? '' };
  const worker = {
    ...object('StatefulSet', 'demo-worker', { readyReplicas: 1 }, { replicas: 3, selector: { matchLabels: { role: 'w' } } }),
    metadata: { name: 'demo-worker', namespace: 'ml', labels },
  } as KubeObject;
  const pod = (name: string, status: object, role = 'w') =>
    ({ ...object('Pod', name, status), metadata: { namespace: 'ml', name, labels: { role } } }) as KubeObject;
  const [finding] = of([runtime], {
    workloads: [worker],
    pods: [
      pod('demo-worker-0', { conditions: [condition('Ready', 'True', '')] }),
      pod('demo-worker-1', {
        containerStatuses: [{ name: 'w', state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } }],
      }),
      pod('demo-worker-2', { conditions: [condition('PodScheduled', 'False', 'Unschedulable', '0/3 nodes are available')] }),
      pod('other', {}, 'x'),
    ],
  });
  expect(finding?.details).toEqual([
    'StatefulSet demo-worker: 1 of 3 pods ready',
    '  pod demo-worker-1: w ImagePullBackOff: no such image',
    '  pod demo-worker-2: Unschedulable: 0/3 nodes are available',
  ]);
});

test('an operation shows the chain before it, also a circle, and events that its condition does not repeat', () => {
  const after = (name: string) => ({ runAfter: { kind: 'DataLoad', name } });
  const first = object('DataLoad', 'first', { phase: 'Executing' });
  const second = object(
    'DataLoad',
    'second',
    { phase: 'Pending', conditions: [condition('Complete', 'False', 'DataOperationWaiting', 'waits')] },
    after('first'),
  );
  const third = object('DataProcess', 'third', { phase: 'Pending' }, after('second'));
  const event = (message: string) =>
    ({ ...object('Event', 'e'), involvedObject: { uid: second.metadata.uid }, reason: 'R', message }) as KubeObject;
  const [finding] = of([third], { operations: [first, second, third] });
  expect(finding?.details).toEqual(['after DataLoad second (Pending), after DataLoad first (Executing)']);
  const [other] = of([second], { operations: [first, second], events: [event('waits'), event('else')] });
  expect(other?.details.at(-1)).toBe('event R: else');
  const own = object('DataLoad', 'own', {}, after('own'));
  expect(of([own], { operations: [own] })[0]?.details).toHaveLength(1);
});

test.each<[string, ReturnType<typeof condition>, string]>([
  ['a reason of Fluid', condition('NotReady', 'True', 'DatasetFailed'), 'see the message'],
  ['pods that run an older template', condition('PodsOutdated', 'True', 'PodsOutdated'), 'delete these pods when it suits you'],
  [
    'pods that a quota refuses',
    condition('PodsRefused', 'True', 'FailedCreate'),
    'change what the message names: a quota, a LimitRange, Pod Security or an admission webhook',
  ],
  ['an object that the API server refuses', condition('Synced', 'False', 'ApplyFailed'), 'after `422 Invalid`, edit the value'],
  ['a reason whose advice is that of another', condition('Synced', 'False', 'UpdateFailed'), 'see quota, admission webhooks and rights'],
  ['an object of a vendor that is missing', condition('Synced', 'False', 'AcmeProfileNotFound'), 'create it'],
])('what to do about %s', (_, wrong, text) => {
  const [finding] = of([object('ThinRuntime', 'demo', { conditions: [condition('Synced', 'True', ''), wrong] })]);
  expect(finding?.causes[0]?.toDo).toContain(text);
});

test('a reason that is the name of another condition is told by that one', () => {
  const [finding] = of([
    object('AlluxioRuntime', 'demo', {
      conditions: [condition('Synced', 'False', 'MountsDiffer', 'see'), condition('MountsDiffer', 'True', 'MountsDiffer', '/a is /b')],
    }),
  ]);
  expect([finding?.healthy, finding?.causes.map(({ message }) => message)]).toEqual([false, ['/a is /b']]);
});

test('an unhealthy object always has a cause, and a schedule before its first time is healthy', () => {
  const found = of([
    object('Dataset', 'demo', { phase: 'Updating' }),
    object('DataLoad', 'nightly', { phase: 'Pending' }, { policy: 'Cron' }),
  ]);
  expect(found.map(({ healthy, causes }) => [healthy, causes.length])).toEqual([
    [false, 1],
    [true, 0],
  ]);
});

test('an operation that follows the mounts is well while nothing has changed, and says what it waits for otherwise', () => {
  const spec = { policy: 'OnEvent' };
  const found = of([
    object('DataLoad', 'idle', { phase: 'Complete', conditions: [condition('Complete', 'True', 'CompletionsReached')] }, spec),
    object('DataLoad', 'changed', { phase: 'Pending', conditions: [condition('Complete', 'False', 'MountsChanged')] }, spec),
  ]);
  expect(found.map(({ healthy, causes }) => [healthy, causes.map(({ reason }) => reason)])).toEqual([
    [true, []],
    [false, ['MountsChanged']],
  ]);
});

test('a paused operation is not well, and one that has failed can be retried: what to do names the annotations', () => {
  const found = of([
    object('DataLoad', 'paused', { phase: 'Pending', conditions: [condition('Complete', 'False', 'Paused')] }),
    object('DataLoad', 'failed', { phase: 'Failed', conditions: [condition('Failed', 'True', 'BackoffLimitExceeded')] }),
  ]);
  expect(found.map(({ healthy, causes }) => [healthy, causes[0]?.toDo])).toEqual([
    [false, 'remove the annotation: the operation starts, or its Job goes on, when its turn comes'],
    [false, expect.stringContaining('data.fluid.io/retry')],
  ]);
});

test('the advice after an earlier operation failed names those to retry, the first that failed first', () => {
  const failed = (name: string, reason: string, after?: string) =>
    object(
      'DataLoad',
      name,
      { phase: 'Failed', conditions: [condition('Failed', 'True', reason)] },
      after === undefined ? {} : { runAfter: { kind: 'DataLoad', name: after } },
    );
  const first = failed('first', 'BackoffLimitExceeded');
  const second = failed('second', 'PredecessorFailed', 'first');
  const third = failed('third', 'PredecessorFailed', 'second');
  const [finding] = of([third], { operations: [first, second, third] });
  expect(finding?.causes[0]?.toDo).toContain('retry DataLoad first, then DataLoad second, then this one, each by a new text');
});

test('objects of one name in two namespaces are told apart', () => {
  const there = (each: KubeObject): KubeObject => ({
    ...each,
    metadata: { ...each.metadata, namespace: 'web', uid: `web-${each.metadata.uid}` },
  });
  const load = object('DataLoad', 'first', { phase: 'Executing' });
  const second = object('DataLoad', 'second', { phase: 'Pending' }, { runAfter: { kind: 'DataLoad', name: 'first' } });
  const twin = there(object('DataLoad', 'first', { phase: 'Failed' }));
  expect(of([second], { operations: [twin, load, second] })[0]?.details).toEqual(['after DataLoad first (Executing)']);
  const labels = { 'data.fluid.io/owner-uid': 'x' };
  const set = { ...object('StatefulSet', 'demo-worker', {}, { replicas: 1, selector: { matchLabels: { role: 'w' } } }) };
  const runtime = { ...object('JuiceFSRuntime', 'demo', { conditions: [condition('Synced', 'False', 'WorkersNotReady')] }) };
  const owned = { ...set, metadata: { ...set.metadata, labels: { ...labels, 'data.fluid.io/owner-uid': runtime.metadata.uid ?? '' } } };
  const pod = {
    ...object('Pod', 'demo-worker-0'),
    metadata: { name: 'demo-worker-0', namespace: 'web', labels: { role: 'w' } },
  } as KubeObject;
  expect(of([runtime], { workloads: [owned], pods: [pod] })[0]?.details).toEqual(['StatefulSet demo-worker: 0 of 1 pods ready']);
});

test('a name that is too long cannot be retried', () => {
  const message = 'DataLoad ml/x: metadata.name: expected at most 52 lower-case letters, found "x"';
  const [finding] = of([object('DataLoad', 'x', { phase: 'Failed', conditions: [condition('Failed', 'True', 'InvalidSpec', message)] })]);
  expect(finding?.causes[0]?.toDo).toBe('delete it, and create it under a shorter name');
});

test('the advice for a reference that is not allowed fits the kind', () => {
  const [load, runtime] = of([
    object('DataLoad', 'x', { phase: 'Pending', conditions: [condition('Complete', 'False', 'ReferenceNotAllowed')] }),
    object('ThinRuntime', 'x', { conditions: [condition('Synced', 'False', 'ReferenceNotAllowed')] }),
  ]);
  expect(load?.causes[0]?.toDo).toMatch(/^let the owner of the other one/);
  expect(runtime?.causes[0]?.toDo).toMatch(
    /^let the owner of the other Dataset list this namespace in its annotation `?data\.fluid\.io\/shared-with/,
  );
});

test('an operation with a schedule shows it, when it was due and when it was last complete', () => {
  const spec = { policy: 'Cron', schedule: '0 3 * * *' };
  const times = { lastScheduleTime: '2026-01-02T03:00:00Z', lastSuccessfulTime: '2026-01-01T03:01:00Z' };
  const found = of([
    object('DataLoad', 'new', { phase: 'Pending' }, spec),
    object('DataLoad', 'old', { phase: 'Complete', ...times }, spec),
  ]);
  expect(found.map(({ details }) => details)).toEqual([
    ['schedule 0 3 * * *, has not run yet'],
    ['schedule 0 3 * * *, last due at 2026-01-02T03:00:00Z, last complete at 2026-01-01T03:01:00Z'],
  ]);
});

test('a DataMigrate with pods that help has its own phase', () => {
  const move = object('DataMigrate', 'move', { phase: 'Pending' }, { policy: 'Cron', schedule: '@daily' });
  const helpers = {
    ...object('StatefulSet', 'move-migrate-workers', {}, { replicas: 0 }),
    metadata: { name: 'move-migrate-workers', namespace: 'ml', labels: { 'data.fluid.io/owner-uid': move.metadata.uid ?? '' } },
  } as KubeObject;
  expect(of([move], { workloads: [helpers] })[0]).toMatchObject({ phase: 'Pending', healthy: true });
});

test('an operation of another namespace in the chain is not taken for one of this', () => {
  const twin = object('DataLoad', 'first', { phase: 'Executing' });
  const second = object('DataLoad', 'second', { phase: 'Pending' }, { runAfter: { kind: 'DataLoad', name: 'first', namespace: 'web' } });
  const [finding] = of([second], { operations: [twin, second] });
  expect(finding?.details).toEqual(['after DataLoad first (of namespace web, which was not read)']);
  const [whole] = of([second], { operations: [twin, second], isWhole: true });
  expect(whole?.details).toEqual(['after DataLoad first (does not exist)']);
});

test('a reason may be a name that every object has', () => {
  for (const reason of ['constructor', 'toString', '__proto__']) {
    const failed = object('DataLoad', 'warm', { phase: 'Failed', conditions: [condition('Failed', 'True', reason)] });
    const waiting = object('Dataset', 'demo', { phase: 'NotBound', conditions: [condition('Ready', 'False', reason)] });
    const advice = of([failed, waiting]).flatMap(({ causes }) => causes.map(({ toDo }) => toDo));
    expect(advice).toEqual([expect.stringContaining('retry the operation'), 'see the message']);
  }
});

test('the latest events come first, whichever API wrote them', () => {
  const load = object('DataLoad', 'warm', { phase: 'Executing' });
  const event = (message: string, time: object) =>
    ({ ...object('Event', message), involvedObject: { uid: load.metadata.uid }, reason: 'R', message, ...time }) as KubeObject;
  const [finding] = of([load], {
    events: [
      event('old', { lastTimestamp: '2026-01-02T01:00:00Z' }),
      event('new', { lastTimestamp: null, eventTime: '2026-01-02T02:00:00.000000Z' }),
      event('again', {
        lastTimestamp: null,
        eventTime: '2026-01-01T02:00:00.000000Z',
        series: { count: 9, lastObservedTime: '2026-01-02T03:04:00.000000Z' },
      }),
    ],
  });
  expect(finding?.details).toEqual(['event R, 5s ago: again', 'event R, 1h4m5s ago: new', 'event R, 2h4m5s ago: old']);
});

test('an operation says how far it is, if its engine reports that', () => {
  const infos = { Progress: '42 %', Step: 'loading /a', Bytes: '5 of 12', Rate: '1MB/s' };
  const [loading, processing] = of([
    object('DataLoad', 'warm', { phase: 'Executing', conditions: [], infos }),
    object('DataProcess', 'count', { phase: 'Executing', conditions: [], infos: { lines: '5' } }),
  ]);
  expect([loading?.details, processing?.details]).toEqual([['progress: 42 %, loading /a, 1MB/s'], []]);
});

test('why Kubernetes creates no pods of a workload is said once, as soon as an event says so', () => {
  const runtime = (message: string) =>
    object('JuiceFSRuntime', 'demo', {
      conditions: [condition('Synced', 'True', 'Synced'), condition('PodsRefused', message ? 'True' : 'False', 'FailedCreate', message)],
    });
  const workers = {
    ...object('StatefulSet', 'demo-worker', {}, { replicas: 1, selector: { matchLabels: { role: 'w' } } }),
    metadata: { name: 'demo-worker', namespace: 'ml', uid: 'w', labels: { 'data.fluid.io/owner-uid': 'uid-JuiceFSRuntime-demo' } },
  } as KubeObject;
  const event = { ...object('Event', 'e'), involvedObject: { uid: 'w' }, reason: 'FailedCreate', message: 'exceeded quota' } as KubeObject;
  const told = 'StatefulSet/demo-worker has 0 of 1: exceeded quota';
  for (const message of ['', told]) {
    const [finding] = of([runtime(message)], { workloads: [workers], events: [event] });
    expect(finding?.details).toEqual(['StatefulSet demo-worker: 0 of 1 pods ready']);
    expect(finding?.causes.map((cause) => cause.message)).toEqual([
      message || 'StatefulSet demo-worker: 0 of 1 pods ready; exceeded quota',
    ]);
  }
});
