import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../../src/kube/types.ts';
import { createGroups } from '../../../../src/reconciler/kubernetes/store/groups.ts';

let reads = 0;
const object = (uid: number, resourceVersion = '1'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  get metadata() {
    reads++;
    return { name: `name-${uid}`, uid: String(uid), resourceVersion };
  },
});
const uids = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => Number(metadata.uid));
const count = (size: number) => Array.from({ length: size }, (_, i) => i);

describe.each([3, 100])('a group of %d', (size) => {
  function group() {
    const groups = createGroups<KubeObject>();
    for (const i of count(size)) groups.set('g', object(i));
    return groups;
  }
  test('has its objects in the order in which they were added, and no others', () => {
    const groups = group();
    groups.set('other', object(1));
    groups.set('g', object(1, '2'));
    expect(uids(groups.of('g'))).toEqual(count(size));
    expect(groups.of('g').map(({ metadata }) => metadata.resourceVersion)[1]).toBe('2');
    expect(groups.of('none')).toEqual([]);
  });
  test('loses one object, and is gone with the last', () => {
    const groups = group();
    const left = groups.of('g');
    groups.delete('g', object(1));
    groups.delete('g', object(1));
    groups.delete('none', object(1));
    expect(uids(groups.of('g'))).toEqual(count(size).filter((i) => i !== 1));
    // A reader keeps the values of the time when it began.
    expect(left).toHaveLength(size);
    for (const i of count(size)) groups.delete('g', object(i));
    expect(groups.of('g')).toEqual([]);
  });
});

test('adding an object to a group and removing it costs the same, however large the group', () => {
  const cost = (size: number): number => {
    const groups = createGroups<KubeObject>();
    reads = 0;
    for (const i of count(size)) groups.set('g', object(i));
    for (const i of count(size)) groups.set('g', object(i, '2'));
    for (const i of count(size)) groups.delete('g', object(i));
    return reads / size;
  };
  expect(cost(10_000)).toBeLessThanOrEqual(cost(100));
});
