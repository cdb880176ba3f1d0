/** Policy OnEvent: once when the Dataset is bound, then 30 s after the last change of its mounts. */
import { describe, expect, test, vi } from 'vitest';
import type { DataLoadSpec } from '../../../src/api/index.ts';
import { jfsDataset, jfsRuntime, jfsSecret } from '../../support/objects.ts';
import { type Harness, harness } from '../harness.ts';
import { annotated, bound, ended, eventsOf, JOB, load, MOUNT, ON_DEMO, process, reasonOf, running, statusOf, uidOf } from './given.ts';

const ON_EVENT = { ...ON_DEMO, policy: 'OnEvent' } as const satisfies DataLoadSpec;
type Mount = Readonly<Record<string, unknown>>;
const mountsOf = (bucket: string, more: Mount = {}): readonly Mount[] => [
  { ...MOUNT, options: { ...(MOUNT['options'] as object), bucket }, ...more },
];
/** Changes the mount, and lets no more time pass than the Dataset needs. */
async function mounted(at: Harness, bucket: string, more: Mount = {}) {
  at.edit('Dataset', { mounts: mountsOf(bucket, more) });
  await at.advance(10);
  expect(at.dataset().mounts).toMatchObject([{ options: { bucket } }]);
}
const started = (spec: DataLoadSpec = ON_EVENT) => running(load(spec));
/** An operation whose first run is complete. */
async function idle(spec: DataLoadSpec = ON_EVENT): Promise<Harness> {
  const at = await started(spec);
  await ended(at, 'Succeeded');
  expect(statusOf(at)).toMatchObject({ phase: 'Complete', observedMounts: expect.stringMatching(/^[0-9a-f]{16}$/) });
  await at.advance(60_000);
  at.forget();
  return at;
}

test('it runs once its Dataset is bound', async () => {
  const at = await harness();
  at.put(load(ON_EVENT));
  await at.quiet();
  expect(reasonOf(at)).toBe('TargetDatasetNotFound');
  for (const object of [jfsSecret(), jfsDataset('demo'), jfsRuntime('demo')]) at.put(object);
  await at.quiet();
  expect(statusOf(at).phase).toBe('Executing');
  await ended(at, 'Succeeded');
  expect(statusOf(at)).toMatchObject({ phase: 'Complete', conditions: [{ type: 'Complete', status: 'True' }] });
});

test('idle, it costs nothing, whatever else happens to its Dataset', async () => {
  const at = await idle({ ...ON_EVENT, ttlSecondsAfterFinished: 5 });
  at.edit('Dataset', { sharedOptions: { a: '1' } });
  at.put(process());
  await at.quiet(120_000);
  expect(at.server.requestsThat({ kind: ['DataLoad', 'Job'] }).filter(({ name }) => name?.startsWith('warm'))).toEqual([]);
  at.kill();
  await at.restart();
  at.forget();
  await at.quiet(120_000);
  expect(at.written()).toEqual([]);
  expect(at.get('DataLoad', 'warm')).toBeDefined();
});

test('30 s after the last change of the mounts it runs again, though the clock was set back by a day meanwhile', async () => {
  const at = await idle();
  await mounted(at, 'a');
  vi.setSystemTime(Date.now() - 24 * 3_600_000);
  await at.advance(29_000);
  expect(statusOf(at).phase).toBe('Pending');
  await at.advance(2000);
  expect(statusOf(at).phase).toBe('Executing');
});

test('30 s after the last change of the mounts it runs again, and says so meanwhile', async () => {
  const at = await idle();
  const first = uidOf(at);
  await mounted(at, 'a');
  expect(statusOf(at)).toMatchObject({
    phase: 'Pending',
    duration: 'Unfinished',
    conditions: [
      {
        type: 'Complete',
        status: 'False',
        reason: 'MountsChanged',
        message: 'mounts of Dataset demo have changed: it runs again 30 s after the last change',
      },
    ],
  });
  await at.advance(20_000);
  await mounted(at, 'b');
  await at.advance(29_000);
  expect([statusOf(at).phase, uidOf(at)]).toEqual(['Pending', undefined]);
  await at.advance(1000);
  expect(statusOf(at)).toMatchObject({ phase: 'Executing', conditions: [] });
  expect(uidOf(at)).not.toBe(first);
  await at.advance(20_000);
  await ended(at, 'Succeeded');
  // The status of this run.
  expect(statusOf(at)).toMatchObject({ phase: 'Complete', duration: '20s' });
  expect(eventsOf(at)).toEqual(['MountsChanged', 'DataOperationSucceed']);
  await at.quiet(120_000);
  expect(at.written({ verb: 'create', kind: 'Job' })).toHaveLength(1);
});

