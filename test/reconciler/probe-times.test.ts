/** When a cache is asked for its state. */
import { expect, test } from 'vitest';
import alluxio from '../../runtimes/alluxio/index.ts';
import type { AlluxioRuntimeSpec } from '../../runtimes/alluxio/spec.ts';
import thin from '../../runtimes/thin/index.ts';
import { alluxioFileSystem } from '../support/alluxio-exec.ts';
import { alluxioRuntime, openDataset } from '../support/objects.ts';
import { boundHarness } from './harness.ts';

const MINUTE = 60_000;
const tiered: AlluxioRuntimeSpec = { replicas: 1, tieredstore: { levels: [{ mediumtype: 'SSD', path: '/cache', quota: '4Gi' }] } };

/** A bound Alluxio that nobody reads, two minutes after its first probe. */
async function probed() {
  const files = alluxioFileSystem();
  const answers: { fail: boolean; askedAt: number[] } = { fail: false, askedAt: [] };
  const at = await boundHarness([openDataset('demo'), alluxioRuntime('demo', tiered)], {
    runtimes: [thin, alluxio],
    probeMs: MINUTE,
    async exec(...call) {
      const isCache = call[1].join(' ').includes('web /metrics/json/');
      if (isCache) answers.askedAt.push(Date.now());
      if (isCache && answers.fail) throw new Error('no answer');
      return files.exec(...call);
    },
  });
  await at.advance(2 * MINUTE);
  /** Seconds between two probes. */
  const pauses = () => answers.askedAt.map((time, i, all) => Math.round((time - (all[i - 1] ?? time)) / 1000)).slice(1);
  return { at, answers, pauses };
}

test('other passes over its Dataset delay no probe', async () => {
  const { at, answers, pauses } = await probed();
  answers.askedAt.length = 0;
  for (let i = 0; i < 12; i++) {
    await at.advance(35_000);
    at.server.remove('ConfigMap', 'ml', 'demo-config');
  }
  await at.advance(10_000);
  expect(pauses()).toEqual([60, 60, 60, 60, 60, 60]);
});

test('a probe that fails is made again after 10, 20 and 30 s', async () => {
  const { at, answers, pauses } = await probed();
  answers.fail = true;
  answers.askedAt.length = 0;
  await at.advance(4 * MINUTE);
  expect(pauses().slice(0, 4)).toEqual([10, 20, 30, 60]);
  expect(at.dataset().cacheStates).toMatchObject({ cached: '' });
  answers.fail = false;
  await at.advance(MINUTE);
  expect(at.dataset().cacheStates).toMatchObject({ cached: '1.00GiB' });
});
