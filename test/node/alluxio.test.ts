/** An AlluxioRuntime on a real node, with a real Alluxio and a real object store, from the first read to the last trace. */
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import alluxioRuntime from '../../runtimes/alluxio/index.ts';
import type { Report } from '../../runtimes/alluxio/report.ts';
import type { Mount } from '../../src/api/index.ts';
import type { BoundProbe } from '../../src/constructs/index.ts';
import { whyNoAlluxio } from '../../harness/index.ts';
import { given } from '../runtimes/alluxio/given.ts';
import { metricsOfRule, serviceMonitor } from '../support/autoscaling.ts';
import { canRun } from '../support/can-run.ts';
import { canHaveNode } from '../support/real-node.ts';
import { condition, eventually as within } from '../support/sluice.ts';
import { step } from '../support/step.ts';
import { backsUpAndRestores } from './alluxio-backup.ts';
import { cacheOnCache, HADOOP, HBASE, jobsReadDataset, ZOOKEEPER } from './alluxio-scenarios.ts';
import { type AlluxioSpace, NUMBERS, SECRET_KEY, type Serving, startAlluxioSpace } from './alluxio-space.ts';
import { cached, dataLoad, nodeLabels, PATIENCE_S, type Reader, startReader } from './dataset-users.ts';

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

  /** The answers of the master to the runtime's own questions. */
  async function answered(webPort: number) {
    const { mounts, probes } = alluxioRuntime.bind(
      given({
        mounts: [ZOOKEEPER, HADOOP],
        spec: { properties: { 'alluxio.master.web.port': String(webPort) } },
      }),
    );
    const run = (probe?: BoundProbe<unknown>) => demo.inMaster(...(probe?.commands[0]?.argv ?? []));
    const [listed, counted] = [await run(mounts?.list), await run(probes.cache)];
    const { capacity, used, version } = (probes.cache?.parse([[counted]]) ?? {}) as Partial<Report>;
    const isWeb = [listed.startsWith('{'), counted.startsWith('"')];
    return {
      isWeb,
      report: { capacity, used, version },
      rows: mounts?.list.parse([[listed]]).toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    };
  }
  /** Alluxio's own table of mounts, but for its root. */
  async function mounted(): Promise<readonly string[]> {
    const listed = await demo.inMaster('alluxio', 'fs', 'mount');
    return [...listed.matchAll(/^(s3:\S+) +on +(\S+)/gm)].map(([, source, path]) => `${source} on ${path}`).toSorted();
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
      expect(await mounted()).toEqual(['s3://hadoop/ on /hadoop', 's3://zookeeper/ on /zookeeper']);
    });

    await step("the master's web port answers as its commands do", async () => {
      const ports = await demo.ports();
      // No process listens on port 1.
      const byCommands = await answered(1);
      expect(byCommands.rows).toMatchObject([{ source: 's3://hadoop/' }, { source: 's3://zookeeper' }]);
      expect(await answered(ports['masterWeb'] ?? 0)).toEqual({ ...byCommands, isWeb: [true, true] });
      expect(byCommands.isWeb).toEqual([false, false]);
    });

    await step('Prometheus reads what the rule of its adapter is computed from', async () => {
      const [{ path }] = serviceMonitor.spec.endpoints;
      const answer = await fetch(`http://${alluxio.cluster.node.address}:${(await demo.ports())['masterWeb']}${path}`);
      const text = await answer.text();
      for (const metric of metricsOfRule) expect(text).toMatch(new RegExp(`^${metric} \\d`, 'm'));
    });

    await step('what a pod reads a second time comes from the cache', async () => {
      reader = await startReader(alluxio, 'reader', NAME);
      const { bytesRead } = demo;
      expect(await bytesRead()).toEqual({ cache: 0, ufs: 0 });
      expect(await reader.digest(`/data/${ARCHIVE}`)).toContain(NUMBERS.md5);
      await eventually(async () => expect((await bytesRead()).ufs).toBe(NUMBERS.bytes));
      const first = await bytesRead();
      expect(await reader.digest(`/data/${ARCHIVE}`)).toContain(NUMBERS.md5);
      await eventually(async () => expect(await bytesRead()).toEqual({ cache: first.cache + NUMBERS.bytes, ufs: NUMBERS.bytes }));
    });

    await step('a DataLoad of a path that does not exist fails, and names it', async () => {
      await space.create(dataLoad('lost', NAME, '/zookeeper/nowhere'));
      await space.becomes('Job', 'lost-loader-job', { status: { active: 1 } });
      // Else the Job would try three more times.
      await space.patch('Job', 'lost-loader-job', { spec: { backoffLimit: 0 } });
      const { status } = await space.becomes('DataLoad', 'lost', { status: { phase: 'Failed' } }, PATIENCE_S);
      const { conditions } = status as { conditions: readonly { message: string }[] };
      expect(conditions[0]?.message).toContain('printed last: path /zookeeper/nowhere does not exist in the Dataset');
    });
  });

  test('E2, E8: Jobs read it', async () => {
    showLogs();
    await jobsReadDataset(alluxio, NAME);
  });

  test('pods follow its mounts, and the masters that return', async () => {
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
      expect(await mounted()).toEqual(['s3://hbase/ on /hbase', 's3://zookeeper/ on /zookeeper']);
      await expect(reader.sh('cat /data/hadoop/RELEASENOTES.md')).rejects.toThrow(/No such file/);
      expect(await reader.sh('ls -l /data/hbase/RELEASENOTES.md')).toMatch(/^-rwx------ /);
      await mount(ZOOKEEPER, CHANGED);
      await space.becomes('Dataset', NAME, { status: { phase: 'Bound', mounts: [{}, { options: CHANGED.options }] } }, PATIENCE_S);
      // The kernel remembers files that the client's pod has looked at.
      expect(await reader.sh('ls -l /data/hbase/CHANGES.md')).toMatch(/^-rwxr-xr-x /);
      await space.bound('AlluxioRuntime', NAME, PATIENCE_S);
    });

    await step('a master that was killed returns with its mounts', async () => {
      await demo.inMaster('kill', '1');
      const restarted = expect.objectContaining({ name: 'alluxio-master', restartCount: 1, ready: true });
      const statuses = { status: { containerStatuses: expect.arrayContaining([restarted]) } };
      await space.becomes('Pod', `${NAME}-master-0`, statuses, PATIENCE_S);
      expect(await mounted()).toEqual(['s3://hbase/ on /hbase', 's3://zookeeper/ on /zookeeper']);
      await space.becomes('Dataset', NAME, condition('Ready', { status: 'True' }), PATIENCE_S);
      expect(await reader.digest(`/data/${ARCHIVE}`)).toContain(NUMBERS.md5);
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
