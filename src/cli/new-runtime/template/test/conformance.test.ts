import { expect, test } from 'vitest';
import newFs from '../src/index.ts';
import { conformance, planInput } from '../../../../testing/index.ts';

const mounts = [{ mountPoint: 'new-fs://volume', name: 'data' }];

conformance(newFs, {
  minimal: planInput({ mounts }),
  cached: planInput({ mounts, spec: { replicas: 2, tieredstore: { levels: [{ mediumtype: 'SSD', path: '/mnt/cache', quota: '10Gi' }] } } }),
});

test('refuses two mounts', () =>
  expect(() => newFs.bind(planInput({ mounts: [...mounts, ...mounts] }))).toThrow('spec.mounts: expected exactly one mount'));
