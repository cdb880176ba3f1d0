import { expect, test } from 'vitest';
import cache from '../../runtimes/cache/index.ts';
import thin from '../../runtimes/thin/index.ts';
import { cacheRuntime, openDataset, plainClass } from '../support/objects.ts';
import { harness } from './harness.ts';

test('running pods of a CacheRuntime get another runtime.json at once, not after the period of their kubelet', async () => {
  const at = await harness({ runtimes: [cache, thin] });
  at.put(plainClass('worker', 'client'));
  at.put(openDataset('demo', { mounts: [{ mountPoint: 's3://bucket', name: 'data' }] }));
  at.put(cacheRuntime('demo', { runtimeClassName: 'plain' }));
  await at.quiet();
  at.controllers.settle();
  await at.quiet();
  expect(at.dataset().phase).toBe('Bound');
  const updates = () =>
    at.server
      .all('Pod')
      .filter(({ metadata }) => metadata.name.startsWith('demo-worker'))
      .map(({ metadata }) => metadata.annotations?.['fluid.io/f-update-fuse-config']);
  expect(updates()).toEqual([undefined]);
  at.edit('Dataset', {
    mounts: [
      { mountPoint: 's3://bucket', name: 'data' },
      { mountPoint: 's3://more', name: 'more' },
    ],
  });
  await at.quiet();
  expect(JSON.stringify(at.get('ConfigMap', 'fluid-runtime-config-demo'))).toContain('s3://more');
  expect(updates()).toEqual(['1']);
  at.edit('CacheRuntime', { options: { key: 'value' } });
  await at.quiet();
  expect(updates()).toEqual(['2']);
});
