import { expect, test } from 'vitest';
import { conformance, planInput } from '../../../src/testing/index.ts';
import example from '../../support/example-runtime/index.ts';
import type { ExampleRuntimeSpec } from '../../support/example-runtime/spec.ts';

const facts = { ports: { master: 24001, worker: 24002 } };
const given = (spec: ExampleRuntimeSpec = {}, more: object = {}) => planInput({ spec, facts, ...more });

conformance(example, {
  'one-master': given(),
  'three-masters': given(
    { masters: 3, replicas: 2, tieredstore: { levels: [{ mediumtype: 'SSD', path: '/cache', quota: '10Gi' }] } },
    {
      mounts: [
        { mountPoint: 's3://a', name: 'a', options: { region: 'eu' } },
        { mountPoint: 's3://b', path: '/deep/b' },
      ],
    },
  ),
});

const bound = example.bind(given({}, { mounts: [{ mountPoint: 's3://a', name: 'a', options: { region: 'eu' } }] }));

test('mounts and unmounts at the first master', () => {
  expect(bound.mounts?.list.parse([['/a s3://a {"region":"eu"}\n/b s3://b\n']])).toEqual([
    { path: '/a', source: 's3://a', options: { region: 'eu' } },
    { path: '/b', source: 's3://b', options: {} },
  ]);
  const wanted = bound.mounts?.wanted ?? [];
  expect(wanted).toEqual([{ path: '/a', source: 's3://a', options: { region: 'eu' } }]);
  expect(bound.mounts?.change({ unmount: ['/b'], mount: wanted })).toEqual([
    { in: 'master', on: 'first', argv: ['example', 'unmount', '/b'] },
    { in: 'master', on: 'first', argv: ['example', 'mount', '--option=region=eu', '/a', 's3://a'] },
  ]);
});
test('asks for the cache before it deletes it, and deletes nothing else', () => {
  expect(bound.cleanup?.ask?.parse([['c0ffee\n']])).toBe('c0ffee');
  expect(bound.cleanup?.commands('c0ffee')).toMatchObject([{ in: 'worker', on: 'every', argv: ['rm', '-rf', '/var/example/c0ffee'] }]);
  for (const id of [undefined, '', '..', '/']) expect(bound.cleanup?.commands(id)).toEqual([]);
});
test('reads what the master reports', () => {
  expect(bound.probes.cache?.parse([['cached 1024 hits 9 misses 1\n']])).toEqual({ cachedBytes: 1024, hitRatio: 0.9 });
  expect(bound.probes.ufs?.parse([['4096 2\n']])).toEqual({ totalBytes: 4096, files: 2 });
});
test.each([
  ['an even number of masters', given({ masters: 2 }), 'spec.masters'],
  [
    'a source that a program would take for an option',
    given({}, { mounts: [{ mountPoint: '--help', name: 'a' }] }),
    'spec.mounts[0].mountPoint',
  ],
])('refuses %s', (_, input, path) => expect(() => example.bind(input)).toThrow(path));
