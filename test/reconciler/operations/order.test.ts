/** Which operation runs when: one of a kind at a time on a Dataset, and after the one that it names. */
import { describe, expect, test } from 'vitest';
import type { DataLoadSpec } from '../../../src/api/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { jfsDataset, jfsRuntime } from '../../support/objects.ts';
import type { Harness } from '../harness.ts';
import { bound, ended, eventsOf, load, ON_DEMO, process, reasonOf, running, statusOf } from './given.ts';

const after = (name: string, more: Partial<DataLoadSpec> = {}): DataLoadSpec => ({
  ...ON_DEMO,
  runAfter: { kind: 'DataLoad', name },
  ...more,
});
const jobs = (at: Harness) =>
  at.server
    .all('Job')
    .map(({ metadata }) => metadata.name.replace(/-(loader|processor)-job$/, ''))
    .toSorted();

describe('the line', () => {
  test('is served in the order of creation, one at a time; those that wait say at which place', async () => {
    const at = await bound();
    for (const name of ['c', 'b', 'a']) {
      at.put(load(ON_DEMO, name));
      await at.advance(1000);
    }
    await at.quiet();
    expect(jobs(at)).toEqual(['c']);
    expect(at.dataset().operationRef).toEqual({ DataLoad: 'c' });
    expect(statusOf(at, 'b')).toMatchObject({
      phase: 'Pending',
      conditions: [{ type: 'Complete', status: 'False', reason: 'WaitingForTurn' }],
    });
    expect(statusOf(at, 'a').conditions?.[0]?.message).toBe('number 3 in line for Dataset demo: DataLoad c runs');
    await ended(at, 'Succeeded', '', 'c');
    expect([jobs(at), statusOf(at, 'b')]).toMatchObject([['b', 'c'], { phase: 'Executing', conditions: [] }]);
    await ended(at, 'Succeeded', '', 'b');
    await ended(at, 'Succeeded', '', 'a');
    expect(['a', 'b', 'c'].map((name) => statusOf(at, name).phase)).toEqual(['Complete', 'Complete', 'Complete']);
    expect(eventsOf(at).filter((reason) => reason === 'WaitingForTurn')).toHaveLength(2);
  });
  test('says of which kind the one is that runs', async () => {
    const at = await bound();
    at.put(process({}, 'first'));
    await at.quiet();
    at.put(process({}, 'second'));
    await at.quiet();
    const { conditions } = statusOf(at, 'second', 'DataProcess');
    expect(conditions?.[0]?.message).toBe('number 2 in line for Dataset demo: DataProcess first runs');
  });
  test('has one start when many are created at once', async () => {
    const at = await bound();
    at.start();
    for (const name of ['a', 'b', 'c', 'd']) at.put(load(ON_DEMO, name));
    await at.settle();
    expect(jobs(at)).toEqual(['a']);
  });
  test('is one for each kind and each Dataset', async () => {
    const at = await running();
    at.put(jfsDataset('other'));
    at.put(jfsRuntime('other'));
    at.put(load({ dataset: { name: 'other' } }, 'elsewhere'));
    at.put(process());
    await at.quiet();
    expect(jobs(at)).toEqual(['elsewhere', 'op', 'warm']);
    expect(at.dataset().operationRef).toEqual({ DataLoad: 'warm', DataProcess: 'op' });
  });
  test('moves on when the one that runs, or is next, is deleted or fails', async () => {
    const at = await running();
    for (const name of ['a', 'b', 'c']) at.put(load(ON_DEMO, name));
    await at.quiet();
    at.delete('DataLoad', 'a');
    at.delete('DataLoad', 'warm');
    await at.quiet();
    expect(jobs(at)).toEqual(['b']);
    for (let i = 0; i < 4; i++) await ended(at, 'Failed', '', 'b');
    expect(statusOf(at, 'c').phase).toBe('Executing');
  });
  test('is not held up by one whose Job the API server refuses', async () => {
    const at = await bound();
    const rule = at.server.rules.refuse({ verb: 'create', kind: 'Job', name: 'a-loader-job' }, { status: 403, reason: 'Forbidden' });
    at.put(load(ON_DEMO, 'a'));
    at.put(load(ON_DEMO, 'b'));
    at.start();
    await at.advance(20_000);
    expect(jobs(at)).toEqual(['b']);
    rule.remove();
    // The operation has its turn again once no other runs.
    await at.advance(600_000);
    expect(jobs(at)).toEqual(['b']);
    await ended(at, 'Succeeded', '', 'b');
    await at.advance(600_000);
    expect(jobs(at)).toEqual(['a', 'b']);
  });
  test('is kept by a controller that starts again, with one Job each', async () => {
    const at = await running();
    for (const name of ['a', 'b']) at.put(load(ON_DEMO, name));
    await at.settle();
    for (const name of ['warm', 'a', 'b']) {
      at.kill();
      await at.restart();
      await at.quiet();
      expect(at.server.all('Job').filter(({ status }) => (status as { active?: number }).active)).toHaveLength(1);
      await ended(at, 'Succeeded', '', name);
    }
    expect(jobs(at)).toEqual(['a', 'b', 'warm']);
  });
  test('waits for Jobs of Fluid that run at once', async () => {
    const at = await bound();
    at.kill();
    for (const name of ['x', 'y'])
      at.put({ ...load(ON_DEMO, name), status: { phase: 'Executing', duration: 'Unfinished', conditions: [] } } as KubeObject);
    at.put(load(ON_DEMO, 'a'));
    await at.restart();
    await at.quiet();
    expect(at.dataset().operationRef).toEqual({ DataLoad: 'x,y' });
    expect(statusOf(at, 'a').phase).toBe('Pending');
  });
});

