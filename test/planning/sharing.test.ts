import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { Dataset } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { nodeProjection } from '../../src/reconciler/kubernetes/store/node-projection.ts';
import { faultOf, isNoNews, readResource } from '../../src/reconciler/kubernetes/store/resources.ts';
import { createSharing, fieldsOr, type Sharing } from '../../src/planning/sharing.ts';

describe('pieces', () => {
  test('that are equal become one object, at any depth, and nothing else changes', () => {
    const { piece } = createSharing();
    const mounts = () => [{ mountPoint: 's3://b', options: { a: '1' }, readOnly: true, paths: ['x', null, 3] }];
    const one = piece({ mounts: mounts(), only: 'one' });
    const two = piece({ mounts: mounts(), other: { options: { a: '1' } } });
    expect(one).toEqual({ mounts: mounts(), only: 'one' });
    expect(two.mounts).toBe(one.mounts);
    expect(two.other.options).toBe(one.mounts[0]!.options);
  });
  test('may have any key, also `__proto__`', () => {
    const { piece } = createSharing();
    const given = JSON.parse('{"__proto__":{"a":1},"b":2}') as object;
    expect(JSON.stringify(piece(given))).toBe('{"__proto__":{"a":1},"b":2}');
  });
  test('are still right after more of them than are remembered', () => {
    const { piece, text } = createSharing();
    const of = (i: number) => ({ i, name: `name-${i}` });
    for (let i = 0; i < 3000; i++) expect(piece(of(i % 1500))).toEqual(of(i % 1500));
    for (let i = 0; i < 150_000; i++) text(`text-${i}`);
    expect(text('text-7')).toBe('text-7');
  });
});

/** Memory that shared values keep, in MB. */
function kept(sharing: Sharing, values: Iterable<unknown>): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed / 1e6;
  };
  const before = used();
  for (const value of values) sharing.piece(value);
  return used() - before;
}
test.each<[string, number, number]>([
  ['long texts, such as a tool may keep writing into an annotation', 200, 200_000],
  ['texts of which there are many', 80_000, 900],
])('sharing holds no more than some megabytes of %s', (_, count, length) => {
  const sharing = createSharing();
  function* annotations() {
    for (let i = 0; i < count; i++) yield { note: String(i).padEnd(length, '.') };
  }
  expect(kept(sharing, annotations())).toBeLessThan(20);
  // The value lives until here.
  expect(sharing.text('a')).toBe('a');
});

test('fields that have not changed stay the same JavaScript objects (S14)', () => {
  const before = { phase: 'Bound', mounts: [{ name: 'a' }], gone: 1 };
  const now = fieldsOr<object>(before, { phase: 'Failed', mounts: [{ name: 'a' }] }, (value) => value) as typeof before;
  expect(now).toEqual({ phase: 'Failed', mounts: [{ name: 'a' }] });
  expect(now.mounts).toBe(before.mounts);
  expect(fieldsOr(before, structuredClone(before), (value) => value)).toBe(before);
});

describe('a resource that is read again', () => {
  const sharing = createSharing();
  const read = (change: object = {}, metadata: object = {}, before?: KubeObject) =>
    readResource(
      Dataset,
      {
        apiVersion: 'data.fluid.io/v1alpha1',
        kind: 'Dataset',
        metadata: { name: 'd', namespace: 'ml', uid: 'u', resourceVersion: '1', generation: 1, labels: { a: 'b' }, ...metadata },
        spec: { mounts: [{ mountPoint: 's3://bucket' }] },
        status: { phase: 'Bound', conditions: [] },
        ...change,
      } as KubeObject,
      sharing,
      before,
    );
  const first = read();

  test('is no news if no pass reads what changed (S12)', () => {
    const again = read({}, { resourceVersion: '2', managedFields: [{ manager: 'kubectl' }], selfLink: '/x' }, first);
    expect(isNoNews(first, again)).toBe(true);
    expect(again.metadata.resourceVersion).toBe('2');
    expect(again.metadata).not.toHaveProperty('managedFields');
    expect([again['spec'], again['status'], again.metadata.labels]).toEqual([first['spec'], first['status'], first.metadata.labels]);
    expect(again['spec']).toBe(first['spec']);
  });
  test.each<[string, object, object]>([
    ['spec', { spec: { mounts: [{ mountPoint: 's3://other' }] } }, { generation: 2 }],
    ['status', { status: { phase: 'Failed', conditions: [] } }, {}],
    ['labels', {}, { labels: { a: 'c' } }],
    ['annotations', {}, { annotations: {} }],
    ['finalizers', {}, { finalizers: ['x'] }],
    ['owners', {}, { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'p' }] }],
    ['deletion', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }],
  ])('is news if its %s changed', (_, change, metadata) =>
    expect(isNoNews(first, read(change, { resourceVersion: '2', ...metadata }, first))).toBe(false),
  );
  test('is still invalid, though its spec is not parsed again', () => {
    const invalid = read({ spec: { mounts: 'none' } });
    expect(faultOf(invalid)).toBeDefined();
    expect(faultOf(read({ spec: { mounts: 'none' } }, { resourceVersion: '2', labels: {} }, invalid))).toBe(faultOf(invalid));
  });
});

describe('the labels of a node whose kubelet reports', () => {
  const node = (labels: Record<string, string>, resourceVersion = '1'): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', uid: 'u', resourceVersion, labels, annotations: { renewed: resourceVersion } },
  });
  const first = nodeProjection(node({ a: '1', b: '2' }));
  test('stay the same JavaScript object', () =>
    expect(nodeProjection(node({ b: '2', a: '1' }, '2'), first).metadata.labels).toBe(first.metadata.labels));
  test.each([[{ a: '1' }], [{ a: '1', b: '3' }], [{ a: '1', b: '2', c: '3' }], [{ a: '1', c: '2' }], [{}]])(
    'are others when they are %j',
    (labels) => expect(nodeProjection(node(labels as Record<string, string>, '2'), first).metadata.labels).toEqual(labels),
  );
});
