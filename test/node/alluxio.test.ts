/** An AlluxioRuntime on a real node, with a real Alluxio and a real object store, from the first read to the last trace. */
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import alluxioRuntime from '../../runtimes/alluxio/index.ts';
import type { Report } from '../../runtimes/alluxio/report.ts';
import type { BoundProbe } from '../../src/constructs/index.ts';
import { BUSYBOX_IMAGE, whyNoAlluxio } from '../../src/testing/index.ts';
import { given } from '../runtimes/alluxio/given.ts';
import { canRun } from '../support/can-run.ts';
import { canHaveNode, createPod } from '../support/node.ts';
import { condition, eventually as within } from '../support/sluice.ts';
import { step } from '../support/step.ts';
import { type AlluxioSpace, demoRuntime, NAME, NUMBERS, startAlluxioSpace } from './alluxio-space.ts';

/** For what hangs: a busy node is no failure. */
const LIMIT = 600_000;
const eventually = <T>(check: () => T | Promise<T>) => within(check, 120);

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
    await space.becomes('Pod', 'reader', condition('Ready', { status: 'True' }), 120);
  }
  const inReader = (script: string) =>
    alluxio.cluster.plane.kubectl('exec', '-n', alluxio.space.namespace, 'reader', '--', 'sh', '-ec', script);
  /** What the runtime's own questions to the master find. */
  async function answered(webPort: number) {
    const { mounts, probes } = alluxioRuntime.bind(
      given({
        mounts: [{ mountPoint: 's3://bucket', name: 'data' }],
        spec: { properties: { 'alluxio.master.web.port': String(webPort) } },
      }),
    );
    const run = (probe?: BoundProbe<unknown>) => alluxio.inMaster(...(probe?.commands[0]?.argv ?? []));
    const [listed, counted] = [await run(mounts?.list), await run(probes.cache)];
    const { capacity, used, version } = (probes.cache?.parse([[counted]]) ?? {}) as Partial<Report>;
    const isWeb = [listed.startsWith('{'), counted.startsWith('"')];
    return { isWeb, report: { capacity, used, version }, rows: mounts?.list.parse([[listed]]) };
  }
  /** Past what the kernel keeps of a file. */
  const digest = (path: string) => inReader(`dd if=/data/${path} iflag=direct bs=128k 2>/dev/null | md5sum`);

  test('serves from the first read to the last trace', { timeout: LIMIT, retry: 0 }, async () => {
    const { space, bytesRead } = alluxio;
    onTestFailed(async () => console.error(await alluxio.logs()));

    await step('is Bound with the secrets of a bucket, and was never in trouble', async () => {
      await space.create(alluxio.dataset([{ name: 'data', mountPoint: 's3://bucket' }]), demoRuntime(alluxio));
      await space.bound('AlluxioRuntime', NAME, 240);
      expect((await space.events(NAME)).filter((event) => event.startsWith('Warning'))).toEqual([]);
    });

    await step("the master's web port answers as its commands do", async () => {
      const ports = await alluxio.ports();
      // Nobody listens there.
      const byCommands = await answered(1);
      expect(byCommands.rows).toMatchObject([{ path: '/data', source: 's3://bucket' }]);
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
  });
});
