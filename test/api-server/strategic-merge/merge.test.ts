/** Cases without an API server; test/cluster/strategic-merge.test.ts compares the outcome of these patches with a real one's. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../../../src/api-server/refusals.ts';
import { strategicMerge } from '../../../src/api-server/strategic-merge/index.ts';
import { types } from '../tables/given.ts';
import { patched } from './cases.ts';

const all = patched('default').flatMap(({ type, object, patches, status = {}, refused = {} }) =>
  Object.entries({ ...patches, ...status, ...refused }).map(([title, patch]) => [`${type.kind}: ${title}`, type, object, patch] as const),
);

const JUNK = [null, 7, 'text', true, [], [null], ['text'], {}];
const DIRECTIVES = [{ $patch: 'replace' }, [{ $patch: 'delete' }], { '$setElementOrder/containers': [] }, { $retainKeys: ['a'] }];

/** A value in which some fields have another shape. */
function intact(value: unknown, junk: readonly unknown[]): fc.Arbitrary<unknown> {
  const damaged = (inner: unknown) =>
    fc.oneof({ weight: 8, arbitrary: intact(inner, junk) }, { weight: 1, arbitrary: fc.constantFrom(...junk) });
  if (Array.isArray(value)) return fc.tuple(...value.map(damaged));
  if (typeof value !== 'object' || value === null) return fc.constant(value);
  return fc.record(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, damaged(inner)])));
}

describe('any patch of any object is applied or refused, and changes neither', () => {
  test.each(all)('%s', (_, type, object, patch) => {
    fc.assert(
      fc.property(intact(object, JUNK), intact(patch, [...JUNK, ...DIRECTIVES]), (some, change) => {
        const [before, sent] = [structuredClone(some), structuredClone(change)];
        try {
          // The casts: that they may have any shape is the point.
          expect(JSON.stringify(strategicMerge(type, some as object, change as object))).not.toContain('"$');
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          expect([400, 500]).toContain(error.status);
        }
        expect([some, change]).toEqual([before, sent]);
      }),
      { numRuns: 20 },
    );
  });
});

test('a refusal says what is wrong', () => {
  const deployment = { spec: { template: { spec: { containers: [{ name: 'main' }] } } } };
  const refusal = (containers: readonly object[], order?: readonly object[]) => {
    const spec = { containers, ...(order && { '$setElementOrder/containers': order }) };
    try {
      strategicMerge(types.Deployment, deployment, { spec: { template: { spec } } });
    } catch (error) {
      return error;
    }
    return undefined;
  };
  expect(refusal([{ image: 'a' }])).toMatchObject({ message: 'map: {"image":"a"} does not contain declared merge key: name' });
  expect(refusal([{ name: 'main', $patch: 'destroy' }])).toMatchObject({ message: /^unknown patch type: destroy in map: / });
  expect(refusal([{ name: 'main' }], [{ name: 'other' }])).toMatchObject({ message: /^The order in patch list:/ });
});
