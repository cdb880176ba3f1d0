import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  cacheNodeLabel,
  cacheSizeNodeLabel,
  datasetId,
  exclusiveNodeValue,
  fuseNodeLabel,
  type Identity,
  joinedName,
  rivalNames,
  typedCacheNodeLabel,
  volumeName,
} from '../../src/api/index.ts';
import { identityOf, identityRecord } from '../../src/planning/identity.ts';
import type { Key } from '../../src/reconciler/world.ts';

const TYPES = ['thin', 'juicefs', 'alluxio', 'jindo', 'jindocache', 'efc', 'vineyard', 'cache'];
const uidOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

interface Stored {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly creationTimestamp: string;
    readonly labels?: Record<string, string>;
  };
}
const stored = ({ namespace, name }: Key, n: number, recorded?: string): Stored => ({
  metadata: {
    namespace,
    name,
    uid: uidOf(n),
    creationTimestamp: `2026-01-01T00:00:0${n}Z`,
    ...(recorded && { labels: { 'fluid.io/dataset-id': recorded } }),
  },
});
const keyOf = ({ metadata: { namespace, name } }: Stored): Key => ({ namespace, name });
const identified = (dataset: Stored, others: readonly Stored[] = [], claimed?: string) =>
  identityOf(keyOf(dataset), { dataset, namesakes: others, claimed });

/** Every name and key by which a dataset differs from others. */
const namesOf = (identity: Identity, types: readonly string[] = TYPES): readonly string[] => [
  `volume ${volumeName(identity)}`,
  fuseNodeLabel(identity),
  cacheNodeLabel(identity),
  ...types.flatMap((type) => [
    typedCacheNodeLabel(type, identity),
    ...(['m', 'd', 't'] as const).map((medium) => cacheSizeNodeLabel(type, medium, identity)),
  ]),
];

describe('a name alone', () => {
  test.each<[string, (dataset: Identity) => string]>([
    ['datasetId', datasetId],
    ['fuseNodeLabel', fuseNodeLabel],
    ['cacheNodeLabel', cacheNodeLabel],
    ['typedCacheNodeLabel', (dataset) => typedCacheNodeLabel('thin', dataset)],
    ['cacheSizeNodeLabel', (dataset) => cacheSizeNodeLabel('juicefs', 't', dataset)],
    ['exclusiveNodeValue', exclusiveNodeValue],
  ])('%s is the joined name up to 62 characters, and has the UID from 63 on', (_, nameOf) => {
    const of = (name: string): Identity => ({ namespace: 'ns', name, uid: uidOf(1), collides: false });
    const room = 62 - nameOf(of('')).length;
    expect(nameOf(of('x'.repeat(room)))).toHaveLength(62);
    for (const more of [1, 2]) expect(nameOf(of('x'.repeat(room + more)))).toBe(nameOf({ ...of('x'), collides: true }));
    expect(nameOf(of('x'.repeat(room + 1)))).toContain(uidOf(1));
  });
  test('volumes go by the joined name however long it is, as in Fluid', () =>
    expect(volumeName({ namespace: 'n'.repeat(40), name: 'x'.repeat(40), uid: uidOf(1), collides: false })).toHaveLength(81));
});

describe('a-b/c and a/b-c', () => {
  const first = stored({ namespace: 'a-b', name: 'c' }, 1);
  const second = stored({ namespace: 'a', name: 'b-c' }, 2);
  test('the older gets the joined name, the younger its UID', () => {
    expect(identified(first, [second]).collides).toBe(false);
    expect(volumeName(identified(second, [first]))).toBe(uidOf(2));
  });
  test('a younger one that has the name already keeps it', () => {
    const holder = stored(keyOf(second), 2, 'a-b-c');
    expect(identified(holder, [first]).collides).toBe(false);
    expect(identified(first, [holder]).collides).toBe(true);
  });
  test('one that was given its UID keeps it when the other is gone', () =>
    expect(identified(stored(keyOf(second), 2, uidOf(2))).collides).toBe(true));
  test('where Fluid gave both the same name, the younger changes', () => {
    const [a, b] = [stored(keyOf(first), 1, 'a-b-c'), stored(keyOf(second), 2, 'a-b-c')];
    expect([identified(a, [b]).collides, identified(b, [a]).collides]).toEqual([false, true]);
  });
  test('the label of another Dataset, copied along, counts for nothing', () =>
    expect(identified(stored(keyOf(first), 1, 'other-dataset')).collides).toBe(false));
});

describe('datasets that share no more than the key of a label', () => {
  const odd = stored({ namespace: 'thin', name: 'a-b' }, 2);
  const plain = stored({ namespace: 'a', name: 'b' }, 1);
  test('are rivals', () => {
    expect(rivalNames(keyOf(odd), TYPES)).toContain(joinedName(keyOf(plain)));
    expect(rivalNames(keyOf(plain), TYPES)).toContain(joinedName(keyOf(odd)));
  });
  test('are set apart when they come', () => expect(identified(odd, [plain]).collides).toBe(true));
  test('keep the names that Fluid gave them', () =>
    expect(identified(stored(keyOf(odd), 2, 'thin-a-b'), [stored(keyOf(plain), 1, 'a-b')]).collides).toBe(false));
});

describe('long names, for which the label is not enough', () => {
  const long = 'x'.repeat(62);
  const first = stored({ namespace: `a-${long}`, name: 'c' }, 1, uidOf(1));
  const second = stored({ namespace: 'a', name: `${long}-c` }, 2, uidOf(2));
  test('the younger has a volume of its own', () => expect(volumeName(identified(second, [first]))).toBe(uidOf(2)));
  test('and keeps it when the other is gone, as its claim says', () => {
    expect(volumeName(identified(second, [], uidOf(2)))).toBe(uidOf(2));
    expect(volumeName(identified(first, [second], joinedName(keyOf(first))))).toBe(joinedName(keyOf(first)));
  });
});

