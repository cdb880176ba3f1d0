import { expect, test } from 'vitest';
import { claimNames, claimOf, mountsAlike } from '../../src/constructs/index.ts';

test.each([
  ['pvc://data', { claim: 'data', path: '' }],
  ['pvc://data/a/b', { claim: 'data', path: 'a/b' }],
  ['pvc:///a', undefined],
  ['pvc://Data', undefined],
  ['s3://data', undefined],
])('reads %s', (mountPoint, expected) => expect(claimOf(mountPoint)).toEqual(expected));
test('names each claim once', () =>
  expect(claimNames({ mounts: [{ mountPoint: 'pvc://a/x' }, { mountPoint: 's3://b' }, { mountPoint: 'pvc://a/y' }] })).toEqual(['a']));
test('finds mounts of one name or one path, but lets several have none', () => {
  const mounts = [
    { mountPoint: '1', name: 'a', path: '/p' },
    { mountPoint: '2' },
    { mountPoint: '3' },
    { mountPoint: '4', name: 'a' },
    { mountPoint: '5', path: '/p' },
  ];
  expect(mountsAlike({ mounts }).map(({ path, found }) => [path, found])).toEqual([
    ['spec.mounts[3].name', '"a"'],
    ['spec.mounts[4].path', '"/p"'],
  ]);
  expect(mountsAlike({})).toEqual([]);
});
