/** An AlluxioRuntime on a real node, with a real Alluxio and a real object store, from the first read to the last trace. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import alluxioRuntime from '../../runtimes/alluxio/index.ts';
import type { Report } from '../../runtimes/alluxio/report.ts';
import type { Mount } from '../../src/api/index.ts';
import type { BoundProbe } from '../../src/constructs/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { BUSYBOX_IMAGE, whyNoAlluxio } from '../../harness/index.ts';
import { given } from '../runtimes/alluxio/given.ts';
import { canRun } from '../support/can-run.ts';
import { canHaveNode, createPod } from '../support/real-node.ts';
import { condition, eventually as within } from '../support/sluice.ts';
import { step } from '../support/step.ts';
import { type AlluxioSpace, cacheOf, demoRuntime, NAME, NUMBERS, SECRET_KEY, startAlluxioSpace } from './alluxio-space.ts';

/** For what hangs: a busy node is no failure. */
const LIMIT = 1_200_000;
const PATIENCE_S = 400;
const eventually = <T>(check: () => T | Promise<T>) => within(check, PATIENCE_S);

describe.skipIf(!canHaveNode || !canRun('Alluxio on a real node', whyNoAlluxio()))('Alluxio on a real node', () => {
  let alluxio: AlluxioSpace;
  beforeAll(async () => {
    alluxio = await startAlluxioSpace();
  }, LIMIT);
  afterAll(() => alluxio?.stop());

  /** A pod that has the dataset of its name at /data for as long as it is there. */
  async function startReader(): Promise<void> {
    const { cluster, space } = alluxio;
    const container = { volumeMounts: [{ name: 'data', mountPath: '/data' }] };
    const spec = { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: NAME } }] };
    await createPod(cluster.plane, {
      name: 'reader',
      namespace: space.namespace,
      image: BUSYBOX_IMAGE,
      script: 'exec tail -f /dev/null',
      container,
      spec,
    });
    await space.becomes('Pod', 'reader', condition('Ready', { status: 'True' }), PATIENCE_S);
  }
  const inReader = (script: string) =>
    alluxio.cluster.plane.kubectl('exec', '-n', alluxio.space.namespace, 'reader', '--', 'sh', '-ec', script);
  /** What the runtime's own questions to the master find. */
  async function answered(webPort: number) {
    const { mounts, probes } = alluxioRuntime.bind(
      given({
        mounts: [DATA, OTHER],
        spec: { properties: { 'alluxio.master.web.port': String(webPort) } },
      }),
    );
    const run = (probe?: BoundProbe<unknown>) => alluxio.inMaster(...(probe?.commands[0]?.argv ?? []));
    const [listed, counted] = [await run(mounts?.list), await run(probes.cache)];
    const { capacity, used, version } = (probes.cache?.parse([[counted]]) ?? {}) as Partial<Report>;
    const isWeb = [listed.startsWith('{'), counted.startsWith('"')];
    return {
      isWeb,
      report: { capacity, used, version },
      rows: mounts?.list.parse([[listed]]).toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    };
  }
  /** Past what the kernel keeps of a file. */
  const digest = (path: string) => inReader(`dd if=/data/${path} iflag=direct bs=128k 2>/dev/null | md5sum`);

  test('serves from the first read to the last trace', { timeout: LIMIT, retry: 0 }, async () => {
    const { space, bytesRead } = alluxio;
    onTestFailed(async () => console.error(await alluxio.logs()));

    await step('is Bound with the secrets of its buckets', async () => {
      await space.create(alluxio.dataset([DATA, OTHER]), demoRuntime(alluxio));
      await space.bound('AlluxioRuntime', NAME, 240);
    });

    await step("the master's web port answers as its commands do", async () => {
      const ports = await alluxio.ports();
      // No process listens on port 1.
      const byCommands = await answered(1);
      expect(byCommands.rows).toMatchObject([{ source: 's3://bucket' }, { source: 's3://other/' }]);
      expect(await answered(ports['masterWeb'] ?? 0)).toEqual({ ...byCommands, isWeb: [true, true] });
      expect(byCommands.isWeb).toEqual([false, false]);
    });

    await step('what a pod reads a second time comes from the cache', async () => {
      await startReader();
      expect(await bytesRead()).toEqual({ cache: 0, ufs: 0 });
      expect(await digest('data/numbers')).toContain(NUMBERS.md5);
      await eventually(async () => expect((await bytesRead()).ufs).toBe(NUMBERS.bytes));
      const first = await bytesRead();
      expect(await digest('data/numbers')).toContain(NUMBERS.md5);
      await eventually(async () => expect(await bytesRead()).toEqual({ cache: first.cache + NUMBERS.bytes, ufs: NUMBERS.bytes }));
    });

    await step('what a DataLoad has loaded is in the cache before it is read', async () => {
      await alluxio.store('bucket/warm/numbers', NUMBERS.text);
      const before = await bytesRead();
      await space.create(load('warm', '/data/warm'));
      await space.becomes('DataLoad', 'warm', { status: { phase: 'Complete', infos: { paths: '1 of 1' } } }, PATIENCE_S);
      expect(await alluxio.inMaster('alluxio', 'fs', 'ls', '/data/warm/numbers')).toMatch(/ 100% /);
      expect(await digest('data/warm/numbers')).toContain(NUMBERS.md5);
      // A client beside the worker reads the worker's files by itself, which no counter of the worker has. That of the bucket stays.
      expect((await bytesRead()).ufs).toBe(before.ufs);
    });

    await step('a DataLoad of a path that does not exist fails, and names it', async () => {
      await space.create(load('lost', '/data/nowhere'));
      await space.becomes('Job', 'lost-loader-job', { status: { active: 1 } });
      // Else the Job would try three more times.
      await space.patch('Job', 'lost-loader-job', { spec: { backoffLimit: 0 } });
      const { status } = await space.becomes('DataLoad', 'lost', { status: { phase: 'Failed' } }, PATIENCE_S);
      const { conditions } = status as { conditions: readonly { message: string }[] };
      expect(conditions[0]?.message).toContain('printed last: path /data/nowhere does not exist in the Dataset');
    });

    await step('a mount that comes, changes and goes is seen by the pod', async () => {
      const mount = (...mounts: readonly Mount[]) => space.patch('Dataset', NAME, { spec: { mounts } });
      // Its client remembers what there is, and what there is not.
      expect(await inReader('ls /data; ls /data/more 2>&1 || :')).toBe('data\nother\nls: /data/more: No such file or directory\n');
      // As a pod may leave it that reads while a mount goes.
      await alluxio.inMaster('alluxio', 'fs', 'mkdir', '/more');
      const more = { name: 'more', mountPoint: 's3://more' };
      await mount(DATA, OTHER, more);
      await eventually(async () => expect(await inReader('ls /data; cat /data/more/one')).toBe('data\nmore\nother\none\n'));
      expect(await inReader('ls -l /data/more/one')).toMatch(/^-rwx------ /);
      const options = { 'alluxio.underfs.s3.default.mode': '0755' };
      await mount(DATA, OTHER, { ...more, options });
      await space.becomes('Dataset', NAME, { status: { phase: 'Bound', mounts: [{}, {}, { options }] } }, PATIENCE_S);
      // What its pod has looked at the kernel remembers.
      expect(await inReader('ls -l /data/more/two')).toMatch(/^-rwxr-xr-x /);
      await mount(DATA, OTHER);
      await eventually(async () => expect(await inReader('ls /data')).toBe('data\nother\n'));
      await expect(inReader('cat /data/more/one')).rejects.toThrow(/No such file/);
      await space.bound('AlluxioRuntime', NAME);
    });

    await step('a master that was lost returns with its mounts, and what is read is right', async () => {
      // Its journal goes with its pod. What is stored meanwhile stands before what workers have cached.
      const before = (await space.get('Pod', `${NAME}-master-0`)).metadata.uid;
      await alluxio.store('bucket/first', 'the first\n');
      await space.kubectl('delete', 'pod', `${NAME}-master-0`, '--grace-period=0', '--force');
      await eventually(async () => expect((await space.get('Pod', `${NAME}-master-0`)).metadata.uid).not.toBe(before));
      await space.becomes('Dataset', NAME, condition('Ready', { status: 'False' }), PATIENCE_S);
      await space.becomes('Pod', `${NAME}-master-0`, condition('Ready', { status: 'True' }), PATIENCE_S);
      await space.becomes('Dataset', NAME, condition('Ready', { status: 'True' }), PATIENCE_S);
      await space.bound('AlluxioRuntime', NAME, PATIENCE_S);
      await eventually(async () => expect(await inReader('cat /data/data/first /data/other/one')).toBe('the first\none\n'));
      expect(await digest('data/numbers')).toContain(NUMBERS.md5);
      expect(await digest('data/numbers')).toContain(NUMBERS.md5);
    });

    await step('deleted, it leaves no cache, file system, label, volume or pod', async () => {
      expect(cached()).not.toEqual([]);
      expect(await nodeLabels()).not.toEqual([]);
      await space.kubectl('delete', 'pod', 'reader');
      await space.delete('Dataset', NAME);
      await space.gone('Dataset', NAME, PATIENCE_S);
      await space.gone('AlluxioRuntime', NAME);
      expect(cached()).toEqual([]);
      await eventually(async () => {
        expect(await space.made()).toEqual([]);
        expect((await space.list('Pod')).map(({ metadata }) => metadata.name)).toEqual(['minio']);
        expect(await nodeLabels()).toEqual([]);
        expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(`/alluxio/${space.namespace}/`);
      });
    });

    await step(
      'a bucket at / has its secrets, which no command line or environment shows; pods have the names of their Services',
      async () => {
        await space.create(alluxio.dataset([{ ...DATA, path: '/' }]), demoRuntime(alluxio, 'ContainerNetwork'));
        await space.bound('AlluxioRuntime', NAME, 240);
        await startReader();
        expect(await digest('numbers')).toContain(NUMBERS.md5);
        const processes = await alluxio.inMaster('sh', '-c', 'cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr "\\0" "\\n"');
        expect(processes).toContain('alluxio.master.mount.table.root.ufs=s3://bucket');
        expect(processes).not.toContain(SECRET_KEY);
      },
    );
  });

  /** Blocks that workers keep on the node. */
  const cached = () => readdirSync(cacheOf(alluxio), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const nodeLabels = async () => {
    const node = await alluxio.space.get('Node', alluxio.cluster.node.name);
    return Object.keys(node.metadata.labels ?? {}).filter((label) => /^fluid\.io\/(f|s)-/.test(label));
  };
});

const load = (name: string, path: string): KubeObject => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'DataLoad',
  metadata: { name },
  spec: { dataset: { name: NAME }, target: [{ path }] },
});

const DATA: Mount = { name: 'data', mountPoint: 's3://bucket' };
const OTHER: Mount = { name: 'other', mountPoint: 's3://other/' };