test('mounts that change for ever cost one write of its own', async () => {
  const at = await idle();
  for (let i = 0; i < 10; i++) {
    await mounted(at, `flap-${i}`);
    await at.advance(10_000);
  }
  expect(at.written({ kind: 'DataLoad' })).toEqual(['patch DataLoad/warm/status']);
  expect(at.written({ kind: 'Job' })).toEqual([`delete Job/${JOB}`]);
  await at.advance(20_000);
  expect(statusOf(at).phase).toBe('Executing');
});

test('mounts that are as they were after all lead to a run: what was cached may be lost', async () => {
  const at = await idle();
  const before = at.dataset().mounts;
  await mounted(at, 'a');
  at.edit('Dataset', { mounts: before });
  await at.advance(29_000);
  expect(statusOf(at).phase).toBe('Pending');
  await at.advance(2000);
  expect(statusOf(at).phase).toBe('Executing');
});

test.each<readonly [string, Mount]>([
  ['spelled out', { readOnly: false, shared: false, path: '/minio' }],
  ['in another order', { encryptOptions: (MOUNT['encryptOptions'] as object[]).toReversed() }],
])('the same mounts %s are no change', async (_, more) => {
  const at = await idle();
  at.edit('Dataset', { mounts: [Object.fromEntries(Object.entries({ ...MOUNT, ...more }).toReversed())] });
  await at.quiet(60_000);
  expect(at.written({ kind: ['DataLoad', 'Job'] })).toEqual([]);
});

describe('mounts that change while it runs', () => {
  test('lead to another run after that', async () => {
    const at = await started();
    const first = uidOf(at);
    await mounted(at, 'a');
    await at.advance(20_000);
    expect(uidOf(at)).toBe(first);
    await ended(at, 'Succeeded', '', 'warm', 'dead');
    await at.advance(100);
    expect(reasonOf(at)).toBe('MountsChanged');
    await at.advance(10_000);
    expect(statusOf(at).phase).toBe('Executing');
    expect(uidOf(at)).not.toBe(first);
    expect(eventsOf(at)).toEqual(['DataOperationSucceed', 'MountsChanged']);
  });
  test('long before its end lead to another run at once', async () => {
    const at = await started();
    await mounted(at, 'a');
    await at.advance(60_000);
    const first = uidOf(at);
    await ended(at, 'Succeeded', '', 'warm', 'dead');
    await at.advance(100);
    expect(statusOf(at).phase).toBe('Executing');
    expect(uidOf(at)).not.toBe(first);
  });
  test('lead to another run, also if no controller ran then', async () => {
    const at = await started();
    at.kill();
    const first = uidOf(at);
    at.edit('Dataset', { mounts: mountsOf('a') });
    await ended(at, 'Succeeded', '', 'warm', 'dead');
    await at.restart();
    await at.quiet(40_000);
    expect(statusOf(at).phase).toBe('Executing');
    expect(uidOf(at)).not.toBe(first);
  });
});

describe('a run that fails', () => {
  test('is repeated when mounts change or its user asks for it, and not before', async () => {
    const at = await started();
    for (let i = 0; i < 4; i++) await ended(at, 'Failed', 'no such path');
    await at.quiet(120_000);
    expect(statusOf(at).phase).toBe('Failed');
    annotated(at, 'warm', { 'data.fluid.io/retry': '1' });
    await at.quiet();
    expect(statusOf(at)).toMatchObject({ phase: 'Executing', observedRetry: '1' });
    for (let i = 0; i < 4; i++) await ended(at, 'Failed', 'no such path');
    await mounted(at, 'a');
    expect(statusOf(at)).toMatchObject({ phase: 'Pending', conditions: [{ type: 'Complete', reason: 'MountsChanged' }] });
    await at.quiet(40_000);
    expect(statusOf(at).phase).toBe('Executing');
  });
  test('because of its spec is reported once', async () => {
    const at = await bound();
    at.put(load({ ...ON_EVENT, dataset: { name: 'demo', namespace: 'web' } }));
    await at.quiet();
    expect(statusOf(at).phase).toBe('Failed');
    at.forget();
    at.edit('Dataset', { sharedOptions: { a: '1' } });
    await at.quiet(60_000);
    expect(at.written({ kind: 'DataLoad' })).toEqual([]);
  });
});

