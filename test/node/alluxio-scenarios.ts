/**
 * Scenarios by which Fluid accepts its own releases, with Alluxio on a real node: their numbers are Fluid's (E2, E8, E11). What they read
 * over HTTPS is in buckets here (alluxio-space.ts).
 */
import { expect } from 'vitest';
import type { Mount } from '../../src/api/index.ts';
import { datasetObject } from '../support/objects.ts';
import { eventually } from '../support/sluice.ts';
import { step } from '../support/step.ts';
import { type AlluxioSpace, NUMBERS } from './alluxio-space.ts';
import { dataLoad, PATIENCE_S, runJob, startReader } from './dataset-users.ts';

export const ZOOKEEPER: Mount = { name: 'zookeeper', mountPoint: 's3://zookeeper' };
export const HADOOP: Mount = { name: 'hadoop', mountPoint: 's3://hadoop/' };
export const HBASE: Mount = { name: 'hbase', mountPoint: 's3://hbase' };

/** E2, and E8's Job: what reads a Dataset that is Bound, with the bucket of ZooKeeper. */
export async function jobsReadDataset(alluxio: AlluxioSpace, name: string): Promise<void> {
  const { space } = alluxio;
  await step('E2: a Job sees files', async () => {
    expect(await runJob(alluxio, 'fluid-test', name, 'test -n "$(ls /data)"')).toMatchObject({ succeeded: 1, failed: 0 });
  });
  await step('E8: the volume exists, and a Job copies a whole mount', async () => {
    await space.becomes('PersistentVolume', `${space.namespace}-${name}`, { status: { phase: 'Bound' } });
    await space.becomes('PersistentVolumeClaim', name, { status: { phase: 'Bound' } });
    const job = await runJob(
      alluxio,
      'copies',
      name,
      'cp -r /data/zookeeper ./ && ls zookeeper && md5sum < zookeeper/zookeeper-bin.tar.gz',
    );
    expect(job).toEqual({ succeeded: 1, failed: 0, printed: `RELEASENOTES.md\nzookeeper-bin.tar.gz\n${NUMBERS.md5}  -\n` });
  });
}

/** E8's DataLoad and E11: what a Dataset with the bucket of HBase has loaded, a second one caches again. No pod reads the first. */
export async function cacheOnCache(alluxio: AlluxioSpace, name: string): Promise<void> {
  const { space } = alluxio;
  const claim = `${name}-claim`;
  const [base, second] = [alluxio.of(name), alluxio.of(claim)];
  const shares = async () => shareOf(await base.inMaster('alluxio', 'fs', 'ls', '-R', '/'));
  await step('E8: a DataLoad of one mount leaves the other one as it is', async () => {
    const before = await shares();
    expect(before).toMatchObject({ '/hbase/hbase-bin.tar.gz': '0%', '/zookeeper/RELEASENOTES.md': '0%' });
    await space.create(dataLoad('warm', name, '/hbase'));
    await space.becomes(
      'DataLoad',
      'warm',
      { status: { phase: 'Complete', infos: { Progress: '1 of 1 paths', Files: expect.stringMatching(/^[1-9]/), Percent: '100' } } },
      PATIENCE_S,
    );
    expect(await shares()).toEqual({
      ...before,
      '/hbase/CHANGES.md': '100%',
      '/hbase/RELEASENOTES.md': '100%',
      '/hbase/hbase-bin.tar.gz': '100%',
    });
  });
  await step('E11: a Dataset of a directory in the claim of the base is Bound', async () => {
    const mounts = [{ name: 'hbase', mountPoint: `pvc://${name}/hbase`, path: '/' }];
    await space.create(datasetObject(claim, { mounts, placement: 'Shared' }), alluxio.runtime(claim));
    await space.bound('AlluxioRuntime', claim, PATIENCE_S);
  });
  const app = await startReader(alluxio, 'app', claim);
  await step('E11: a pod reads it, from the second cache in the end; the base has the bytes already', async () => {
    const ofBase = (await base.bytesRead()).ufs;
    expect(await app.sh('ls -l /data')).toMatch(new RegExp(` ${NUMBERS.bytes} .* hbase-bin\\.tar\\.gz\n`));
    expect(await app.digest('/data/hbase-bin.tar.gz')).toContain(NUMBERS.md5);
    await eventually(async () => expect((await second.bytesRead()).ufs).toBe(NUMBERS.bytes), PATIENCE_S);
    const before = (await second.bytesRead()).cache;
    expect(await app.digest('/data/hbase-bin.tar.gz')).toContain(NUMBERS.md5);
    await eventually(
      async () => expect(await second.bytesRead()).toEqual({ cache: before + NUMBERS.bytes, ufs: NUMBERS.bytes }),
      PATIENCE_S,
    );
    // The client of the base reads the files of the worker beside it by itself, which no counter of that worker has; nor is what it loads
    // counted as read.
    expect((await base.bytesRead()).ufs).toBe(ofBase);
  });
  await step('a client of the base that was replaced is seen by the second Dataset, whose pods go on', async () => {
    await space.kubectl('delete', 'pod', '-l', `release=${name},role=alluxio-fuse`, '--grace-period=1');
    const inWorker = ['exec', '-n', space.namespace, `${claim}-worker-0`, '-c', 'alluxio-worker', '--'];
    await eventually(() => alluxio.cluster.plane.kubectl(...inWorker, 'ls', '/underFSStorage'), PATIENCE_S);
    // No pod has read this file before.
    expect(await app.sh('cat /data/CHANGES.md')).toBe('what has changed\n');
  });
  await step('the second Dataset is deleted', async () => {
    await space.kubectl('delete', 'pod', 'app');
    await space.delete('Dataset', claim);
    await space.gone('Dataset', claim, PATIENCE_S);
    await space.gone('AlluxioRuntime', claim);
  });
}

/** How much of each file is cached, by its path, as `alluxio fs ls` lists it. */
const shareOf = (listed: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...listed.matchAll(/ (\d+%) +(\/\S+)$/gm)].map(([, share = '', path = '']) => [path, share]));
