import fc from 'fast-check';
import { applyPatch } from 'rfc6902';
import { describe, expect, test } from 'vitest';
import { patchOf } from '../../../src/webhook/server/patch.ts';

/** Applied as an API server would, on a copy. */
function applied(before: unknown, after: unknown): unknown {
  const copy = { value: structuredClone(before) };
  const operations = patchOf({ value: before }, { value: after });
  expect(applyPatch(copy, structuredClone(operations) as Parameters<typeof applyPatch>[1]).filter((error) => error !== null)).toEqual([]);
  return copy.value;
}

describe('the patch of a pod', () => {
  const main = { name: 'main', image: 'app', env: [{ name: 'A', value: '1' }] };
  const volumes = Array.from({ length: 1_000 }, (_, i) => ({ name: `v${i}`, configMap: { name: `c${i}` } }));
  const pod = { metadata: { labels: { app: 'a' } }, spec: { containers: [main], volumes } };

  test('has one operation for each thing that was added, however much else there is', () => {
    const after = {
      metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, 'fluid.io/x~y': 'true' }, annotations: { a: 'b' } },
      spec: {
        ...pod.spec,
        containers: [{ name: 'fluid-fuse-0' }, { ...main, env: [...main.env, { name: 'B', value: '2' }] }],
        volumes: [...volumes, { name: 'extra' }],
      },
    };
    expect(patchOf(pod, after)).toEqual([
      { op: 'add', path: '/metadata/labels/fluid.io~1x~0y', value: 'true' },
      { op: 'add', path: '/metadata/annotations', value: { a: 'b' } },
      { op: 'add', path: '/spec/containers/0', value: { name: 'fluid-fuse-0' } },
      { op: 'add', path: '/spec/containers/1/env/1', value: { name: 'B', value: '2' } },
      { op: 'add', path: '/spec/volumes/1000', value: { name: 'extra' } },
    ]);
  });
  test('is empty for a pod that is equal', () => expect(patchOf(pod, structuredClone(pod))).toEqual([]));
  test('turns any value into any other', () => {
    const element = fc.oneof(fc.record({ name: fc.constantFrom('a', 'b', 'c'), value: fc.integer() }), fc.constantFrom('a', 'b', 1, null));
    const map = fc.dictionary(fc.constantFrom('a/b', 'c~d', '', 'e'), fc.oneof(fc.array(element), fc.jsonValue()), {
      noNullPrototype: true,
    });
    // As they come from a request: no value occurs twice by identity.
    // The library that applies the patch here loses a key `__proto__`; that ours keeps it is tested in admit.test.ts.
    const value = map
      .map((each) => JSON.stringify(each))
      .filter((text) => !text.includes('__proto__'))
      .map((text) => JSON.parse(text) as unknown);
    fc.assert(
      fc.property(value, value, (before, after) => {
        expect(applied(before, after)).toEqual(after);
      }),
    );
  });
});