describe('spec.runAfter', () => {
  test('starts an operation once the other is complete; meanwhile it holds no place in the line', async () => {
    const at = await bound();
    at.put(process({}, 'first'));
    at.put(load({ ...ON_DEMO, runAfter: { kind: 'DataProcess', name: 'first' } }, 'second'));
    await at.advance(1000);
    at.put(load(ON_DEMO, 'third'));
    await at.quiet();
    expect(jobs(at)).toEqual(['first', 'third']);
    expect(statusOf(at, 'second')).toMatchObject({
      phase: 'Pending',
      waitingFor: { operationComplete: true },
      conditions: [{ reason: 'DataOperationWaiting', message: 'waiting for DataProcess ml/first to complete' }],
    });
    await ended(at, 'Succeeded', '', 'first');
    expect(statusOf(at, 'second')).toMatchObject({ waitingFor: { operationComplete: false }, conditions: [{ reason: 'WaitingForTurn' }] });
    await ended(at, 'Succeeded', '', 'third');
    expect(statusOf(at, 'second').phase).toBe('Executing');
    await ended(at, 'Succeeded', '', 'second');
    expect(statusOf(at, 'second')).toMatchObject({ phase: 'Complete', waitingFor: { operationComplete: false } });
  });
  test('is followed through edits until the operation has started, also after the first one was complete', async () => {
    const at = await running();
    at.put(load(after('first'), 'second'));
    at.put(process({}, 'other'));
    const complete = { phase: 'Complete', duration: '1s', conditions: [{ type: 'Complete', status: 'True' }] };
    at.put({ ...load(ON_DEMO, 'first'), status: complete } as KubeObject);
    await at.quiet();
    expect(statusOf(at, 'second')).toMatchObject({ waitingFor: { operationComplete: false }, observedRunAfter: 'DataLoad ml/first' });
    const other = { kind: 'DataProcess', name: 'other' } as const;
    at.edit('DataLoad', { runAfter: other }, 'second');
    await at.quiet();
    expect(reasonOf(at, 'second')).toBe('DataOperationWaiting');
    expect(statusOf(at, 'second')).toMatchObject({ waitingFor: { operationComplete: true }, observedRunAfter: 'DataProcess ml/other' });
    await ended(at, 'Succeeded');
    expect(statusOf(at, 'second').phase).toBe('Pending');
    await ended(at, 'Succeeded', '', 'other');
    expect(statusOf(at, 'second').phase).toBe('Executing');
    at.edit('DataLoad', { runAfter: { kind: 'DataLoad', name: 'none' } }, 'second');
    await at.quiet();
    expect(statusOf(at, 'second')).toMatchObject({ phase: 'Executing', waitingFor: { operationComplete: false } });
  });
  test('an operation fails with the one that it waits for, and the next with it', async () => {
    const at = await running();
    at.put(load(after('warm'), 'second'));
    at.put(load(after('second'), 'third'));
    await at.quiet();
    for (let i = 0; i < 4; i++) await ended(at, 'Failed');
    expect(statusOf(at, 'second')).toMatchObject({ phase: 'Failed', conditions: [{ type: 'Failed', reason: 'PredecessorFailed' }] });
    expect(statusOf(at, 'third').conditions?.[0]?.message).toBe('DataLoad ml/second failed, so this never runs');
    expect(eventsOf(at).filter((reason) => reason === 'PredecessorFailed')).toHaveLength(2);
  });
  test('names one by kind: another kind has the same names', async () => {
    const at = await bound();
    at.put(load(ON_DEMO, 'same'));
    at.put(process({ runAfter: { kind: 'DataLoad', name: 'same' } }, 'same'));
    await at.quiet();
    expect([statusOf(at, 'same').phase, statusOf(at, 'same', 'DataProcess').phase]).toEqual(['Executing', 'Pending']);
    await ended(at, 'Succeeded', '', 'same');
    expect([statusOf(at, 'same').phase, statusOf(at, 'same', 'DataProcess').phase]).toEqual(['Complete', 'Executing']);
  });
  test('one that does not exist is reported, and waited for', async () => {
    const at = await bound();
    at.put(load(after('first'), 'second'));
    await at.quiet();
    expect(reasonOf(at, 'second')).toBe('DataOperationNotFound');
    at.put(load(ON_DEMO, 'first'));
    await at.quiet();
    expect(reasonOf(at, 'second')).toBe('DataOperationWaiting');
    await ended(at, 'Succeeded', '', 'first');
    expect(statusOf(at, 'second').phase).toBe('Executing');
  });
  test('a circle is reported on each, and ends with an edit', async () => {
    const at = await bound();
    at.put(load(after('c'), 'a'));
    at.put(load(after('a'), 'b'));
    at.put(load(after('b'), 'c'));
    at.put(load(after('own'), 'own'));
    await at.quiet();
    expect(['a', 'b', 'c', 'own'].map((name) => reasonOf(at, name))).toEqual(Array(4).fill('RunAfterCycle'));
    expect(statusOf(at, 'a').conditions?.[0]?.message).toContain(
      'DataLoad ml/c, which waits for DataLoad ml/b, which waits for DataLoad ml/a',
    );
    at.put(load(ON_DEMO, 'a'));
    await at.quiet();
    expect([statusOf(at, 'a').phase, reasonOf(at, 'b'), reasonOf(at, 'c')]).toEqual([
      'Executing',
      'DataOperationWaiting',
      'DataOperationWaiting',
    ]);
  });
  test('one of another namespace counts only if it says so, and nothing is told of it before', async () => {
    const at = await bound();
    const message = () => statusOf(at, 'second').conditions?.[0]?.message;
    at.put(load(after('first', { runAfter: { kind: 'DataLoad', name: 'first', namespace: 'web' } }), 'second'));
    await at.quiet();
    expect(reasonOf(at, 'second')).toBe('ReferenceNotAllowed');
    const before = message();
    const first = { ...load(ON_DEMO, 'first'), metadata: { name: 'first', namespace: 'web' } };
    const complete = { phase: 'Complete', duration: '1s', conditions: [{ type: 'Complete', status: 'True' }] };
    at.put({ ...first, status: complete } as KubeObject);
    await at.quiet();
    expect([reasonOf(at, 'second'), message()]).toEqual(['ReferenceNotAllowed', before]);
    at.put({
      ...first,
      metadata: { ...first.metadata, annotations: { 'data.fluid.io/followers': 'dev, ml' } },
      status: complete,
    } as KubeObject);
    await at.quiet();
    expect(statusOf(at, 'second').phase).toBe('Executing');
  });
});

