import { expect, test } from 'vitest';
import { canonicalClaim, canonicalResources, canonicalVolume } from '../../src/constructs/canonical.ts';

test('amounts are as the API server prints them, and everything else is kept', () =>
  expect(
    canonicalResources({ claims: [{ name: 'gpu' }], limits: { cpu: '0.5', memory: '1.5Gi' }, requests: { cpu: '1000m' } }, 'resources'),
  ).toEqual({
    claims: [{ name: 'gpu' }],
    limits: { cpu: '500m', memory: '1536Mi' },
    requests: { cpu: '1' },
  }));
test('maps without amounts are left out, as they would not come back', () =>
  expect(canonicalResources({ limits: {}, requests: {} }, 'resources')).toEqual({}));
test('no resources are the empty ones', () => expect(canonicalResources(undefined, 'resources')).toEqual({}));
test('an amount that is none is refused by its field', () =>
  expect(() => canonicalResources({ limits: { cpu: 'much' } }, 'spec.worker.resources')).toThrow(
    'spec.worker.resources.limits.cpu: expected a quantity',
  ));
test('the limit of an emptyDir is an amount', () =>
  expect(canonicalVolume({ name: 'v', emptyDir: { medium: 'Memory', sizeLimit: '1024Mi' } })).toEqual({
    name: 'v',
    emptyDir: { medium: 'Memory', sizeLimit: '1Gi' },
  }));
test.each([
  { name: 'v', emptyDir: {} },
  { name: 'v', hostPath: { path: '/' } },
])('%j is as it is', (volume) => expect(canonicalVolume(volume)).toBe(volume));
test('the storage of a claim is an amount', () =>
  expect(
    canonicalClaim(
      { metadata: { name: 'c' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2048Mi' } } } },
      'c',
    ),
  ).toEqual({
    metadata: { name: 'c' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } },
  }));
