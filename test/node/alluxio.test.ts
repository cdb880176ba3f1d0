/** An AlluxioRuntime on a real node, with a real Alluxio and a real object store, from the first read to the last trace. */
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import type { Mount } from '../../src/api/index.ts';
import { whyNoAlluxio } from '../../harness/index.ts';
import { metricsOfRule, serviceMonitor } from '../support/autoscaling.ts';
import { canRun } from '../support/can-run.ts';
import { canHaveNode } from '../support/real-node.ts';
import { condition, eventually as within } from '../support/sluice.ts';
import { step } from '../support/step.ts';
import { backsUpAndRestores } from './alluxio-backup.ts';
import { cacheOnCache, HADOOP, HBASE, jobsReadDataset, ZOOKEEPER } from './alluxio-scenarios.ts';
import { type AlluxioSpace, NUMBERS, SECRET_KEY, type Serving, startAlluxioSpace } from './alluxio-space.ts';
import { cached, nodeLabels, PATIENCE_S, type Reader, startReader } from './dataset-users.ts';
import { explained, reasonsOf, told } from './slow-reads.ts';

const NAME = 'demo';
const ARCHIVE = 'zookeeper/zookeeper-bin.tar.gz';
const CHANGED: Mount = { ...HBASE, options: { 'alluxio.underfs.s3.default.mode': '0755' } };

/** For what hangs: a busy node is no failure. */
const LIMIT = 1_200_000;
const eventually = <T>(check: () => T | Promise<T>) => within(check, PATIENCE_S);

const canServe = canHaveNode && canRun('Alluxio on a real node', whyNoAlluxio());

