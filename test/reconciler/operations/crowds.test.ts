/** The first of a line of thousands, beside the line as it is computed from all of them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineOf } from '../../../src/reconciler/operations/line.ts';
import type { OperationObject } from '../../../src/reconciler/operations/world.ts';
import type { OperationKey } from '../../../src/reconciler/world.ts';
import { createCrowds } from '../../../src/reconciler/kubernetes/store/crowds.ts';

const DATASET = { namespace: 'ml', name: 'demo' };
const keyOf = (i: number): OperationKey => ({ kind: 'DataLoad', namespace: 'ml', name: `l${i}` });
/** The cast: what a line reads of it. */
const load = (i: number, seconds: number, more: object = {}, status: object = {}) =>
  ({
    kind: 'DataLoad',
    metadata: { namespace: 'ml', name: `l${i}`, uid: `u${i}`, creationTimestamp: new Date(seconds * 1000).toISOString(), ...more },
    spec: { dataset: DATASET },
    status,
  }) as unknown as OperationObject;

function world(count: number) {
  const all = new Map(Array.from({ length: count }, (_, i) => [i, load(i, i)]));
  let read = 0;
  const get = ({ name }: OperationKey) => (read++, all.get(Number(name.slice(1))));
  const unfinished = () => ((read += all.size), [...all.values()]);
  const crowds = createCrowds({ get, unfinished });
  const expected = () => lineOf([...all.values()], { find: get, hasJob: () => false })[0];
  return { all, crowds, expected, cost: () => read };
}

const STATES: readonly ({ readonly more?: object; readonly status?: object } | undefined)[] = [
  undefined,
  {},
  { more: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
  { more: { annotations: { 'data.fluid.io/paused': 'true' } } },
  { status: { phase: 'Executing' } },
  { status: { phase: 'Complete' } },
  { status: { conditions: [{ type: 'Complete', status: 'False', reason: 'CreateFailed' }] } },
];
test('is the same as of the whole line, whatever changes', () => {
  const change = fc.tuple(fc.nat(199), fc.nat(400), fc.constantFrom(...STATES));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 300 }), (changes) => {
      const { all, crowds, expected } = world(200);
      for (const [i, seconds, state] of changes) {
        if (state === undefined) all.delete(i);
        else all.set(i, load(i, seconds, state.more, state.status));
        expect(crowds.firstAfter(keyOf(i), DATASET)?.key).toEqual(expected()?.key);
      }
    }),
    { numRuns: 40, seed: 34 },
  );
});

test.each([
  ['from the first to the last', (i: number) => i],
  ['from the last to the first', (i: number) => 3999 - i],
  ['in another order', (i: number) => (i * 1231) % 4000],
])('thousands that are deleted one after the other, %s, cost a few reads each', (_, at) => {
  const { all, crowds, cost } = world(4000);
  for (let i = 0; i < 4000; i++) {
    all.delete(at(i));
    crowds.firstAfter(keyOf(at(i)), DATASET);
  }
  expect(cost()).toBeLessThan(12 * 4000);
});
test('thousands that are marked for deletion and deleted later cost no more', () => {
  const { all, crowds, cost } = world(4000);
  for (let i = 0; i < 4000; i++) {
    all.set(i, load(i, i, { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    crowds.firstAfter(keyOf(i), DATASET);
  }
  expect(cost()).toBeLessThan(12 * 4000);
});