describe('in the line', () => {
  test('it holds no place while it is idle, nor before its mounts have settled', async () => {
    const at = await idle();
    at.put(load(ON_DEMO, 'a'));
    await at.quiet();
    expect(statusOf(at, 'a').phase).toBe('Executing');
    await mounted(at, 'x');
    await ended(at, 'Succeeded', '', 'a');
    expect(reasonOf(at)).toBe('MountsChanged');
    at.put(load(ON_DEMO, 'b'));
    await at.advance(2000);
    expect(statusOf(at, 'b').phase).toBe('Executing');
    await at.advance(60_000);
    expect(reasonOf(at)).toBe('WaitingForTurn');
    await ended(at, 'Succeeded', '', 'b');
    expect(statusOf(at).phase).toBe('Executing');
  });
  test('two of them run one after the other', async () => {
    const at = await idle();
    at.put(load(ON_EVENT, 'next'));
    await at.quiet();
    await ended(at, 'Succeeded', '', 'next');
    await mounted(at, 'x');
    await at.advance(31_000);
    const running = () => ['warm', 'next'].filter((name) => statusOf(at, name).phase === 'Executing');
    expect(running()).toHaveLength(1);
    const [first = '', second = ''] = running()[0] === 'warm' ? ['warm', 'next'] : ['next', 'warm'];
    await at.advance(2000);
    expect(running()).toEqual([first]);
    await ended(at, 'Succeeded', '', first);
    expect(running()).toEqual([second]);
  });
  test('it starts when the one before it ends while it takes its place', async () => {
    const at = await idle();
    at.put(load(ON_DEMO, 'a'));
    await at.quiet();
    await mounted(at, 'x');
    const held = at.server.rules.hold({ verb: 'patch', kind: 'DataLoad', name: 'warm', subresource: 'status' });
    await at.advance(31_000);
    expect(held.waiting).toBe(1);
    await ended(at, 'Succeeded', '', 'a', 'dead');
    expect(statusOf(at, 'a').phase).toBe('Complete');
    held.release();
    await at.advance(3000);
    expect(statusOf(at).phase).toBe('Executing');
  });
  test('mounts that change while it waits for its turn delay it, and no other operation', async () => {
    const at = await idle();
    at.put(load(ON_DEMO, 'a'));
    await mounted(at, 'x');
    await at.advance(40_000);
    expect(reasonOf(at)).toBe('WaitingForTurn');
    at.put(load(ON_DEMO, 'b'));
    await mounted(at, 'y');
    await ended(at, 'Succeeded', '', 'a');
    expect([reasonOf(at), statusOf(at, 'b').phase]).toEqual(['MountsChanged', 'Executing']);
  });
});

test('with runAfter, its first run waits, and no later one', async () => {
  const at = await bound();
  at.put(process());
  at.put(load({ ...ON_EVENT, runAfter: { kind: 'DataProcess', name: 'op' } }));
  await at.quiet();
  expect(reasonOf(at)).toBe('DataOperationWaiting');
  await ended(at, 'Succeeded', '', 'op');
  await ended(at, 'Succeeded');
  at.delete('DataProcess', 'op');
  await mounted(at, 'a');
  await at.quiet(40_000);
  expect(statusOf(at)).toMatchObject({ phase: 'Executing', waitingFor: { operationComplete: false } });
});

test('the one near which it runs each time stays, whatever its time to live', async () => {
  const at = await bound();
  at.put(load({ ...ON_DEMO, ttlSecondsAfterFinished: 0 }, 'first'));
  await at.quiet();
  at.put(load({ ...ON_EVENT, runAfter: { kind: 'DataLoad', name: 'first', affinityStrategy: { policy: 'Require' } } }));
  await at.quiet();
  await ended(at, 'Succeeded', '', 'first');
  expect(statusOf(at).phase).toBe('Executing');
  await at.quiet(60_000);
  expect(at.get('DataLoad', 'first')).toBeDefined();
});

test('those that run after it start after its first run', async () => {
  const at = await started();
  at.put(load({ ...ON_DEMO, runAfter: { kind: 'DataLoad', name: 'warm' } }, 'second'));
  await at.quiet();
  expect(reasonOf(at, 'second')).toBe('DataOperationWaiting');
  await ended(at, 'Succeeded');
  expect(statusOf(at, 'second').phase).toBe('Executing');
});

