import { describe, expect, test } from 'vitest';
import { InvalidSpec } from '../../src/api/index.ts';
import { together } from '../../src/constructs/index.ts';

const fault = (path: string) => ({ path, expected: 'a name', found: '""' });
function failing(path: string, object?: string): () => never {
  return () => {
    throw new InvalidSpec(fault(path), object === undefined ? {} : { object });
  };
}
function refusalOf(work: () => unknown): InvalidSpec {
  try {
    work();
  } catch (error) {
    return error as InvalidSpec;
  }
  throw new Error('nothing was refused');
}

describe('parts that are read together', () => {
  test('are all there when nothing is wrong', () => expect(together({ a: () => 1, b: () => 'two' })).toEqual({ a: 1, b: 'two' }));
  test('report every fault, in order', () =>
    expect(refusalOf(() => together({ a: failing('spec.a'), b: () => 1, c: failing('spec.c') })).faults).toEqual([
      fault('spec.a'),
      fault('spec.c'),
    ]));
  test('name the one object at fault once', () => {
    const { object, faults } = refusalOf(() =>
      together({ a: failing('spec.a'), b: failing('spec.b', 'Dataset ml/demo') }, 'Dataset ml/demo'),
    );
    expect({ object, faults }).toEqual({ object: 'Dataset ml/demo', faults: [fault('spec.a'), fault('spec.b')] });
  });
  test('name the object of each fault if several are at fault', () => {
    const refusal = refusalOf(() => together({ a: failing('spec.a'), b: failing('spec.b', 'Dataset ml/demo') }));
    expect(refusal.object).toBeUndefined();
    expect(refusal.message).toBe('spec.a: expected a name, found ""; Dataset ml/demo: spec.b: expected a name, found ""');
  });
  test('report one fault of one field once', () =>
    expect(refusalOf(() => together({ a: failing('spec.a'), b: failing('spec.a') })).faults).toEqual([fault('spec.a')]));
  test('do not hide another kind of error', () =>
    expect(() =>
      together({
        a: failing('spec.a'),
        b: () => {
          throw new TypeError('a bug');
        },
      }),
    ).toThrow('a bug'));
});