describe('spec.ttlSecondsAfterFinished', () => {
  const ttl = (seconds: number, more: Partial<DataLoadSpec> = {}) => ({ ...ON_DEMO, ttlSecondsAfterFinished: seconds, ...more });
  test('deletes the operation so long after its end, also by another process', async () => {
    const at = await bound();
    at.put(load(ttl(40)));
    await at.quiet();
    await ended(at, 'Succeeded');
    expect(statusOf(at).phase).toBe('Complete');
    at.kill();
    await at.restart();
    at.start();
    await at.advance(20_000);
    expect(at.get('DataLoad', 'warm')).toBeDefined();
    await at.advance(25_000);
    expect(at.get('DataLoad', 'warm')).toBeUndefined();
    expect(at.server.all('Job')).toEqual([]);
  });
  test('that is negative, which Fluid accepts, counts as none', async () => {
    const at = await bound();
    at.put(load(ttl(-10)));
    await at.quiet();
    await ended(at, 'Succeeded');
    expect(at.get('DataLoad', 'warm')).toBeUndefined();
    expect(at.passes).not.toContainEqual(expect.objectContaining({ outcome: { kind: 'settled', afterMs: -10_000 } }));
  });
  test('counts for one that failed without having run, and may be longer than a timer', async () => {
    const at = await bound();
    at.put(load(ttl(5, { dataset: { name: 'demo', namespace: 'web' } }), 'bad'));
    at.put(load(ttl(2_147_483_647)));
    await at.quiet();
    await ended(at, 'Succeeded');
    at.start();
    await at.advance(60_000);
    expect(at.get('DataLoad', 'bad')).toBeUndefined();
    expect(at.get('DataLoad', 'warm')).toBeDefined();
    expect(at.passes.length).toBeLessThan(50);
  });
  test('sets no timer for a schedule, which nothing deletes', async () => {
    const at = await bound();
    at.put(load(ttl(5, { policy: 'Cron' })));
    await at.quiet();
    expect(statusOf(at).conditions).toMatchObject([{ type: 'Failed', reason: 'ScheduleNotSpecified' }]);
    expect(at.passes).not.toContainEqual(expect.objectContaining({ outcome: { kind: 'settled', afterMs: 5000 } }));
  });
  test('does not delete what another operation has still to see complete', async () => {
    const at = await bound();
    at.put(load(ttl(0), 'first'));
    at.put(load(after('first'), 'second'));
    await at.quiet();
    at.server.hold('DataLoad');
    at.put({
      ...(at.server.all('Pod').find(({ metadata }) => metadata.name.startsWith('first')) as KubeObject),
      status: { phase: 'Succeeded' },
    } as KubeObject);
    await at.advance(10_000);
    at.server.release('DataLoad');
    await at.quiet();
    expect(statusOf(at, 'second').phase).toBe('Executing');
    expect(at.get('DataLoad', 'first')).toBeUndefined();
  });
});

