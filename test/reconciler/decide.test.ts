import { describe, expect, test } from 'vitest';
import { decide } from '../../src/reconciler/decide.ts';
import type { Step } from '../../src/reconciler/steps.ts';
import type { Action, Decision, World } from '../../src/reconciler/world.ts';
import { type Changes, claim, listed, pods, UNLISTED, volume, worldOf } from './worlds.ts';

const well: Changes = { workloads: { master: pods(1), worker: pods(1), fuse: pods(0) }, volume: volume('Bound'), claim: claim() };
const decided = (changes: Changes = {}) => decide(worldOf(undefined, undefined, changes));
/** `ensure master`, `run example mount …`, `release`. */
const actions = ({ actions: taken }: Decision): readonly string[] =>
  taken.map((action) =>
    action.do === 'ensure'
      ? `ensure ${action.part}`
      : action.do === 'run'
        ? `run ${action.commands.map(({ argv }) => argv.join(' ')).join(', ')}`
        : action.do,
  );

describe('the fold', () => {
  const made: Step<World, Action> = () => ({ actions: [{ do: 'ensure', part: 'fuse' }] });
  const held: Step<World, Action> = () => ({ hold: { reason: 'NameTaken', message: 'first' } });
  const heldToo: Step<World, Action> = () => ({ hold: { reason: 'PortsExhausted', message: 'second' } });
  test('a hold stops a first set-up', () => expect(decide(worldOf(), [made, held, made]).actions).toHaveLength(1));
  test('a bound Dataset converges past a hold', () =>
    expect(decide(worldOf(undefined, undefined, { bound: true }), [made, held, made]).actions).toHaveLength(2));
  test('the first hold is the one that is reported', () =>
    expect(decide(worldOf(undefined, undefined, { bound: true }), [held, heldToo]).hold?.reason).toBe('NameTaken'));
  test('a list that was cut short is not pruned against', () => expect(decide(worldOf(), [held, made]).mayPrune).toBe(false));
  test('a complete list is, though something is held', () =>
    expect(decide(worldOf(undefined, undefined, { bound: true }), [held, made]).mayPrune).toBe(true));
  test('a hold at the very end leaves the list complete', () => expect(decide(worldOf(), [made, held]).mayPrune).toBe(true));
});

describe('a first set-up', () => {
  test.each<[string, Changes, readonly string[], string | undefined]>([
    ['waits for Secrets before anything is made', { missingSecrets: [{ name: 'a' }, { name: 'b' }] }, [], 'SecretNotFound'],
    ['makes masters and fuse at once, and waits for the masters', {}, ['ensure master', 'ensure fuse'], 'MasterNotReady'],
    ['waits for every master', { workloads: { master: pods(2, 3) } }, ['ensure master', 'ensure fuse'], 'MasterNotReady'],
    [
      'asks for the mounts before it makes workers',
      { workloads: { master: pods(1) } },
      ['ensure master', 'ensure fuse', 'ensure worker'],
      'WorkersNotReady',
    ],
    [
      'makes claim and volume with the first worker that is ready',
      { workloads: { master: pods(1), worker: pods(1, 3) } },
      ['ensure master', 'ensure fuse', 'ensure worker', 'ensure claim', 'ensure volume'],
      'VolumePending',
    ],
    [
      'does not wait for workers when none is desired',
      { workloads: { master: pods(1), worker: pods(0) } },
      ['ensure master', 'ensure fuse', 'ensure worker', 'ensure claim', 'ensure volume'],
      'VolumePending',
    ],
    [
      'waits for the volume to be seen Bound',
      { workloads: { master: pods(1), worker: pods(1) }, volume: volume('Pending'), claim: claim('Pending') },
      ['ensure master', 'ensure fuse', 'ensure worker', 'ensure claim', 'ensure volume'],
      'VolumePending',
    ],
    [
      'completes the claim last, and waits for nothing more',
      { workloads: { master: pods(1), worker: pods(1) }, volume: volume('Bound'), claim: claim('Pending') },
      ['ensure master', 'ensure fuse', 'ensure worker', 'ensure claim', 'ensure volume', 'complete'],
      undefined,
    ],
  ])('%s', (_, changes, expected, hold) => {
    const decision = decided(changes);
    expect(actions(decision)).toEqual(expected);
    expect(decision.hold?.reason).toBe(hold);
  });
  test('says how many pods are ready of how many there should be, also when there is no workload yet', () => {
    expect(decided().hold?.message).toBe('0 of 1 master pods are ready');
    expect(decided({ workloads: { master: pods(1), worker: pods(0, 2) } }).hold?.message).toBe('0 of 2 worker pods are ready');
  });
  test('retries missing Secrets by the clock, since no event reports that they exist', () =>
    expect(decided({ missingSecrets: [{ name: 'a' }], secretRetryMs: 250 }).hold).toMatchObject({
      message: 'waiting for Secret ml/a',
      afterMs: 250,
    }));
});

