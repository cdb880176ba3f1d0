import { expect, test } from 'vitest';
import thin from '../../../runtimes/thin/index.ts';
import alluxio from '../../../runtimes/alluxio/index.ts';
import { alluxioFileSystem } from '../../support/alluxio-exec.ts';
import * as write from '../../support/objects.ts';
import { boundHarness } from '../harness.ts';
import { load, statusOf } from './given.ts';

test('a write that the API server refuses is retried with back-off, also if the engine is asked who leads before each try', async () => {
  const tiered = { replicas: 1, tieredstore: { levels: [{ mediumtype: 'SSD' as const, path: '/cache', quota: '4Gi' }] } };
  const at = await boundHarness(
    [
      write.datasetObject('demo', { mounts: [{ mountPoint: 's3://bucket/data/', name: 'data' }] }),
      write.alluxioRuntime('demo', { ...tiered, master: { replicas: 3 } }),
    ],
    { exec: alluxioFileSystem().exec, runtimes: [thin, alluxio], probeMs: 60_000 },
  );
  at.server.rules.refuse({ verb: ['create', 'apply', 'patch'], kind: 'CronJob' }, { status: 422, reason: 'Invalid' });
  for (const name of ['a', 'b']) at.put(load({ dataset: { name: 'demo' }, policy: 'Cron', schedule: 'every night' }, name));
  at.start();
  await at.advance(60_000);
  at.forget();
  await at.advance(600_000);
  const failed = at.passes.filter(({ error }) => error);
  expect(failed.length).toBeGreaterThan(2);
  expect(failed.length).toBeLessThan(20);
  expect(statusOf(at, 'a').conditions?.[0]?.reason).toBe('ApplyFailed');
});
