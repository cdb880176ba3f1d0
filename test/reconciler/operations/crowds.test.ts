/** The operations that are woken in lines of more than a hundred, beside each line as it is computed from all of them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DataLoad } from '../../../src/api/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { type OperationStore, watchOperations } from '../../../src/reconciler/kubernetes/store/operations.ts';
import type { OnChange } from '../../../src/reconciler/kubernetes/store/watches.ts';
import { lineOf } from '../../../src/reconciler/operations/line.ts';
import type { OperationObject } from '../../../src/reconciler/operations/world.ts';

const DATASETS = ['demo', 'other'] as const;
interface Version {
  readonly seconds?: number;
  readonly dataset?: string;
  readonly after?: string;
  readonly metadata?: object;
  readonly status?: object;
}
const specs = new Map<string, object>();
/** Unedited objects share the same spec in memory. */
function specOf(dataset: string, after: string | undefined): object {
  const id = `${dataset} ${after}`;
  const spec = specs.get(id) ?? {
    dataset: { namespace: 'ml', name: dataset },
    ...(after && { runAfter: { kind: 'DataLoad', name: after } }),
  };
  specs.set(id, spec);
  return spec;
}
/** The cast: what a line reads of it. */
const load = (i: number, { seconds = i, dataset = 'demo', after, metadata = {}, status = {} }: Version) =>
  ({
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'DataLoad',
    metadata: { namespace: 'ml', name: `l${i}`, uid: `u${i}`, creationTimestamp: new Date(seconds * 1000).toISOString(), ...metadata },
    spec: specOf(dataset, after),
    status,
  }) as unknown as OperationObject & KubeObject;

/** The watches of operations, over objects that the test puts there. */
function world() {
  const objects = new Map<string, OperationObject & KubeObject>();
  let read = 0;
  let onChange: OnChange = () => undefined;
  let woken: { readonly name: string; readonly because: string }[] = [];
  const operations: OperationStore = watchOperations(
    {
      watch(_, listener) {
        onChange = listener;
        const get = (_: string | undefined, name: string) => (read++, objects.get(name));
        return { newest: get, shown: get, values: () => objects.values() };
      },
    },
    {
      kinds: [DataLoad],
      inventories: { seen: () => undefined, gone: () => undefined },
      subscriptions: { add: () => undefined, remove: () => undefined, wake: () => undefined },
      onKey: ({ name }, because) => void woken.push({ name, because }),
      onGone: () => undefined,
    },
  );
  const firstOf = (name: string) =>
    lineOf(operations.unfinished({ namespace: 'ml', name }), { find: operations.get, hasJob: () => false })[0];
  /** Puts a version there, or deletes it; returns whom that woke. */
  function change(i: number, version: Version | undefined) {
    const name = `l${i}`;
    const old = objects.get(name);
    woken = [];
    if (version) {
      const object = load(i, { ...version, ...(old && { seconds: Date.parse(old.metadata.creationTimestamp ?? '') / 1000 }) });
      objects.set(name, object);
      onChange(old ? { type: 'changed', old, object } : { type: 'added', object }, false);
    } else if (old) {
      objects.delete(name);
      onChange({ type: 'deleted', object: old }, false);
    }
    return woken;
  }
  return { change, firstOf, cost: () => read };
}
type World = ReturnType<typeof world>;

/** A run from start to end; returns the operations that the end woke, other than itself. */
function run({ change }: World, i: number): readonly string[] {
  change(i, { status: { phase: 'Executing' } });
  return change(i, { status: { phase: 'Complete' } }).flatMap(({ name, because }) => (because.includes('moved') ? [name] : []));
}

test('those that come while others wait and run have their turn', () => {
  const at = world();
  for (let i = 0; i < 150; i++) at.change(i, {});
  for (let i = 0; i < 400; i++) {
    at.change(150 + i, {});
    expect(run(at, i), `the end of l${i}`).toEqual([`l${i + 1}`]);
  }
});
test('those that are edited while one runs have their turn', () => {
  const at = world();
  const paused = { annotations: { 'data.fluid.io/paused': 'true' } };
  for (let i = 0; i < 150; i++) at.change(i, i === 1 ? { metadata: paused } : {});
  expect(run(at, 0)).toEqual(['l2']);
  at.change(2, { status: { phase: 'Executing' } });
  at.change(1, {});
  expect(at.change(2, { status: { phase: 'Complete' } }).map(({ name }) => name)).toContain('l1');
});
test('one that is edited to another Dataset stands in the line of that', () => {
  const at = world();
  for (let i = 0; i < 150; i++) at.change(i, {});
  at.change(0, { status: { phase: 'Executing' } });
  at.change(1, { dataset: 'other' });
  expect(at.change(0, { status: { phase: 'Complete' } }).map(({ name }) => name)).toContain('l2');
});

const STATES: readonly (Version | undefined)[] = [
  undefined,
  {},
  { dataset: 'other' },
  { after: 'l0' },
  { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
  { metadata: { annotations: { 'data.fluid.io/paused': 'true' } } },
  { status: { phase: 'Executing' } },
  { status: { phase: 'Complete' } },
  { status: { conditions: [{ type: 'Complete', status: 'False', reason: 'CreateFailed' }] } },
];
test('whoever becomes the first is woken, and nobody else, whatever changes', () => {
  let wakes = 0;
  const changes = fc.array(fc.tuple(fc.oneof(fc.nat(12), fc.nat(320)), fc.option(fc.nat(400)), fc.constantFrom(...STATES)), {
    minLength: 1,
    maxLength: 250,
  });
  fc.assert(
    fc.property(changes, (all) => {
      const at = world();
      for (let i = 0; i < 260; i++) at.change(i, { dataset: DATASETS[i % 2]! });
      let before = DATASETS.map(at.firstOf);
      for (const [i, seconds, state] of all) {
        const woken = at.change(i, state && { ...state, ...(seconds !== null && { seconds }) });
        const now = DATASETS.map(at.firstOf);
        const firsts = now.map((first) => first?.key.name);
        for (const { name } of woken.filter(({ because }) => because.includes('moved'))) {
          wakes++;
          expect(firsts).toContain(name);
        }
        // Those that wait for l0 are told by its change itself.
        for (const [line, first] of now.entries())
          if (first && !first.isRunning && i !== 0 && first.key.name !== `l${i}` && first.key.name !== before[line]?.key.name)
            expect(woken.map(({ name }) => name)).toContain(first.key.name);
        before = now;
      }
    }),
    { numRuns: 100, seed: 34 },
  );
  expect(wakes).toBeGreaterThan(300);
});

const deletionTimestamp = '2026-01-01T00:00:00Z';
test.each<[string, (i: number) => number, Version | undefined]>([
  ['deleted, from the first to the last', (i) => i, undefined],
  ['deleted, from the last to the first', (i) => 3999 - i, undefined],
  ['deleted in another order', (i) => (i * 1231) % 4000, undefined],
  ['marked for deletion', (i) => i, { metadata: { deletionTimestamp } }],
])('thousands that are %s cost a few reads each', (_, at, version) => {
  const { change, cost } = world();
  for (let i = 0; i < 4000; i++) change(i, {});
  const before = cost();
  for (let i = 0; i < 4000 - 101; i++) change(at(i), version);
  expect(cost() - before).toBeLessThan(12 * 4000);
});