describe.skipIf(!canServe)('Alluxio on a real node', { timeout: LIMIT }, () => {
  let alluxio: AlluxioSpace;
  let demo: Serving;
  /** Reads through the claim while mounts and masters come and go. */
  let reader: Reader;
  beforeAll(async () => {
    alluxio = await startAlluxioSpace();
    demo = alluxio.of(NAME);
  }, LIMIT);
  afterAll(() => alluxio?.stop());

  // A Dataset that a test left has the node to itself: the next would wait for it.
  let hasFailed = false;
  beforeEach(({ skip }) => skip(hasFailed, 'a test before this one failed'));
  const showLogs = () =>
    onTestFailed(async () => {
      hasFailed = true;
      console.error(await alluxio.logs());
    });

  /** Alluxio's own table of mounts, but for its root; by its web port, since each of its commands starts a JVM. */
  async function mounted(): Promise<readonly string[]> {
    const answer = await fetch(`http://${alluxio.cluster.node.address}:${(await demo.ports())['masterWeb']}/api/v1/master/info`);
    const { mountPoints } = (await answer.json()) as { readonly mountPoints: Readonly<Record<string, { readonly ufsUri: string }>> };
    return Object.entries(mountPoints)
      .flatMap(([path, { ufsUri }]) => (path === '/' ? [] : `${ufsUri.replace(/\/$/, '')} on ${path}`))
      .toSorted();
  }

  // One Dataset for all: an Alluxio takes longer to start than what is asked of it.
  test('E2, E9: serves from the first read on', async () => {
    const { space } = alluxio;
    showLogs();

    await step('Dataset and runtime exist, and become Bound with the secrets of their buckets; Alluxio lists both mounts', async () => {
      await space.create(alluxio.dataset(NAME, [ZOOKEEPER, HADOOP], { placement: 'Shared' }), alluxio.runtime(NAME));
      expect(await space.find('Dataset', NAME)).toBeDefined();
      expect(await space.find('AlluxioRuntime', NAME)).toMatchObject({
        spec: { replicas: 1, tieredstore: { levels: [{ mediumtype: 'SSD', path: alluxio.cacheDir }] } },
      });
      await space.bound('AlluxioRuntime', NAME, PATIENCE_S);
      expect(await mounted()).toEqual(['s3://hadoop on /hadoop', 's3://zookeeper on /zookeeper']);
    });

    await step('Prometheus reads what the rule of its adapter is computed from', async () => {
      const [{ path }] = serviceMonitor.spec.endpoints;
      const answer = await fetch(`http://${alluxio.cluster.node.address}:${(await demo.ports())['masterWeb']}${path}`);
      const text = await answer.text();
      for (const metric of metricsOfRule) expect(text).toMatch(new RegExp(`^${metric} \\d`, 'm'));
    });

    await step('what a pod reads a second time comes from the cache; the first time is slow, and the cause is named', async () => {
      reader = await startReader(alluxio, 'reader', NAME);
      const { bytesRead } = demo;
      expect(await bytesRead()).toEqual({ cache: 0, ufs: 0 });
      expect(await reader.digest(`/data/${ARCHIVE}`)).toContain(NUMBERS.md5);
      await eventually(async () => expect((await bytesRead()).ufs).toBe(NUMBERS.bytes));
      const first = await bytesRead();
      const report = await explained(alluxio, NAME, 1);
      expect(reasonsOf(report)[0], told(report)).toBe('Cold');
      expect(await reader.digest(`/data/${ARCHIVE}`)).toContain(NUMBERS.md5);
      await eventually(async () => expect(await bytesRead()).toEqual({ cache: first.cache + NUMBERS.bytes, ufs: NUMBERS.bytes }));
    });
  });

  test('E2, E8: Jobs read it', async () => {
    showLogs();
    await jobsReadDataset(alluxio, NAME);
  });

  test('pods follow its mounts, and a master that returns', async () => {
    const { space } = alluxio;
    showLogs();

    await step('a mount that comes, another that goes, and one that changes are seen by the pod', async () => {
      const mount = (...mounts: readonly Mount[]) => space.patch('Dataset', NAME, { spec: { mounts } });
      // The client remembers which files exist, and which do not.
      expect(await reader.sh('ls /data; ls /data/hbase 2>&1 || :')).toBe('hadoop\nzookeeper\nls: /data/hbase: No such file or directory\n');
      // As a pod may leave it that reads while a mount goes.
      await demo.inMaster('alluxio', 'fs', 'mkdir', '/hbase');
      await mount(ZOOKEEPER, HBASE);
      await space.becomes('Dataset', NAME, { status: { mounts: [ZOOKEEPER, HBASE] } }, PATIENCE_S);
      await eventually(async () =>
        expect(await reader.sh('ls /data; cat /data/hbase/RELEASENOTES.md')).toBe('hbase\nzookeeper\nwhat is new\n'),
      );
      expect(await mounted()).toEqual(['s3://hbase on /hbase', 's3://zookeeper on /zookeeper']);
      await expect(reader.sh('cat /data/hadoop/RELEASENOTES.md')).rejects.toThrow(/No such file/);
      expect(await reader.sh('ls -l /data/hbase/RELEASENOTES.md')).toMatch(/^-rwx------ /);
      await mount(ZOOKEEPER, CHANGED);
      await space.becomes('Dataset', NAME, { status: { phase: 'Bound', mounts: [{}, { options: CHANGED.options }] } }, PATIENCE_S);
      // The kernel remembers files that the client's pod has looked at.
      expect(await reader.sh('ls -l /data/hbase/CHANGES.md')).toMatch(/^-rwxr-xr-x /);
      await space.bound('AlluxioRuntime', NAME, PATIENCE_S);
    });

    await step('a master that was lost returns with its mounts, and what is read is right', async () => {
      // The journal goes with the master's pod. Newly stored files come before those that workers have cached.
      const before = (await space.get('Pod', `${NAME}-master-0`)).metadata.uid;
      await alluxio.store('zookeeper/first', 'the first\n');
      await space.kubectl('delete', 'pod', `${NAME}-master-0`, '--grace-period=0', '--force');
      await eventually(async () => expect((await space.get('Pod', `${NAME}-master-0`)).metadata.uid).not.toBe(before));
      await space.becomes('Dataset', NAME, condition('Ready', { status: 'False' }), PATIENCE_S);
      await space.becomes('Pod', `${NAME}-master-0`, condition('Ready', { status: 'True' }), PATIENCE_S);
      await space.becomes('Dataset', NAME, condition('Ready', { status: 'True' }), PATIENCE_S);
      await space.bound('AlluxioRuntime', NAME, PATIENCE_S);
      await eventually(async () =>
        expect(await reader.sh('cat /data/zookeeper/first /data/hbase/CHANGES.md')).toBe('the first\nwhat has changed\n'),
      );
      expect(await reader.digest(`/data/${ARCHIVE}`)).toContain(NUMBERS.md5);
      expect(await reader.digest(`/data/${ARCHIVE}`)).toContain(NUMBERS.md5);
    });

    await space.kubectl('delete', 'pod', 'reader');
  });

  test('E8, E11: a second Dataset caches a directory of it, which a DataLoad has loaded', async () => {
    showLogs();
    await cacheOnCache(alluxio, NAME);
  });

  test('E2: deleted, it leaves no trace but its DataBackup, from which another starts', async () => {
    showLogs();
    expect(cached(alluxio)).not.toEqual([]);
    expect(await nodeLabels(alluxio)).not.toEqual([]);
    await backsUpAndRestores(alluxio, NAME, [ZOOKEEPER, CHANGED]);
  });

  const title = 'a bucket at / has its secrets, which no command line or environment shows; pods have the names of their Services';
  test(title, async () => {
    const { space } = alluxio;
    showLogs();
    const runtime = alluxio.runtime(NAME, { networkMode: 'ContainerNetwork' });
    await space.create(alluxio.dataset(NAME, [{ ...ZOOKEEPER, path: '/' }]), runtime);
    await space.bound('AlluxioRuntime', NAME, PATIENCE_S);
    const root = await startReader(alluxio, 'reader', NAME);
    expect(await root.digest('/data/zookeeper-bin.tar.gz')).toContain(NUMBERS.md5);
    const processes = await demo.inMaster('sh', '-c', 'cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr "\\0" "\\n"');
    expect(processes).toContain('alluxio.master.mount.table.root.ufs=s3://zookeeper');
    expect(processes).not.toContain(SECRET_KEY);
  });
});
