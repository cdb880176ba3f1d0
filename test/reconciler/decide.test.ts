import { describe, expect, test } from 'vitest';
import { decide } from '../../src/reconciler/decide.ts';
import type { Decision, Step } from '../../src/reconciler/world.ts';
import { type Changes, claim, pods, volume, worldOf } from './worlds.ts';

const well: Changes = { workloads: { master: pods(1), worker: pods(1), fuse: pods(0) }, volume: volume('Bound'), claim: claim() };
const decided = (changes: Changes = {}) => decide(worldOf(undefined, undefined, changes));
/** `ensure master`, `run example mount …`, `release`. */
const actions = ({ actions: taken }: Decision): readonly string[] =>
  taken.map((action) =>
    'ensure' in action
      ? `ensure ${action.ensure}`
      : 'run' in action
        ? `run ${action.run.map(({ argv }) => argv.join(' ')).join(', ')}`
        : (Object.keys(action)[0] ?? ''),
  );

describe('the fold', () => {
  const made: Step = () => ({ action: { ensure: 'fuse' } });
  const held: Step = () => ({ hold: { reason: 'Held', message: 'first' } });
  const heldToo: Step = () => ({ hold: { reason: 'HeldToo', message: 'second' } });
  test('a hold stops a first set-up', () => expect(decide(worldOf(), [made, held, made]).actions).toHaveLength(1));
  test('what is bound converges past a hold', () =>
    expect(decide(worldOf(undefined, undefined, { bound: true }), [made, held, made]).actions).toHaveLength(2));
  test('the first hold is the one that is told', () =>
    expect(decide(worldOf(undefined, undefined, { bound: true }), [held, heldToo]).hold?.reason).toBe('Held'));
  test('a list that was cut short is not pruned against', () => expect(decide(worldOf(), [held, made]).mayPrune).toBe(false));
  test('a complete list is, though something is held', () =>
    expect(decide(worldOf(undefined, undefined, { bound: true }), [held, made]).mayPrune).toBe(true));
  test('a hold at the very end leaves the list complete', () => expect(decide(worldOf(), [made, held]).mayPrune).toBe(true));
});

describe('a first set-up', () => {
  test.each<[string, Changes, readonly string[], string | undefined]>([
    ['waits for Secrets before anything is made', { missingSecrets: ['a', 'b'] }, [], 'SecretNotFound'],
    ['makes masters and fuse at once, and waits for the masters', {}, ['ensure master', 'ensure fuse'], 'MasterNotReady'],
    ['waits for every master', { workloads: { master: pods(2, 3) } }, ['ensure master', 'ensure fuse'], 'MasterNotReady'],
    [
      'asks for the mounts before it makes workers',
      { workloads: { master: pods(1) } },
      ['ensure master', 'ensure fuse', 'ensure worker'],
      'WorkersNotReady',
    ],
    [
      'makes the volume with the first worker that is ready',
      { workloads: { master: pods(1), worker: pods(1, 3) } },
      ['ensure master', 'ensure fuse', 'ensure worker', 'ensure volume'],
      'VolumePending',
    ],
    [
      'does not wait for workers that nobody wants',
      { workloads: { master: pods(1), worker: pods(0) } },
      ['ensure master', 'ensure fuse', 'ensure worker', 'ensure volume'],
      'VolumePending',
    ],
    [
      'makes no claim for a volume that is not seen',
      { workloads: { master: pods(1), worker: pods(1) }, volume: volume('Pending') },
      ['ensure master', 'ensure fuse', 'ensure worker', 'ensure volume'],
      'VolumePending',
    ],
    [
      'makes the claim last, and waits for nothing more',
      { workloads: { master: pods(1), worker: pods(1) }, volume: volume('Available') },
      ['ensure master', 'ensure fuse', 'ensure worker', 'ensure volume', 'ensure claim'],
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
  test('looks for missing Secrets again by the clock, as nothing tells when they come', () =>
    expect(decided({ missingSecrets: ['a'], secretRetryMs: 250 }).hold).toMatchObject({ message: 'waiting for Secret a', retryMs: 250 }));
});

describe('mounts', () => {
  const before = { workloads: { master: pods(1) } };
  test('unknown ones hold the workers back', () => {
    const world = worldOf(undefined, undefined, before);
    const { mounted: _, ...unknown } = world;
    expect(decide(unknown).hold).toMatchObject({ reason: 'MountsUnknown', passing: true });
  });
  test('wanted ones are mounted and others unmounted, in one go', () => {
    const decision = decided({ ...before, mounted: ['/old'] });
    expect(actions(decision).slice(2)).toEqual(['run example unmount /old, example mount /data s3://bucket']);
    expect(decision.hold?.reason).toBe('MountsChanging');
  });
  test('that are as they should be are no work', () =>
    expect(actions(decided({ ...before, mounted: ['/data'] }))).toContain('ensure worker'));
  test('that fail are told at once, and tried again by the clock', () =>
    expect(decided({ ...before, mounted: [], execError: 'mount: no such bucket' }).hold).toEqual({
      reason: 'MountsChanging',
      message: 'mount: no such bucket',
      passing: false,
      retryMs: 5000,
    }));
});

describe('what is bound', () => {
  const bound = (changes: Changes) => decided({ ...well, bound: true, ...changes });
  test('is ensured whole, and nothing holds it', () => {
    const decision = bound({});
    expect(actions(decision)).toEqual(['ensure master', 'ensure fuse', 'ensure worker', 'ensure volume', 'ensure claim']);
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
  test('frees a volume whose claim is lost, and makes no claim before it is free', () => {
    const { claim: _, ...lost } = well;
    const decision = decided({ ...lost, bound: true, volume: volume('Released') });
    expect(actions(decision)).toEqual(['ensure master', 'ensure fuse', 'ensure worker', 'ensure volume', 'release']);
    expect(decision.hold?.reason).toBe('VolumeReleased');
  });
  test('makes the claim again once the volume is free', () => {
    const { claim: _, ...lost } = well;
    expect(actions(decided({ ...lost, bound: true, volume: volume('Available') }))).toContain('ensure claim');
  });
  test('does not free a volume that a claim still has', () =>
    expect(actions(bound({ volume: volume('Released') }))).not.toContain('release'));
  test('binds a claim whose volume was lost to the new one, which has to name its UID', () => {
    const lost = { ...claim('Lost'), spec: { volumeName: 'ml-demo' } };
    const decision = bound({ claim: lost, volume: volume('Available') });
    expect(decision.actions).toContainEqual({ release: volume('Available'), to: lost });
    expect(decision.hold?.reason).toBe('ClaimLost');
    expect(actions(bound({ claim: lost, volume: volume('Bound') })).at(-1)).toBe('nudge');
    expect(actions(bound({ claim: { ...lost, spec: { volumeName: 'other' } }, volume: volume('Available') }))).not.toContain('release');
  });
  test('has a forgotten claim looked at again', () => {
    expect(actions(bound({ claim: claim('Pending') }))).toContain('nudge');
    expect(actions(bound({ claim: claim('Pending'), volume: volume('Available') }))).toContain('nudge');
    expect(actions(bound({ claim: claim('Bound') }))).not.toContain('nudge');
  });
});
