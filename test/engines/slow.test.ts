/**
 * Causes of slow reads that are made on a real node, with real JuiceFS and Alluxio: `sluice explain --slow` names each. With SLUICE_RECORD set,
 * what pods print is recorded for unit tests.
 */
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import runtime from '../../runtimes/alluxio/index.ts';
import juicefs from '../../runtimes/juicefs/index.ts';
import { whyNoAlluxio, whyNoJuiceFS } from '../../harness/index.ts';
import { type AlluxioSpace, startAlluxioSpace } from '../node/alluxio-space.ts';
import { PATIENCE_S, startReader } from '../node/dataset-users.ts';
import { explainedWhile, reasonsOf, record, told } from '../node/slow-reads.ts';
import { canRun } from '../support/can-run.ts';
import { canHaveNode } from '../support/real-node.ts';
import { step } from '../support/step.ts';
import { type Stage, startStage } from './juicefs-stage.ts';

/** For what hangs: a busy node is no failure. */
const LIMIT = 1_200_000;
/** Past the kernel's cache, which would answer the second read. */
const direct = (path: string) => `dd if=${path} iflag=direct bs=128k of=/dev/null 2> /dev/null`;

describe.skipIf(!canHaveNode || !canRun('slow reads of JuiceFS', whyNoJuiceFS()))('slow reads of JuiceFS', { timeout: LIMIT }, () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage('slow');
  }, LIMIT);
  afterAll(async () => {
    await stage?.stop();
  }, LIMIT);

  test('cold, a cache too small, and a CPU limit are named', async () => {
    onTestFailed(async () => console.error(await stage.explain('small')));
    const tieredstore = (name: string, quota: string) => ({ levels: [{ mediumtype: 'SSD' as const, path: stage.cacheDir(name), quota }] });
    await stage.serve('small', { runtime: { tieredstore: tieredstore('small', '48Mi') } });
    await stage.pod('reader', 'small');
    const path = stage.mountPath('small');
    // By another client of the same node, which forgets what it has written: they share a directory.
    await stage.inPod('worker', 'small', `mkdir ${path}/cold; for i in $(seq 20); do head -c 1048576 /dev/urandom > ${path}/cold/$i; done`);
    await stage.inPod('worker', 'small', `for i in $(seq 4); do head -c 25165824 /dev/urandom > ${path}/large-$i; done; sync`);
    await stage.inPod('worker', 'small', `juicefs warmup --evict ${path}`);

    await step('data that is read for the first time is cold', async () => {
      const report = await explainedWhile(stage, 'reader', 'small', `sleep 1; [ $i -ge 20 ] || ${direct('/data/cold/$((i+1))')}`);
      expect(reasonsOf(report)[0], told(report)).toBe('Cold');
      expect(report.basis).toBe('now');
      expect(report.shares?.store).toBeGreaterThan(0.9);
    });
    await step('data that does not fit is read again and again from the store', async () => {
      const round = `for n in 1 2 3 4; do ${direct('/data/large-$n')}; done`;
      // The first round is cold.
      await stage.exec('reader', 'sh', '-ec', round);
      const report = await explainedWhile(stage, 'reader', 'small', round);
      expect(reasonsOf(report)[0], told(report)).toBe('CacheTooSmall');
      expect(reasonsOf(report)).not.toContain('Cold');
      expect(report.causes[0]).toMatchObject({ field: 'spec.tieredstore.levels[0].quota' });
      await record(stage, juicefs, { pod: (await stage.podOf('fuse', 'small')) ?? '', role: 'fuse' });
    });
    await step('a client that its CPU limit stops', async () => {
      const resources = { limits: { cpu: '100m' } };
      await stage.serve('limited', { runtime: { tieredstore: tieredstore('limited', '1Gi'), fuse: { resources } } });
      await stage.pod('another', 'limited');
      const report = await explainedWhile(stage, 'another', 'limited', direct('/data/large-1'));
      expect(reasonsOf(report), told(report)).toContain('CpuLimit');
      expect(report.causes.find(({ reason }) => reason === 'CpuLimit')).toMatchObject({
        field: 'spec.fuse.resources.limits.cpu',
        value: '200m',
      });
      expect(reasonsOf(report)).not.toContain('CacheTooSmall');
    });
  });
});

describe.skipIf(!canHaveNode || !canRun('slow reads of Alluxio', whyNoAlluxio()))('slow reads of Alluxio', { timeout: LIMIT }, () => {
  let alluxio: AlluxioSpace;
  beforeAll(async () => {
    alluxio = await startAlluxioSpace();
  }, LIMIT);
  afterAll(() => alluxio?.stop(), LIMIT);

  test('cold, a cache too small, and a client without a page cache are named', async () => {
    const { space } = alluxio;
    onTestFailed(async () => console.error(await alluxio.logs()));
    const text = (bytes: number) => 'a line\n'.repeat(bytes / 7);
    for (let i = 1; i <= 20; i++) await alluxio.store(`files/cold-${i}`, text(500_000));
    for (let i = 1; i <= 12; i++) await alluxio.store(`files/large-${i}`, text(4_000_000));
    await space.create(
      alluxio.dataset('small', [{ name: 'files', mountPoint: 's3://files' }]),
      alluxio.runtime('small', { quota: '32Mi', fuseOptions: 'ro,kernel_cache,direct_io' }),
    );
    await space.bound('AlluxioRuntime', 'small', PATIENCE_S);
    const reader = await startReader(alluxio, 'reader', 'small');
    const read = (path: string) => `dd if=${path} bs=128k of=/dev/null 2> /dev/null`;

    await step('data that is read for the first time is cold', async () => {
      const report = await explainedWhile(alluxio, 'reader', 'small', `sleep 1; [ $i -ge 20 ] || ${read('/data/files/cold-$((i+1))')}`);
      expect(reasonsOf(report)[0], told(report)).toBe('Cold');
      expect(report.basis).toBe('now');
      // Alluxio takes the rest of a block that is read for the first time from its cache already.
      expect(report.shares?.store).toBeGreaterThan(0.1);
    });
    await step('data that does not fit is read again and again from the store', async () => {
      const round = `for n in $(seq 12); do ${read('/data/files/large-$n')}; done`;
      await reader.sh(round);
      const report = await explainedWhile(alluxio, 'reader', 'small', round);
      expect(reasonsOf(report)[0], told(report)).toBe('CacheTooSmall');
      expect(reasonsOf(report)).not.toContain('Cold');
      const { workerWeb = 0, masterWeb = 0 } = await alluxio.of('small').ports();
      await record(alluxio, runtime, { pod: 'small-worker-0', role: 'worker', ports: { web: workerWeb } });
      await record(alluxio, runtime, { pod: 'small-master-0', role: 'master', ports: { web: masterWeb } });
    });
    await step('an option of the client that costs: what the node has just read, it reads again from the worker', async () => {
      await reader.sh(read('/data/files/large-1'));
      const report = await explainedWhile(alluxio, 'reader', 'small', read('/data/files/large-1'));
      expect(report.basis, told(report)).toBe('now');
      expect(report.causes, told(report)).toContainEqual(
        expect.objectContaining({
          reason: 'CostlyOption',
          field: 'spec.fuse.args',
          message: expect.stringContaining('direct_io') as string,
        }),
      );
    });
  });
});
