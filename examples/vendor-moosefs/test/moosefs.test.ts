import { conformance, planInput } from '@sluice-data/sluice/testing';
import { expect, test } from 'vitest';
import moosefs from '../src/index.ts';
import type { MooseFSRuntimeSpec } from '../src/spec.ts';

const mounts = [{ mountPoint: 'http://files', name: 'files' }];
const given = (spec: MooseFSRuntimeSpec = {}, others = mounts) => planInput({ spec, mounts: others });

conformance(moosefs, {
  minimal: given(),
  configured: given({ replicas: 3, dataDir: '/mnt/disk', options: { mfscachemode: 'NEVER' }, version: { imageTag: '4' } }),
});

test.each([
  ['a mount that is no web server', { ...mounts[0], mountPoint: 's3://bucket' }, 'spec.mounts[0].mountPoint: expected a URL such as'],
])('refuses %s', (_, mount, message) => expect(() => moosefs.bind(given({}, [mount as (typeof mounts)[number]]))).toThrow(message));

test('refuses a directory that is not absolute', () => expect(() => moosefs.bind(given({ dataDir: 'a/..' }))).toThrow('spec.dataDir'));

test('adds up the chunks of all chunk servers', () => {
  const { cache } = moosefs.bind(given()).probes;
  expect(cache?.parse([['12\t/data/chunks\n', '8\t/data/chunks\n']])).toEqual({ cachedBytes: 20_480 });
  expect(() => cache?.parse([['du: no such file']])).toThrow('du prints no size');
});