test('no two datasets ever share a name or the key of a node label, in whatever order they come and go', () => {
  // Few letters and many dashes, so that they meet.
  const part = fc.stringMatching(/^[ab](-[ab]){0,2}$/);
  const key = fc.record({
    namespace: fc.oneof({ weight: 4, arbitrary: part }, { weight: 1, arbitrary: fc.constantFrom('thin', 'h-thin-m', 'juicefs-a') }),
    name: fc.oneof({ weight: 6, arbitrary: part }, { weight: 1, arbitrary: part.map((name) => name + '-x'.repeat(30)) }),
  });
  const comesAndGoes = fc.array(
    fc.oneof({ weight: 4, arbitrary: fc.record({ come: key }) }, { weight: 1, arbitrary: fc.record({ go: fc.nat(9) }) }),
    { minLength: 2, maxLength: 8 },
  );
  fc.assert(
    fc.property(comesAndGoes, (happenings) => {
      const there = new Map<string, { dataset: Stored; claimed?: string }>();
      let n = 0;
      for (const happening of happenings) {
        if ('come' in happening) {
          const id = JSON.stringify(happening.come);
          if (!there.has(id)) there.set(id, { dataset: stored(happening.come, ++n) });
        } else there.delete([...there.keys()][happening.go] ?? '');
        const identities = [...there].map(([id, { dataset, claimed }]) => {
          const names = rivalNames(keyOf(dataset), TYPES);
          const others = [...there.values()]
            .map((each) => each.dataset)
            .filter((other) => other !== dataset && names.includes(joinedName(keyOf(other))));
          const identity = identified(dataset, others, claimed);
          // As the reconciler does: the label and the claim are written down.
          there.set(id, {
            dataset: stored(keyOf(dataset), Number(dataset.metadata.uid.slice(-12)), datasetId(identity)),
            claimed: claimed ?? volumeName(identity),
          });
          if (claimed) expect(volumeName(identity)).toBe(claimed);
          return identity;
        });
        const all = identities.flatMap((identity) => namesOf(identity));
        expect(all.length - new Set(all).size).toBe(0);
      }
    }),
    { numRuns: 1000 },
  );
});

describe('the names that a runtime was set up with', () => {
  const key = { namespace: 'a-b', name: 'c' };
  const [runtimeUid, datasetUid] = [uidOf(8), uidOf(3)];
  const recordOf = (names: 'joined' | 'uid', whose = runtimeUid) => ({
    annotations: { 'data.fluid.io/identity': identityRecord(whose, { ...key, uid: datasetUid, collides: names === 'uid' }) },
  });
  const labelled = (id: string | undefined) => (id ? { labels: { 'fluid.io/dataset-id': id } } : {});
  const owned = { ownerReferences: [{ kind: 'Dataset', uid: datasetUid }] };
  const runtime = (...parts: readonly object[]) => ({ metadata: Object.assign({ ...key, uid: runtimeUid }, ...parts) });
  const plain = { ...key, uid: datasetUid, collides: false };

  test.each<[string, readonly object[], Identity]>([
    ['its record, whatever became of the labels and the owner', [recordOf('uid')], { ...plain, collides: true }],
    ['its record, where the label says otherwise', [recordOf('joined'), labelled(datasetUid), owned], plain],
    ['without a record its label, with the owner', [labelled('a-b-c'), owned], plain],
    ['a label that is the UID of the owner', [labelled(datasetUid), owned], { ...plain, collides: true }],
    ['a label that is a UID, when the owner is gone', [labelled(datasetUid)], { ...plain, collides: true }],
    ['no record that was copied from another runtime', [recordOf('uid', uidOf(9)), labelled('a-b-c'), owned], plain],
    ['nothing of a runtime that never served', [], { ...key, uid: '', collides: false }],
    ['nothing of a record that cannot be read', [{ annotations: { 'data.fluid.io/identity': '{' } }], { ...key, uid: '', collides: false }],
  ])('are those of %s', (_, parts, expected) => expect(identityOf(key, { runtime: runtime(...parts) })).toEqual(expected));

  const first = stored({ namespace: 'a', name: 'b-c' }, 1, 'a-b-c');
  const dataset = stored(key, 3);
  const collides = (evidence: Omit<Parameters<typeof identityOf>[1], 'dataset'>) => identityOf(key, { dataset, ...evidence }).collides;
  test('stay, though the labels were stripped and the runtime that came first is gone', () => {
    expect(collides({ runtime: runtime(recordOf('uid')) })).toBe(true);
    expect(collides({ runtime: runtime(labelled(datasetUid), owned) })).toBe(true);
  });
  test('stay, though an older Dataset comes to have the same label', () =>
    expect(collides({ runtime: runtime(recordOf('joined')), namesakes: [first] })).toBe(false));
  test('are decided again for a Dataset that was created again', () =>
    expect(identityOf(key, { dataset: stored(key, 4), runtime: runtime(recordOf('uid')) })).toEqual({ ...plain, uid: uidOf(4) }));
  test('are not the joined name while the volume of that name is of another, whatever metadata says', () => {
    const holder = { namespace: 'a', name: 'b-c' };
    expect(collides({ runtime: runtime(recordOf('joined')), holder })).toBe(true);
    expect(collides({ holder })).toBe(true);
  });
  test('are the joined name where the volume of that name is its own', () =>
    expect(collides({ holder: key, namesakes: [first] })).toBe(false));
});
