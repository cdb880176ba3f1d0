import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Identity, isLabel } from '../../../../src/api/index.ts';
import {
  allLabelIds,
  cacheLabels,
  cacheLabelIds,
  hasLabelId,
  invalidLabels,
  labelIdOf,
} from '../../../../src/reconciler/kubernetes/nodes/cache-labels.ts';

const dataset: Identity = { namespace: 'ml', name: 'demo', uid: '00000000-0000-4000-8000-000000000001', collides: false };
const plan = (disk: number, engine = 'juicefs') => ({ engine, dataset, placement: 'Exclusive' as const, cacheOnNode: { disk } });

describe('a cache', () => {
  test('is reported with its size in Fluid’s words', () =>
    expect(cacheLabels(plan(2 ** 30))).toEqual({
      'fluid.io/s-juicefs-ml-demo': 'true',
      'fluid.io/s-ml-demo': 'true',
      'fluid.io/s-h-juicefs-d-ml-demo': '1GiB',
      'fluid.io/s-h-juicefs-t-ml-demo': '1GiB',
      fluid_exclusive: 'ml_demo',
    }));
  test.each([1e60, 2 ** 63, Infinity, -5, NaN])('of %d bytes has no size on its nodes, and its labels are reported as invalid', (bytes) => {
    expect(Object.keys(cacheLabels(plan(bytes)))).toEqual(['fluid.io/s-juicefs-ml-demo', 'fluid.io/s-ml-demo', 'fluid_exclusive']);
    expect(invalidLabels(plan(bytes))).toEqual([
      expect.stringMatching(/^fluid.io\/s-h-juicefs-d-ml-demo=/),
      expect.stringMatching(/^fluid.io\/s-h-juicefs-t-ml-demo=/),
    ]);
  });
  test('of a type so long that a key would not fit goes without that key', () =>
    expect(invalidLabels(plan(1, 'a'.repeat(40)))).toEqual([
      expect.stringMatching(/^fluid.io\/s-h-a{40}-d-[0-9a-f-]{36}=1B$/),
      expect.stringMatching(/^fluid.io\/s-h-a{40}-t-[0-9a-f-]{36}=1B$/),
    ]));
});

test('the API server takes the labels of all requests of tenants', () => {
  const name = fc.stringMatching(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/);
  const any = fc.record({
    engine: name,
    dataset: fc.record({ namespace: name, name, uid: fc.uuid(), collides: fc.boolean() }),
    placement: fc.constantFrom('Exclusive' as const, 'Shared' as const),
    cacheOnNode: fc.record({ memory: fc.double(), disk: fc.double() }, { requiredKeys: [] }),
  });
  fc.assert(
    fc.property(any, (wanted) => {
      const labels = cacheLabels(wanted);
      for (const [key, value] of Object.entries(labels)) {
        expect(key.split('/').at(-1)).toMatch(/^[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/);
        expect(value).toMatch(/^[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/);
        expect(cacheLabelIds(wanted.engine, wanted.dataset)).toContain(labelIdOf(key, value));
      }
    }),
  );
});

describe('a label ID', () => {
  test('is the key, and for the key that all share the value too', () => {
    const has = (labelId: string) => hasLabelId(labelId)({ fluid_exclusive: 'ml_demo', 'fluid.io/s-ml-demo': 'false' });
    expect(['fluid.io/s-ml-demo', 'fluid_exclusive=ml_demo', 'fluid_exclusive=other_demo', 'fluid.io/s-other'].map(has)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
  test('of the node plugin counts only where everything is meant', () => {
    expect(allLabelIds(['thin'], dataset)).toContain('fluid.io/f-ml-demo');
    expect(cacheLabelIds('thin', dataset)).not.toContain('fluid.io/f-ml-demo');
  });
});

test.each<[string, string, boolean]>([
  ['fluid.io/s-a', '', true],
  ['fluid_exclusive', 'a_b', true],
  [`fluid.io/${'a'.repeat(64)}`, 'true', false],
  ['fluid.io/', 'true', false],
  ['fluid.io/a', 'a'.repeat(64), false],
  ['fluid.io/a', '1e+3EiB', false],
  ['fluid.io/a', '-1B', false],
])('%s=%s is a label: %s', (key, value, expected) => expect(isLabel([key, value])).toBe(expected));
