/** examples/mooncake, a class without clients: its scripts, as Python runs them, and what Sluice makes of its files. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { root, sluice } from '../cli/run.ts';
import { canRun } from '../support/can-run.ts';
import { objectsIn } from '../support/objects.ts';

const PYTHON = '/usr/bin/python3';
const read = (file: string) => readFileSync(join(root, 'examples/mooncake', file), 'utf8');

type Class = KubeObject & {
  readonly extraResources: { readonly configMaps: readonly [{ readonly data: Readonly<Record<string, string>> }] };
};

test('the files have no faults', async () => {
  const { code, stdout, stderr } = await sluice(['diff', '--offline', 'examples/mooncake']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('No faults in 4 objects.');
});

test('they become masters, workers, a claim and no client, and no warning', async () => {
  const { code, stdout, stderr } = await sluice(['synth', '-'], { input: `${read('class.yaml')}\n---\n${read('dataset.yaml')}` });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(objectsIn(stdout).map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'StatefulSet kvdemo-master',
    'Service svc-kvdemo-master',
    'ConfigMap fluid-runtime-config-kvdemo',
    'ConfigMap fluid-extra-kvdemo.mooncake-scripts',
    'StatefulSet kvdemo-worker',
    'PersistentVolume default-kvdemo',
    'PersistentVolumeClaim kvdemo',
  ]);
  expect(stdout).toMatch(/limits:\n +memory: 5Gi/);
  // The application names the Service by itself.
  expect(read('application.yaml')).toContain('value: svc-kvdemo-master');
});

describe.skipIf(!canRun('scripts of Mooncake', existsSync(PYTHON) ? undefined : `no ${PYTHON}`))('the scripts of Mooncake', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-mooncake-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const [{ extraResources } = { extraResources: { configMaps: [{ data: {} }] } }] = objectsIn(
    read('class.yaml'),
  ) as unknown as readonly Class[];
  for (const [name, text] of Object.entries(extraResources.configMaps[0].data)) writeFileSync(join(folder, name), text);
  for (const program of ['mooncake_master', 'mooncake_client'])
    writeFileSync(join(folder, program), '#!/bin/sh\nprintf "%s\\n" "${0##*/}" "$@"\n', { mode: 0o755 });

  /** Writes runtime.json, and returns the environment of a pod of the component. */
  function podOf(component: 'master' | 'worker', master: object = {}, quotas: readonly string[] = ['4Gi']) {
    const runtime = {
      master: { replicas: 1, service: { name: 'svc-kv-master' }, ...master },
      worker: { replicas: 3, options: { protocol: 'rdma' }, tieredStoreLevels: quotas.map((quota) => ({ quotas: [quota] })) },
    };
    writeFileSync(join(folder, 'runtime.json'), JSON.stringify(runtime));
    return {
      PATH: `${folder}:${process.env['PATH'] ?? ''}`,
      FLUID_RUNTIME_CONFIG_PATH: join(folder, 'runtime.json'),
      FLUID_RUNTIME_COMPONENT_TYPE: component,
      POD_IP: '10.0.0.1',
    };
  }
  const serve = (...given: Parameters<typeof podOf>) =>
    spawnSync(PYTHON, [join(folder, 'serve.py')], { encoding: 'utf8', env: podOf(...given) });

  test('start the master with its options', () =>
    expect(
      serve('master', { options: { eviction_high_watermark_ratio: '0.8', metrics_port: '9004' } })
        .stdout.trim()
        .split('\n'),
    ).toEqual([
      'mooncake_master',
      '--rpc_port=50051',
      '--enable_http_metadata_server=true',
      '--http_metadata_server_port=8080',
      '--metrics_port=9004',
      '--eviction_high_watermark_ratio=0.8',
    ]));
  test('start a worker that gives its level to the store of the master', () =>
    expect(serve('worker').stdout.trim().split('\n')).toEqual([
      'mooncake_client',
      '--host=10.0.0.1',
      '--master_server_address=svc-kv-master:50051',
      '--metadata_server=http://svc-kv-master:8080/metadata',
      `--global_segment_size=${4 * 2 ** 30}`,
      '--enable_http_server=true',
      '--http_port=9300',
      '--protocol=rdma',
    ]));
  test('start neither several masters nor a worker without memory, and say what is expected', () => {
    expect(serve('master', { replicas: 2 })).toMatchObject({ status: 1, stderr: expect.stringContaining('expected 1, found 2') as string });
    expect(serve('worker', {}, [])).toMatchObject({ status: 1, stderr: expect.stringContaining('found 0 levels') as string });
  });
  test('report what the metrics of the master say', async () => {
    // As version 0.3.13.post1 prints them, beside those of each segment.
    const metrics =
      'master_allocated_bytes 268435456\nmaster_total_capacity_bytes 1073741824\nmaster_key_count 3\nsegment_total_capacity_bytes{segment="a"} 5\n';
    const server = createServer(({ url }, answer) => void answer.writeHead(url === '/metrics' ? 200 : 404).end(metrics));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { stdout } = await promisify(execFile)(PYTHON, [join(folder, 'summary.py')], {
      env: podOf('master', { options: { metrics_port: String(port) } }),
    });
    server.close();
    expect(JSON.parse(stdout)).toEqual({ cached: '0.25GiB', cacheCapacity: '1.00GiB', fileNum: 3, cachedPercentage: '25.0%' });
  });
});