describe('spec.runAfter.affinityStrategy', () => {
  const own = { 'kubernetes.io/hostname': 'node-1', 'topology.kubernetes.io/zone': 'z1', 'example.com/rack': 'r7' };
  const place = (key: string, value: string) => ({ key, operator: 'In', values: [value] });
  const affinityOf = (at: Harness, name: string) =>
    (at.get('Job', `${name}-loader-job`) as unknown as { spec: { template: { spec: { affinity?: object } } } }).spec.template.spec.affinity;
  /** `first` has run on node-1; `second` asks to run near it. */
  async function followed(strategy: object, spec: Partial<DataLoadSpec> = {}): Promise<Harness> {
    const at = await bound();
    at.server.put({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1', labels: own } });
    const first = load({ ...ON_DEMO, nodeSelector: { 'example.com/rack': 'r7' } }, 'first');
    at.put({ ...first, metadata: { ...first.metadata, annotations: { 'affinity.dataflow.fluid.io/labels': 'example.com/rack, none' } } });
    at.put(load(after('first', { runAfter: { kind: 'DataLoad', name: 'first', affinityStrategy: strategy }, ...spec }), 'second'));
    await at.quiet();
    await ended(at, 'Succeeded', '', 'first');
    expect(statusOf(at, 'second').phase).toBe('Executing');
    return at;
  }
  test('is of the node of the earlier operation, which its status records', async () => {
    const at = await followed({ policy: 'Require' });
    expect(statusOf(at, 'first').nodeAffinity).toEqual({
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              place('kubernetes.io/hostname', 'node-1'),
              place('topology.kubernetes.io/zone', 'z1'),
              place('example.com/rack', 'r7'),
            ],
          },
        ],
      },
    });
    expect(JSON.stringify(affinityOf(at, 'second'))).toContain(JSON.stringify([place('kubernetes.io/hostname', 'node-1')]));
  });
  test('is added to what the user demands', async () => {
    const terms = [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }];
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } };
    const at = await followed({ policy: 'Require', requires: [{ name: 'example.com/rack' }] }, { affinity });
    expect(affinityOf(at, 'second')).toMatchObject({
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }, place('example.com/rack', 'r7')] }],
        },
      },
    });
  });
  test.each<[object, unknown]>([
    [
      {
        policy: 'Prefer',
        prefers: [
          { name: 'topology.kubernetes.io/zone', weight: 7 },
          { name: 'no.such/label', weight: 1 },
        ],
      },
      [{ weight: 7, preference: { matchExpressions: [place('topology.kubernetes.io/zone', 'z1')] } }],
    ],
    [{ policy: 'Prefer' }, [{ weight: 100, preference: { matchExpressions: [place('kubernetes.io/hostname', 'node-1')] } }]],
  ])('prefers: %o', async (strategy, preferred) => {
    const at = await followed(strategy);
    expect(affinityOf(at, 'second')).toMatchObject({ nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } });
  });
  test('without a policy has no effect', async () => expect(affinityOf(await followed({}), 'second')).toBeUndefined());
  test('may name another operation, which it waits for as well', async () => {
    const at = await bound();
    at.put(process({}, 'other'));
    at.put(load(ON_DEMO, 'first'));
    const strategy = { policy: 'Require', dependOn: { kind: 'DataProcess', name: 'other' } } as const;
    at.put(load(after('first', { runAfter: { kind: 'DataLoad', name: 'first', affinityStrategy: strategy } }), 'second'));
    await at.quiet();
    await ended(at, 'Succeeded', '', 'first');
    expect(statusOf(at, 'second').conditions?.[0]?.message).toBe('waiting for DataProcess ml/other to complete');
    await ended(at, 'Succeeded', '', 'other');
    expect(JSON.stringify(affinityOf(at, 'second'))).toContain('kubernetes.io/hostname');
  });
});
