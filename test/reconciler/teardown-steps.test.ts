import { describe, expect, test } from 'vitest';
import { firstOf } from '../../src/reconciler/steps.ts';
import { type Teardown, teardownSteps, unboundStatus } from '../../src/reconciler/teardown-steps.ts';
import example from '../support/example-runtime/index.ts';
import { claim, exampleInput, live, volume, worldOf } from './worlds.ts';

const decideTeardown = (left: Teardown) => firstOf(left, teardownSteps);
const { key, dataset, runtime: object, plan } = worldOf();
const runtimes = [{ name: 'demo', namespace: 'ml', type: 'example' }];
const untouched: Teardown['cleaning'] = { needed: true, running: false, done: false, attempts: 0, limit: 5 };

/** All that a bound runtime leaves to be taken down. */
const everything: Teardown = {
  key,
  definition: example,
  object: { ...object, metadata: { ...object.metadata, finalizers: ['example-runtime-controller-finalizer'] } },
  dataset: { ...dataset, status: { phase: 'Bound', conditions: [], runtimes } },
  identity: exampleInput().dataset.identity,
  plan,
  inventory: [volume('Bound'), claim(), live('StatefulSet', 'demo-worker'), live('DaemonSet', 'demo-fuse')],
  claim: claim(),
  volume: volume('Bound'),
  users: { mounting: [], ended: [] },
  nodes: ['node-1'],
  cleaning: untouched,
};
const { claim: _, ...claimless } = everything;
const { volume: __, ...volumeless } = claimless;
const still: Teardown = { ...volumeless, inventory: volumeless.inventory.filter(({ kind }) => kind !== 'DaemonSet') };
const cleaned: Teardown = { ...volumeless, cleaning: { ...untouched, done: true, attempts: 1 } };
const empty: Teardown = { ...cleaned, inventory: [] };
const unlabelled: Teardown = { ...empty, nodes: [] };
const unbound: Teardown = { ...unlabelled, dataset };

const deleted = (left: Teardown) => {
  const [action] = decideTeardown(left).actions ?? [];
  return action?.do === 'delete' ? action.objects.map(({ kind }) => kind) : action?.do;
};

test.each<[string, Teardown, unknown]>([
  ['the claim', everything, ['PersistentVolumeClaim']],
  ['the volume', claimless, ['PersistentVolume']],
  ['what fills the cache', volumeless, ['DaemonSet']],
  ['the cache', still, 'clean'],
  ['the workloads', cleaned, ['StatefulSet', 'DaemonSet']],
  ['the labels of nodes', empty, 'unlabelNodes'],
  ['what the Dataset says of its runtime', unlabelled, 'unbind'],
  ['the finalizer', unbound, 'unmark'],
  ['nothing', { ...unbound, object }, undefined],
])('next goes %s', (_, left, expected) => expect(deleted(left)).toEqual(expected));

describe('while pods mount the dataset', () => {
  const mounting = (names: readonly string[]): Teardown['users'] => ({ mounting: names, ended: [] });
  test('nothing goes, and the pods are named', () =>
    expect(decideTeardown({ ...everything, users: mounting(['a', 'b']) })).toEqual({
      hold: { reason: 'StillMounted', message: 'waiting for pods that mount the dataset: a, b', afterMs: 2000 },
    }));
  test.each([
    [0, 2000],
    [60_000, 6000],
    [3_600_000, 30_000],
  ])('and after %d ms they are looked for again in %d ms', (waitedMs, afterMs) =>
    expect(decideTeardown({ ...everything, users: mounting(['a']), waitedMs }).hold).toMatchObject({ afterMs }),
  );
  test('no more than five are named', () =>
    expect(decideTeardown({ ...everything, users: mounting(['a', 'b', 'c', 'd', 'e', 'f', 'g']) }).hold?.message).toMatch(
      /: a, b, c, d, e and 2 more$/,
    ));
});

test('while it is not known whether pods mount the dataset, nothing goes', () =>
  expect(decideTeardown({ ...everything, users: { askAgainMs: 1234 } })).toEqual({
    hold: expect.objectContaining({ reason: 'Deleting', afterMs: 1234 }),
  }));

test('while pods mount a Dataset that refers to this one, the reason stays the same from one list of pods to the next', () => {
  const reasonOf = (left: Partial<Teardown>) => decideTeardown({ ...everything, ...left }).hold?.reason;
  expect(reasonOf({ referrers: ['lab/other'] })).toBe('StillMounted');
  expect(reasonOf({ referrers: ['lab/other'], users: { askAgainMs: 1234 } })).toBe('StillMounted');
  expect(reasonOf({ referrers: { askAgainMs: 1234 } })).toBe('Deleting');
});

