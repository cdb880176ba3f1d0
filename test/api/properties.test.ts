import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resources } from '../../runtimes/_resources.gen.ts';
import { InvalidSpec } from '../../src/api/errors.ts';
import { asWritten, faultsOf, parse } from '../../src/api/parse.ts';
import { objectOf } from './arbitrary.ts';

const RUNS = { numRuns: 60 };

describe.each(resources.map((resource) => [resource.kind, resource] as const))('%s', (_, resource) => {
  test('an object that fits the schema has no fault', () => {
    fc.assert(
      fc.property(objectOf(resource), (object) => {
        // But for the rules, which a schema cannot say.
        const ruled = new Set((resource.rules ?? []).map(({ path }) => path));
        expect(faultsOf(resource, object).filter(({ path }) => !ruled.has(path))).toEqual([]);
      }),
      RUNS,
    );
  });

  test('parsing twice gives the same as once, and the result has no fault', () => {
    fc.assert(
      fc.property(objectOf(resource, 3), (object) => {
        if (faultsOf(resource, object, { unknownFields: 'prune' }).length > 0) return;
        const once = parse(resource, object);
        expect(parse(resource, asWritten(resource, once))).toEqual(once);
        expect(faultsOf(resource, asWritten(resource, once))).toEqual([]);
      }),
      RUNS,
    );
  });

  test('an object is never changed, and nothing but InvalidSpec is thrown', () => {
    fc.assert(
      fc.property(objectOf(resource, 10), (object) => {
        freeze(object);
        try {
          parse(resource, object);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidSpec);
        }
      }),
      RUNS,
    );
  });

  test('every fault names a place and an expectation', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (spec) => {
        for (const fault of faultsOf(resource, asWritten(resource, { kind: resource.kind, spec } as never))) {
          if (!resource.flat) expect(fault.path).toMatch(/^(apiVersion|metadata|spec)/);
          expect(fault.expected).not.toContain('undefined');
          expect(fault.found).not.toBe('');
        }
      }),
      RUNS,
    );
  });
});

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  Object.values(value).forEach(freeze);
}
