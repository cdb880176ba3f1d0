/** Alluxio itself on a real node: that it runs in pods whose names are Services', and caches. Its runtime's own test comes to stand here. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFailed, test, vi } from 'vitest';
import alluxio from '../../runtimes/alluxio/index.ts';
import type { Report } from '../../runtimes/alluxio/report.ts';
import type { BoundProbe } from '../../src/constructs/index.ts';
import { whyNoAlluxio } from '../../src/testing/index.ts';
import { given } from '../runtimes/alluxio/given.ts';
import { canRun } from '../support/can-run.ts';
import { canHaveNode } from '../support/node.ts';
import { type AlluxioPods, bytesRead, NUMBERS, OPTIONS, startAlluxio } from './alluxio-pods.ts';

/** For what hangs: a busy node is no failure. */
const LIMIT = 400_000;
const soon = { timeout: 90_000, interval: 500 };

describe.skipIf(!canHaveNode || !canRun('Alluxio on a real node', whyNoAlluxio()))('Alluxio on a real node', () => {
  let pods: AlluxioPods;
  beforeAll(async () => {
    pods = await startAlluxio();
  }, LIMIT);
  afterAll(() => pods?.stop());

  test('a file of a bucket is read twice, the second time from the cache', { timeout: LIMIT }, async () => {
    onTestFailed(async () => console.error(await pods.logs()));
    const options = Object.entries(OPTIONS).flatMap(([key, value]) => ['--option', `${key}=${value}`]);
    const mounted = await pods.exec('demo-master-0', 'alluxio-master', 'alluxio', 'fs', 'mount', ...options, '/data', 's3://bucket');
    expect(mounted).toBe('Mounted s3://bucket at /data\n');
    // Past what the kernel keeps of the file.
    const script = `dd if=${join(pods.node.mountRoot, 'alluxio-fuse/data/numbers')} iflag=direct bs=128k 2>/dev/null | md5sum`;
    const read = () => pods.exec('demo-fuse', 'reader', 'sh', '-c', script);
    expect(await bytesRead(pods)).toEqual({ cache: 0, ufs: 0 });
    expect(await read()).toContain(NUMBERS.md5);
    await vi.waitFor(async () => expect((await bytesRead(pods)).ufs).toBe(NUMBERS.bytes), soon);
    const first = await bytesRead(pods);
    expect(await read()).toContain(NUMBERS.md5);
    await vi.waitFor(async () => expect(await bytesRead(pods)).toEqual({ cache: first.cache + NUMBERS.bytes, ufs: NUMBERS.bytes }), soon);
  });

  test("the master's web port answers as the commands do", { timeout: LIMIT }, async () => {
    onTestFailed(async () => console.error(await pods.logs()));
    const answered = async (webPort: number) => {
      const properties = { 'alluxio.master.web.port': String(webPort) };
      const options = { ...OPTIONS, 's3a.secretKey': '******' };
      const { mounts, probes } = alluxio.bind(
        given({ mounts: [{ mountPoint: 's3://bucket', name: 'data', options }], spec: { properties } }),
      );
      const run = async (probe?: BoundProbe<unknown>) => pods.exec('demo-master-0', 'alluxio-master', ...(probe?.commands[0]?.argv ?? []));
      const [listed, counted] = [await run(mounts?.list), await run(probes.cache)];
      const { capacity, used, version } = (probes.cache?.parse([[counted]]) ?? {}) as Partial<Report>;
      return {
        isWeb: [listed.startsWith('{'), counted.startsWith('"')],
        report: { capacity, used, version },
        rows: mounts?.list.parse([[listed]]),
      };
    };
    // Nobody listens there.
    const byCommands = await answered(1);
    expect(byCommands.rows).toMatchObject([{ path: '/data', source: 's3://bucket' }]);
    expect(await answered(19999)).toEqual({ ...byCommands, isWeb: [true, true] });
    expect(byCommands.isWeb).toEqual([false, false]);
  });

  test('pods have the names of their Services', async () => {
    const resolved = async (name: string) => (await pods.exec('demo-worker-0', 'alluxio-worker', 'getent', 'hosts', name)).split(/\s/)[0];
    const fieldOf = (ref: string, path: string) => pods.plane.kubectl('get', ref, '-o', `jsonpath={${path}}`);
    expect(await resolved('demo-master-0.default')).toBe(await fieldOf('pod/demo-master-0', '.status.podIP'));
    expect(await resolved('minio')).toBe(await fieldOf('service/minio', '.spec.clusterIP'));
  });
});
