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
import { dataLoad, deleteWhole, PATIENCE_S, runJob, runServerlessJob, startReader } from './dataset-users.ts';

export const ZOOKEEPER: Mount = { name: 'zookeeper', mountPoint: 's3://zookeeper' };
export const HADOOP: Mount = { name: 'hadoop', mountPoint: 's3://hadoop/' };
export const HBASE: Mount = { name: 'hbase', mountPoint: 's3://hbase' };

/** E2, and E8's Job. */
export async function jobsReadDataset(alluxio: AlluxioSpace): Promise<void> {
  const { space } = alluxio;
  const name = 'zookeeper';
  await step('E2: Dataset and runtime exist, and become Bound', async () => {
    await space.create(alluxio.dataset(name, [ZOOKEEPER]), alluxio.runtime(name, { quota: '1Gi' }));
    expect(await space.find('Dataset', name)).toBeDefined();
    expect(await space.find('AlluxioRuntime', name)).toMatchObject({
      spec: { replicas: 1, tieredstore: { levels: [{ mediumtype: 'SSD', path: expect.stringMatching(/^\/tmp\//), quota: '1Gi' }] } },
    });
    await space.becomes('Dataset', name, { status: { phase: 'Bound' } }, PATIENCE_S);
  });
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
  await step('a Job reads by a client of its own, as a sidecar', async () => {
    const job = await runServerlessJob(alluxio, 'serverless', name, 'md5sum < /data/zookeeper/zookeeper-bin.tar.gz');
    expect(job).toEqual({ succeeded: 1, failed: 0, printed: `${NUMBERS.md5}  -\n` });
  });
  await step('E2: all of it is deleted', () => deleteWhole(alluxio, name));
}

/** E8's DataLoad and E11: what one Dataset has loaded another one caches again. */
export async function cacheOnCache(alluxio: AlluxioSpace): Promise<void> {
  const { space } = alluxio;
  const [base, second] = [alluxio.of('hbase'), alluxio.of('hbase-claim')];
  await step('E11: the base is Bound', async () => {
    await space.create(alluxio.dataset('hbase', [HBASE, HADOOP], { placement: 'Shared' }), alluxio.runtime('hbase'));
    await space.bound('AlluxioRuntime', 'hbase', PATIENCE_S);
  });
  await step('E8: a DataLoad of one mount leaves the other one as it is', async () => {
    await space.create(dataLoad('warm', 'hbase', '/hbase'));
    await space.becomes(
      'DataLoad',
      'warm',
      { status: { phase: 'Complete', infos: { Progress: '1 of 1 paths', Files: expect.stringMatching(/^[1-9]/), Percent: '100' } } },
      PATIENCE_S,
    );
    expect(shareOf(await base.inMaster('alluxio', 'fs', 'ls', '-R', '/'))).toEqual({
      '/hadoop/RELEASENOTES.md': '0%',
      '/hadoop/hadoop-bin.tar.gz': '0%',
      '/hbase/CHANGES.md': '100%',
      '/hbase/RELEASENOTES.md': '100%',
      '/hbase/hbase-bin.tar.gz': '100%',
    });
  });
  await step('E11: a Dataset of a directory in the claim of the base is Bound', async () => {
    const mounts = [{ name: 'hbase', mountPoint: 'pvc://hbase/hbase', path: '/' }];
    await space.create(datasetObject('hbase-claim', { mounts, placement: 'Shared' }), alluxio.runtime('hbase-claim'));
    await space.bound('AlluxioRuntime', 'hbase-claim', PATIENCE_S);
  });
  const app = await startReader(alluxio, 'app', 'hbase-claim');
  await step('E11: a pod reads it, from the second cache in the end; the base has the bytes already', async () => {
    await space.becomes('Pod', 'app', { status: { phase: 'Running' } });
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
    expect((await base.bytesRead()).ufs).toBe(0);
  });
  await step('a client of the base that was replaced is seen by the second Dataset, whose pods go on', async () => {
    await space.kubectl('delete', 'pod', '-l', 'release=hbase,role=alluxio-fuse', '--grace-period=1');
    const inWorker = ['exec', '-n', space.namespace, 'hbase-claim-worker-0', '-c', 'alluxio-worker', '--'];
    await eventually(() => alluxio.cluster.plane.kubectl(...inWorker, 'ls', '/underFSStorage'), PATIENCE_S);
    // No pod has read this file before.
    expect(await app.sh('cat /data/CHANGES.md')).toBe('what has changed\n');
  });
  await step('deleted one after the other, they leave nothing', async () => {
    await space.kubectl('delete', 'pod', 'app');
    await deleteWhole(alluxio, 'hbase-claim', 'hbase');
  });
}

/** How much of each file is cached, by its path, as `alluxio fs ls` lists it. */
const shareOf = (listed: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...listed.matchAll(/ (\d+%) +(\/\S+)$/gm)].map(([, share = '', path = '']) => [path, share]));