describe('while nodes carry labels of the dataset', () => {
  test('they are taken off, and we are waiting for it', () =>
    expect(decideTeardown(empty)).toEqual({
      actions: [{ do: 'unlabelNodes' }],
      hold: { reason: 'NodesLabelled', message: 'nodes still carry labels of the dataset: node-1', isError: false, afterMs: 10_000 },
    }));
  test('a node whose labels were rejected is reported with the reason', () =>
    expect(decideTeardown({ ...empty, nodes: ['node-1', 'node-2'], refusals: ['node-2: 403'] }).hold).toMatchObject({
      message: 'nodes still carry labels of the dataset: node-2: 403',
      isError: true,
    }));
});

describe('what is going already', () => {
  const going = { ...claim(), metadata: { ...claim().metadata, deletionTimestamp: '2026-01-02T03:04:05Z' } };
  test('is not deleted again, but waited for', () => {
    const decision = decideTeardown({ ...everything, claim: going });
    expect(decision.actions).toBeUndefined();
    expect(decision.hold).toMatchObject({ reason: 'Deleting', message: 'deleting the claim first: PersistentVolumeClaim/demo' });
  });
  test('names the pods that have ended and keep a claim', () =>
    expect(
      decideTeardown({
        ...everything,
        claim: going,
        users: { mounting: [], ended: [{ name: 'job-1' }, { name: 'out-1', job: 'out', operation: 'DataMigrate out' }] },
      }).hold,
    ).toMatchObject({
      reason: 'ClaimKept',
      message: expect.stringMatching(/; pods that have ended keep it until they are deleted: job-1, out-1 of DataMigrate out$/) as string,
    }));
});

describe('cleaning the cache', () => {
  const left = (cleaning: Partial<Teardown['cleaning']>): Teardown => ({ ...still, cleaning: { ...untouched, ...cleaning } });
  test('is waited for while it goes on', () => {
    const decision = decideTeardown(left({ running: true }));
    expect(decision).toEqual({ hold: { reason: 'CleaningCache', message: 'the cache is being cleaned', isError: false, afterMs: 1000 } });
  });
  test('is retried after a failure, which is reported', () => {
    const decision = decideTeardown(left({ attempts: 2, error: 'rm: busy' }));
    expect(decision.actions).toEqual([{ do: 'clean' }]);
    expect(decision.hold).toMatchObject({ message: 'attempt 2 of 5 failed: rm: busy', isError: true });
  });
  test('is given up after as many attempts as the spec allows', () =>
    expect(deleted(left({ attempts: 5, error: 'rm: busy' }))).toEqual(['StatefulSet']));
  test('waits for an attempt that is the last one', () =>
    expect(decideTeardown(left({ attempts: 5, running: true })).actions).toBeUndefined());
  test('is left out if there is nothing to clean, and then clients go with the workers', () =>
    expect(deleted({ ...volumeless, cleaning: { ...untouched, needed: false } })).toEqual(['StatefulSet', 'DaemonSet']));
});

describe('the Dataset', () => {
  test('that is being deleted is not reported as unbound', () =>
    expect(
      deleted({
        ...unlabelled,
        dataset: { ...unlabelled.dataset!, metadata: { ...dataset.metadata, deletionTimestamp: '2026-01-02T03:04:05Z' } },
      }),
    ).toEqual('unmark'));
  test('that another runtime serves stays bound', () =>
    expect(
      deleted({
        ...unlabelled,
        dataset: { ...dataset, status: { phase: 'Bound', conditions: [], runtimes: [{ ...runtimes[0], type: 'thin' }] } },
      }),
    ).toEqual('unmark'));
  test('that is gone keeps nothing from going', () => {
    const { dataset: ___, plan: ____, ...orphaned } = everything;
    expect(deleted(orphaned)).toEqual(['PersistentVolumeClaim']);
  });
  test('is reset to what Fluid leaves: mounts and references stay', () =>
    expect(Object.keys(unboundStatus(0)).toSorted()).toEqual([
      'cacheStates',
      'conditions',
      'fileNum',
      'hcfs',
      'phase',
      'runtimes',
      'ufsTotal',
    ]));
});

test('a spec that does not plan any more can be taken down', () => {
  const { plan: ___, ...planless } = everything;
  expect(deleted({ ...planless, cleaning: { ...untouched, needed: false } })).toEqual(['PersistentVolumeClaim']);
});