test('paused, it does not run again; resumed, it does', async () => {
  const at = await idle();
  annotated(at, 'warm', { 'data.fluid.io/paused': 'true' });
  await at.quiet();
  expect(statusOf(at).phase).toBe('Complete');
  await mounted(at, 'a');
  await at.quiet(60_000);
  expect([statusOf(at).phase, reasonOf(at)]).toEqual(['Pending', 'Paused']);
  annotated(at, 'warm', { 'data.fluid.io/paused': undefined });
  await at.quiet(40_000);
  expect(statusOf(at).phase).toBe('Executing');
});

describe('its Dataset', () => {
  test('that gets another runtime has it run again: the new cache is empty', async () => {
    const at = await idle();
    at.delete('JuiceFSRuntime');
    await at.quiet(10_000);
    expect(at.dataset().phase).toBe('NotBound');
    expect(statusOf(at)).toMatchObject({ phase: 'Pending', conditions: [{ reason: 'RuntimeNotReady' }] });
    at.put(jfsRuntime('demo'));
    await at.quiet(60_000);
    expect(statusOf(at).phase).toBe('Executing');
  });
  test('that was deleted without it is waited for', async () => {
    const at = await idle();
    at.controllers.paused.add('garbage');
    at.delete('JuiceFSRuntime');
    at.delete('Dataset');
    // The caches are cleaned for a minute at most, and nothing is written meanwhile.
    await at.quiet(90_000);
    expect(statusOf(at)).toMatchObject({ phase: 'Pending', conditions: [{ reason: 'TargetDatasetNotFound' }] });
  });
});

describe('an edit of the policy', () => {
  test.each(['running', 'complete'])('to OnEvent, of one that is %s, has it run for the mounts of now', async (state) => {
    const at = await started(ON_DEMO);
    if (state === 'complete') await ended(at, 'Succeeded');
    const first = uidOf(at);
    at.edit('DataLoad', { policy: 'OnEvent' }, 'warm');
    if (state === 'running') await ended(at, 'Succeeded');
    await at.quiet();
    expect(statusOf(at).phase).toBe('Executing');
    expect(uidOf(at)).not.toBe(first);
  });
  test('to Once leaves one that is idle as it is', async () => {
    const at = await idle();
    const before = statusOf(at);
    at.edit('DataLoad', { policy: 'Once' }, 'warm');
    await mounted(at, 'a');
    await at.quiet(60_000);
    expect(at.written({ kind: ['DataLoad', 'Job'] })).toEqual(['patch DataLoad/warm/status']);
    expect(statusOf(at)).toEqual({ ...before, observedGeneration: (before.observedGeneration ?? 0) + 1 });
  });
  test('to Cron replaces its Job by a CronJob', async () => {
    const at = await idle();
    at.edit('DataLoad', { policy: 'Cron', schedule: '0 3 * * *' }, 'warm');
    await at.quiet();
    expect([at.get('Job', JOB), at.get('CronJob', JOB)?.kind]).toEqual([undefined, 'CronJob']);
  });
});

describe('in trouble', () => {
  test('the 30 s begin anew in another process', async () => {
    const at = await idle();
    await mounted(at, 'a');
    await at.advance(20_000);
    at.kill();
    await at.restart();
    await at.advance(25_000);
    expect(statusOf(at).phase).toBe('Pending');
    await at.advance(6000);
    expect(statusOf(at).phase).toBe('Executing');
  });
  test('its first run does not wait for them', async () => {
    const at = await bound();
    at.kill();
    at.put(load(ON_EVENT));
    await at.restart();
    at.start();
    await at.advance(1000);
    expect(statusOf(at).phase).toBe('Executing');
  });
  test('with a CRD that lacks status.observedMounts, it does not run for ever', async () => {
    const at = await bound();
    at.server.rules.mutate({ kind: 'DataLoad', subresource: 'status' }, (object) => {
      const { observedMounts: _, ...status } = (object['status'] ?? {}) as { observedMounts?: string };
      return { ...object, status };
    });
    at.put(load(ON_EVENT));
    await at.quiet();
    await ended(at, 'Succeeded');
    await at.quiet(60_000);
    expect(statusOf(at).phase).toBe('Complete');
  });
  test('a Job that a user has deleted is no reason to run again', async () => {
    const at = await idle();
    at.delete('Job', JOB);
    await at.quiet();
    expect(at.written({ kind: ['DataLoad', 'Job'], verb: ['create', 'patch'] })).toEqual([]);
  });
});
