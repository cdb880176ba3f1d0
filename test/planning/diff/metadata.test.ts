import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ObjectMeta, OwnerReference } from '../../../src/api/index.ts';
import { datasetMarks, type Marks, markPatch, runtimeMarks, unmarkPatch } from '../../../src/planning/diff/metadata.ts';

type Op = { readonly op: string; readonly path: string; readonly value?: unknown };

/** RFC 6902, as far as it is used. */
function applied(document: unknown, ops: readonly Op[]): unknown {
  const root = structuredClone(document) as Record<string, unknown>;
  for (const { op, path, value } of ops) {
    const keys = path
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = keys.pop() ?? '';
    const parent = keys.reduce<unknown>((at, key) => {
      const next = (at as Record<string, unknown>)[key];
      if (next === undefined) throw new Error(`nothing at ${path}`);
      return next;
    }, root) as Record<string, unknown> | unknown[];
    if (Array.isArray(parent) && op === 'add' && last === '-') parent.push(value);
    else if (Array.isArray(parent)) throw new Error(`not expected: ${op} ${path}`);
    else if (op === 'test') {
      if (JSON.stringify(parent[last]) !== JSON.stringify(value)) throw new Error(`${path} is ${JSON.stringify(parent[last])}`);
    } else if (op === 'replace' && !(last in parent)) throw new Error(`nothing at ${path}`);
    else parent[last] = value;
  }
  return root;
}

const owner = (kind: string, name: string, uid: string): OwnerReference => ({ apiVersion: 'v1', kind, name, uid });
const text = fc.string({ minLength: 1, maxLength: 4 });
const labelKey = fc.oneof(text, fc.constantFrom('fluid.io/dataset-id', 'a/b', 'a~b', '~1')).filter((key) => key !== '__proto__');
/** A UID is one object's. */
const ownerNamed = (...kinds: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...kinds), fc.constantFrom('a', 'b'), fc.constantFrom(1, 2))
    .map(([kind, name, n]) => owner(kind, name, `${kind}-${name}-${n}`));
const owners = fc.uniqueArray(ownerNamed('Dataset', 'Pod'), { maxLength: 3, selector: ({ uid }) => uid });
const metadata = fc.record(
  {
    name: fc.constant('demo'),
    uid: fc.constant('u'),
    resourceVersion: fc.constant('5'),
    finalizers: fc.uniqueArray(fc.constantFrom('ours', 'theirs', 'orphan')),
    labels: fc.dictionary(labelKey, text, { maxKeys: 4 }),
    annotations: fc.dictionary(labelKey, text, { maxKeys: 4 }),
    ownerReferences: owners,
  },
  { requiredKeys: ['name', 'uid', 'resourceVersion'] },
) as fc.Arbitrary<ObjectMeta>;
const marks: fc.Arbitrary<Marks> = fc.record({
  finalizer: fc.constant('ours'),
  labels: fc.dictionary(labelKey, text, { maxKeys: 3 }),
  annotations: fc.dictionary(labelKey, text, { maxKeys: 3 }),
  owners: fc.uniqueArray(ownerNamed('Dataset'), { selector: ({ name }) => name }),
});

describe('marking', () => {
  test('gives an object our marks, and leaves everything else as it is', () => {
    fc.assert(
      fc.property(metadata, marks, (before, wanted) => {
        const patch = markPatch(before, wanted);
        const { metadata: after } = applied({ metadata: before }, patch ?? []) as { metadata: ObjectMeta };
        expect(after.finalizers).toEqual([...(before.finalizers ?? []), ...(before.finalizers?.includes('ours') ? [] : ['ours'])]);
        expect({ ...after.labels }).toEqual({ ...before.labels, ...wanted.labels });
        expect({ ...after.annotations }).toEqual({ ...before.annotations, ...wanted.annotations });
        const uids = (after.ownerReferences ?? []).map(({ uid }) => uid);
        expect(uids).toEqual(expect.arrayContaining(wanted.owners?.map(({ uid }) => uid) ?? []));
        const isSuperseded = (each: OwnerReference) =>
          wanted.owners?.some(
            ({ kind, name, uid }) =>
              kind === each.kind && name === each.name && !before.ownerReferences?.some((known) => known.uid === uid),
          );
        expect(after.ownerReferences ?? []).toEqual(
          expect.arrayContaining((before.ownerReferences ?? []).filter((each) => !isSuperseded(each))),
        );
      }),
    );
  });
  test('is no patch when it was done', () => {
    fc.assert(
      fc.property(metadata, marks, (before, wanted) => {
        const { metadata: after } = applied({ metadata: before }, markPatch(before, wanted) ?? []) as { metadata: ObjectMeta };
        expect(markPatch(after, wanted)).toBeUndefined();
      }),
    );
  });
  test('is only for the object that was read', () =>
    expect(markPatch({ name: 'demo', uid: 'u', resourceVersion: '5' }, { finalizer: 'ours', labels: {} })?.slice(0, 2)).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'u' },
      { op: 'test', path: '/metadata/resourceVersion', value: '5' },
    ]));
  test('takes the place of an owner of the same name that is gone, with which the object would go', () =>
    expect(
      markPatch(
        { name: 'demo', finalizers: ['f'], ownerReferences: [owner('Dataset', 'demo', 'old'), owner('Pod', 'p', '9')] },
        { finalizer: 'f', labels: {}, owners: [owner('Dataset', 'demo', 'new')] },
      )?.at(-1)?.value,
    ).toEqual([owner('Pod', 'p', '9'), owner('Dataset', 'demo', 'new')]));
});

describe('unmarking', () => {
  test('removes our finalizer, and no other', () =>
    fc.assert(
      fc.property(metadata, (before) => {
        const { metadata: after } = applied({ metadata: before }, unmarkPatch(before, 'ours') ?? []) as { metadata: ObjectMeta };
        expect(after).toEqual({ ...before, ...(before.finalizers && { finalizers: before.finalizers.filter((each) => each !== 'ours') }) });
      }),
    ));
  test('is no patch where it is not', () => expect(unmarkPatch({ name: 'demo', finalizers: ['theirs'] }, 'ours')).toBeUndefined());
});

test('a Dataset and its runtime carry what Fluid’s carry', () => {
  const identity = { namespace: 'ml', name: 'demo', uid: 'u', collides: false };
  expect(datasetMarks(identity, [])).toEqual({
    finalizer: 'fluid-dataset-controller-finalizer',
    labels: { 'fluid.io/dataset-id': 'ml-demo' },
    owners: [],
  });
  expect(runtimeMarks('thin', 'the-runtime', identity, {})).toEqual({
    finalizer: 'thin-runtime-controller-finalizer',
    labels: { 'fluid.io/dataset-id': 'ml-demo' },
    annotations: { 'data.fluid.io/identity': '{"for":"the-runtime","dataset":"u","names":"joined"}' },
    owners: [{ apiVersion: 'data.fluid.io/v1alpha1', kind: 'Dataset', name: 'demo', uid: 'u' }],
  });
});