describe('mounts', () => {
  const before = { workloads: { master: pods(1) } };
  test('unknown ones hold the workers back', () => {
    const unknown = worldOf(undefined, undefined, { ...before, mounts: UNLISTED });
    expect(decide(unknown).hold).toMatchObject({ reason: 'MountsUnknown', isError: false });
  });
  test('that are being asked for while a Dataset is bound hide no hold that should be reported', () => {
    const asking = worldOf(undefined, undefined, { ...before, bound: true, mounts: { ...UNLISTED, is: 'unlisted', isListing: true } });
    expect(decide(asking).hold).toMatchObject({ reason: 'WorkersNotReady' });
  });
  test('wanted ones are mounted and others unmounted, in one go', () => {
    const decision = decided({ ...before, mounts: listed([{ path: '/old' }]) });
    expect(actions(decision).slice(2)).toEqual(['run example unmount /old, example mount /data s3://bucket']);
    expect(decision.hold?.reason).toBe('MountsChanging');
  });
  test('that are as they should be are no work', () =>
    expect(actions(decided({ ...before, mounts: listed([{ path: '/data' }]) }))).toContain('ensure worker'));
  test('that fail are reported at once, and retried by the clock', () =>
    expect(decided({ ...before, mounts: listed([], { message: 'mount: no such bucket', isChange: true }) }).hold).toEqual({
      reason: 'MountsChanging',
      message: 'mount: no such bucket',
      isError: true,
      afterMs: 5000,
    }));
});

describe('what is bound', () => {
  const bound = (changes: Changes) => decided({ ...well, bound: true, ...changes });
  test('is ensured whole, and nothing holds it', () => {
    const decision = bound({});
    expect(actions(decision)).toEqual(['ensure master', 'ensure fuse', 'ensure worker', 'ensure claim', 'ensure volume']);
    expect(decision).toMatchObject({ mayPrune: true });
    expect(decision.hold).toBeUndefined();
  });
  test('is content with one master of three', () =>
    expect(bound({ workloads: { ...well.workloads, master: pods(1, 3) } }).hold).toBeUndefined());
  test('keeps volume and claim when it loses its workers', () => {
    const decision = bound({ workloads: { ...well.workloads, worker: pods(0, 1) } });
    expect(actions(decision)).toEqual(expect.arrayContaining(['ensure volume', 'ensure claim']));
    expect(decision.hold?.reason).toBe('WorkersNotReady');
  });
  test('makes no claim again before its volume is seen to have lost the old one', () => {
    const { claim: _, ...lost } = well;
    const still = decided({ ...lost, bound: true });
    expect(actions(still)).toEqual(['ensure master', 'ensure fuse', 'ensure worker', 'ensure volume']);
    expect(still.hold).toMatchObject({ reason: 'VolumePending', message: 'the volume is Bound to a claim that no longer exists' });
    for (const phase of ['Released', 'Available', 'Failed'])
      expect(actions(decided({ ...lost, bound: true, volume: volume(phase, 'gone') }))).toContain('ensure claim');
  });
  test('asks for another pass at once when it has created the claim of a volume that exists: the event of that is an echo', () => {
    const { claim: _, ...lost } = well;
    expect(decided({ ...lost, bound: true, volume: volume('Released', 'gone') }).hold).toMatchObject({
      reason: 'VolumePending',
      afterMs: 1,
    });
  });
  test('makes no claim before a volume is gone that is being deleted', () => {
    const { claim: _, ...lost } = well;
    const going = volume('Released', 'gone');
    const terminating = { ...going, metadata: { ...going.metadata, deletionTimestamp: '2026-01-02T03:04:05Z' } };
    expect(actions(decided({ ...lost, bound: true, volume: terminating }))).not.toContain('ensure claim');
    const { hold } = bound({ volume: terminating, claim: claim('Pending') });
    expect(hold).toMatchObject({ reason: 'VolumePending', message: 'the volume is being deleted' });
  });
  test.each(['Released', 'Available', 'Failed'])('gives a %s volume that remembers another claim to the one that is there', (phase) => {
    const [pending, other] = [claim('Pending'), volume(phase, 'gone')];
    const decision = bound({ claim: pending, volume: other });
    expect(decision.actions).toContainEqual({ do: 'release', volume: other, seen: pending, to: pending });
    expect(decision.hold?.reason).toBe('VolumeReleased');
  });
  test('frees a volume first that is still Bound to another: a change of its phase shows that it was noticed', () => {
    const [pending, other] = [claim('Pending'), volume('Bound', 'gone')];
    expect(bound({ claim: pending, volume: other }).actions).toContainEqual({ do: 'release', volume: other, seen: pending });
  });
  test('leaves a claim alone that has another volume', () => {
    const decision = bound({ claim: claim('Bound', 'other'), volume: volume('Available', '') });
    expect(actions(decision)).not.toContain('release');
    expect(decision.hold).toBeUndefined();
  });
  test.each(['Pending', 'Lost'])('completes a %s claim once its volume is Bound to it, and not before', (phase) => {
    expect(actions(bound({ claim: claim(phase) })).at(-1)).toBe('complete');
    for (const other of [volume('Bound', 'gone'), volume('Available'), volume('Pending')])
      expect(actions(bound({ claim: claim(phase), volume: other }))).not.toContain('complete');
    expect(actions(bound({ claim: claim('Bound') }))).not.toContain('complete');
  });
  test('has a claim looked at again that names no volume: it is not ours to say that it is bound', () => {
    const open = { ...claim('Pending'), spec: {} };
    expect(bound({ claim: open }).actions.at(-1)).toEqual({ do: 'nudge', claim: open, afterMs: 500 });
  });
});
