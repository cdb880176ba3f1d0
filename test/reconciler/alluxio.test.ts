import { describe, expect, test } from 'vitest';
import alluxio from '../../runtimes/alluxio/index.ts';
import type { AlluxioRuntimeSpec } from '../../runtimes/alluxio/spec.ts';
import thin from '../../runtimes/thin/index.ts';
import type { DatasetSpec } from '../../src/api/index.ts';
import { recordedPorts } from '../../src/planning/port-table.ts';
import type { PodExec } from '../../src/kube/exec.ts';
import { type AlluxioFileSystem, alluxioFileSystem } from '../support/alluxio-exec.ts';
import * as write from '../support/objects.ts';
import { boundHarness, type Harness, harness } from './harness.ts';
import { ownStatus } from '../support/own-status.ts';

const ALLUXIO = 'AlluxioRuntime';
const tiered: AlluxioRuntimeSpec = { replicas: 1, tieredstore: { levels: [{ mediumtype: 'SSD', path: '/cache', quota: '4Gi' }] } };
const withSecret: DatasetSpec = {
  mounts: [
    {
      mountPoint: 's3://bucket/data/',
      name: 'data',
      options: { 'alluxio.underfs.s3.endpoint': 'http://minio:9000' },
      encryptOptions: [{ name: 's3a.secretKey', valueFrom: { secretKeyRef: { name: 'minio', key: 'key' } } }],
    },
  ],
};
const objects = [write.secret('minio', { key: 'hush' }), write.datasetObject('demo', withSecret), write.alluxioRuntime('demo', tiered)];
const options = ({ exec }: AlluxioFileSystem) => ({ runtimes: [thin, alluxio], exec, probeMs: 60_000 });
const bound = (files: AlluxioFileSystem) => boundHarness(objects, options(files));
const changes = ({ execs }: AlluxioFileSystem) => execs.filter((each) => / (un)?mount /.test(each));

test('a Dataset is Bound once Alluxio shows its mounts, and its status has what Alluxio counts', async () => {
  const files = alluxioFileSystem();
  const at = await bound(files);
  expect(at.dataset()).toMatchObject({
    phase: 'Bound',
    ufsTotal: '143.67GiB',
    fileNum: '1152',
    hcfs: { endpoint: expect.stringMatching(/^alluxio:\/\/demo-master-0\.ml:2\d{4}$/) as string },
    cacheStates: { cacheCapacity: '4.00GiB', cached: '1.00GiB', cachedPercentage: '0.7%', cacheHitRatio: '0.0%' },
  });
  expect(at.runtime(ALLUXIO)).toMatchObject({ masterPhase: 'Ready', workerPhase: 'Ready', masterNumberReady: 1 });
  // List, mount, list again, report, count: of which mount and count start Java virtual machines.
  expect(files.execs.length).toBe(5);
  expect(files.execs.filter((each) => !each.startsWith('demo-master-0/alluxio-master '))).toEqual([]);
  expect(JSON.stringify([files.execs, at.server.all().filter(({ kind }) => kind !== 'Secret')])).not.toContain('hush');
});

test.each([1, 3])('a DataLoad runs on an Alluxio of %d masters', async (replicas) => {
  const files = alluxioFileSystem();
  const at = await boundHarness(
    [...objects.slice(0, 2), write.alluxioRuntime('demo', { ...tiered, master: { replicas } })],
    options(files),
  );
  at.put({ apiVersion: 'data.fluid.io/v1alpha1', kind: 'DataLoad', metadata: { name: 'warm' }, spec: { dataset: { name: 'demo' } } });
  await at.quiet();
  expect(at.get('DataLoad', 'warm')).toMatchObject({ status: { phase: 'Executing' } });
  expect(at.get('Job', 'warm-loader-job')).toMatchObject({
    spec: { template: { spec: { containers: [{ envFrom: [{ configMapRef: { name: 'demo-config' } }], args: ['/', '1'] }] } } },
  });
});

test('a DataLoad reports that no master leads, and starts once one does', async () => {
  const files = alluxioFileSystem();
  const at = await boundHarness(
    [...objects.slice(0, 2), write.alluxioRuntime('demo', { ...tiered, master: { replicas: 3 } })],
    options(files),
  );
  const { leader = 'demo-master-0' } = files;
  files.leader = '';
  at.put({ apiVersion: 'data.fluid.io/v1alpha1', kind: 'DataLoad', metadata: { name: 'warm' }, spec: { dataset: { name: 'demo' } } });
  at.start();
  await at.advance(10_000);
  const message = 'no master of AlluxioRuntime demo reports that it leads';
  expect(ownStatus(at.get('DataLoad', 'warm'))).toMatchObject({ phase: 'Pending', conditions: [{ reason: 'RuntimeNotReady', message }] });
  files.leader = leader;
  await at.advance(5_000);
  expect(ownStatus(at.get('DataLoad', 'warm'))).toMatchObject({ phase: 'Executing', conditions: [] });
});

test('files are counted while workers start, and reported with the phase', async () => {
  const at = await harness(options(alluxioFileSystem()));
  for (const object of objects) at.put(object);
  await at.quiet();
  expect(at.written().filter((each) => each.endsWith('/status'))).toEqual([
    'patch Dataset/demo/status',
    'patch AlluxioRuntime/demo/status',
  ]);
});

test('the hit ratio is of what was read since the last time', async () => {
  const files = alluxioFileSystem();
  const at = await bound(files);
  Object.assign(files.read, { local: 30, ufs: 10 });
  await at.advance(60_000);
  expect(at.dataset().cacheStates).toMatchObject({ cacheHitRatio: '75.0%', localHitRatio: '75.0%', remoteHitRatio: '0.0%' });
  Object.assign(files.read, { local: 30, ufs: 50 });
  await at.advance(60_000);
  expect(at.dataset().cacheStates).toMatchObject({ cacheHitRatio: '0.0%' });
});

test('mounts are added, changed and removed while pods read', async () => {
  const files = alluxioFileSystem();
  const at = await bound(files);
  const [data] = withSecret.mounts ?? [];
  files.size.files = 2000;
  at.edit('Dataset', {
    mounts: [
      { ...data, options: { 'alluxio.underfs.s3.endpoint': 'http://other:9000' } },
      { mountPoint: 'https://a.example/b', name: 'b', readOnly: true },
    ],
  });
  await at.quiet();
  expect([...files.mounted.keys()]).toEqual(['/b', '/data']);
  expect(files.mounted.get('/data')?.options).toMatchObject({ 'alluxio.underfs.s3.endpoint': 'http://other:9000' });
  expect(files.mounted.get('/b')?.readOnly).toBe(true);
  expect(at.dataset()).toMatchObject({ phase: 'Bound', mounts: [{ name: 'data' }, { name: 'b' }], fileNum: '2000' });
  at.edit('Dataset', { mounts: [{ mountPoint: 'https://a.example/b', name: 'b', readOnly: true }] });
  await at.quiet();
  expect([...files.mounted.keys()]).toEqual(['/b']);
  expect(changes(files)).toHaveLength(3);
});

test('of hundreds of mounts no command is longer than Linux takes', async () => {
  const files = alluxioFileSystem();
  let longest = 0;
  const exec: PodExec = async (where, argv, timeoutMs) => {
    longest = Math.max(longest, ...argv.map(({ length }) => length));
    return files.exec(where, argv, timeoutMs);
  };
  const mounts = Array.from({ length: 250 }, (_, i) => ({ mountPoint: `s3://${i}`, name: `m${i}`, options: { hint: 'x'.repeat(600) } }));
  const at = await boundHarness([write.datasetObject('demo', { mounts }), write.alluxioRuntime('demo', tiered)], {
    ...options(files),
    exec,
  });
  expect(at.dataset().phase).toBe('Bound');
  expect(files.mounted.size).toBe(250);
  expect(longest).toBeLessThan(128 * 1024);
});

test('a new master gets all mounts', async () => {
  const files = alluxioFileSystem();
  const at = await bound(files);
  files.mounted.clear();
  at.delete('Pod', 'demo-master-0');
  await at.quiet();
  expect([...files.mounted.keys()]).toEqual(['/data']);
  expect(at.dataset().phase).toBe('Bound');
});

test('nothing is asked of an Alluxio that is well but once a minute', async () => {
  const files = alluxioFileSystem();
  const at = await bound(files);
  files.execs.length = 0;
  at.forget();
  await at.advance(300_000);
  expect(files.execs.length).toBeLessThanOrEqual(5);
  expect(at.written()).toEqual([]);
});

test('a new process that waits for the list of mounts leaves a Dataset that is bound alone', async () => {
  const files = alluxioFileSystem();
  let delayMs = 0;
  const at = await boundHarness(objects, {
    ...options(files),
    exec: async (...asked) => {
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      return files.exec(...asked);
    },
  });
  delayMs = 60_000;
  at.kill();
  await at.restart();
  await at.advance(2_000);
  at.forget();
  await at.advance(57_000);
  expect(at.written()).toEqual([]);
  expect(at.passes).toEqual([]);
});

test('how much of the data is cached is reported by a new process as well', async () => {
  const at = await bound(alluxioFileSystem());
  at.kill();
  await at.restart();
  await at.advance(60_000);
  expect(at.dataset().cacheStates?.['cachedPercentage']).toBe('0.7%');
});

test('deletion removes the cache from the nodes, and leaves nothing', async () => {
  const files = alluxioFileSystem();
  const at = await bound(files);
  at.delete('Dataset');
  await at.quiet();
  expect(files.execs.at(-1)).toBe('demo-worker-0/alluxio-worker for directory; do rm -rf "$directory"/*; done');
  expect(at.server.all().filter(({ metadata }) => metadata.namespace === 'ml' && metadata.name.startsWith('demo'))).toEqual([]);
});

test('a port that the user says is none of those that are given out', async () => {
  const at = await harness(options(alluxioFileSystem()));
  for (const object of [write.secret('minio', { key: 'hush' }), write.datasetObject('demo', withSecret)]) at.put(object);
  at.put(write.alluxioRuntime('demo', { ...tiered, master: { ports: { rpc: 20000 } } }));
  await at.quiet();
  const portsOf = () => Object.values(recordedPorts(at.get(ALLUXIO)!, alluxio));
  expect(at.dataset().phase).toBe('Bound');
  expect(portsOf()).not.toContain(20000);
  const [first = 0] = portsOf();
  at.edit(ALLUXIO, { master: { ports: { rpc: first } } });
  await at.quiet();
  expect(at.conditions(ALLUXIO)['Synced']).not.toContain('InvalidSpec');
  expect(portsOf()).not.toContain(first);
});

describe('what Fluid changes or hides', () => {
  const memory: AlluxioRuntimeSpec = { replicas: 1, tieredstore: { levels: [{ mediumtype: 'MEM', path: '/dev/shm', quota: '2Gi' }] } };
  const withMemory = [objects[0]!, objects[1]!, write.alluxioRuntime('demo', memory)];

  test('memory that a cache needs is requested by workers, and never written into the spec of the user', async () => {
    const at = await boundHarness(withMemory, options(alluxioFileSystem()));
    expect(at.get('StatefulSet', 'demo-worker')).toMatchObject({
      spec: { template: { spec: { containers: [{ resources: { requests: { memory: '2Gi' } } }, {}] } } },
    });
    expect(at.get(ALLUXIO)?.['spec']).toEqual(memory);
    expect(at.get(ALLUXIO)?.metadata.generation).toBe(1);
  });
  test('an edit that needs new pods is applied, and PodsOutdated names the pods that run without it', async () => {
    const at = await boundHarness(withMemory, options(alluxioFileSystem()));
    at.edit(ALLUXIO, { properties: { 'alluxio.user.file.readtype.default': 'NO_CACHE' } });
    await at.quiet();
    expect(JSON.stringify(at.get('ConfigMap', 'demo-config')?.['data'])).toContain('readtype.default=NO_CACHE');
    expect(at.conditions(ALLUXIO)['PodsOutdated']).toMatch(/^True .*demo-master-0, demo-worker-0/);
    expect(at.conditions(ALLUXIO)['Synced']).toMatch(/^True/);
  });
});

describe('another number of masters', () => {
  const masters = (replicas: number) => [objects[0]!, objects[1]!, write.alluxioRuntime('demo', { ...tiered, master: { replicas } })];
  const wanted = (at: Harness) => (at.get('StatefulSet', 'demo-master')?.['spec'] as { replicas?: number } | undefined)?.replicas;

  test.each([
    [1, 3],
    [3, 1],
    [3, 5],
  ])('than it was set up with is held with the field, and changes nothing: %d to %d', async (from, to) => {
    const files = alluxioFileSystem();
    const at = await boundHarness(masters(from), options(files));
    const before = JSON.stringify([at.get('StatefulSet', 'demo-master')?.['spec'], at.get('ConfigMap', 'demo-config')?.['data']]);
    at.edit(ALLUXIO, { master: { replicas: to } });
    await at.quiet();
    expect(at.conditions(ALLUXIO)['Synced']).toMatch(
      new RegExp(`^False InvalidSpec: spec\\.master\\.replicas: expected ${from}, .*found ${to}; until that is mended`),
    );
    expect(JSON.stringify([at.get('StatefulSet', 'demo-master')?.['spec'], at.get('ConfigMap', 'demo-config')?.['data']])).toBe(before);
    expect(at.dataset()).toMatchObject({ phase: 'Bound', runtimes: [{ masterReplicas: from }] });
  });
  test('leaves the rest converging: drift is repaired, also after a restart, and the number of before ends it', async () => {
    const at = await boundHarness(masters(1), options(alluxioFileSystem()));
    at.edit(ALLUXIO, { master: { replicas: 3 } });
    await at.quiet();
    at.delete('Service', 'demo-master-0');
    await at.quiet();
    expect(at.get('Service', 'demo-master-0')).toBeDefined();
    at.kill();
    at.edit('StatefulSet', { replicas: 3 }, 'demo-master');
    await at.restart();
    await at.quiet();
    expect(wanted(at)).toBe(1);
    at.edit(ALLUXIO, { replicas: 2, master: { replicas: 1 } });
    await at.quiet();
    expect(at.conditions(ALLUXIO)['Synced']).toMatch(/^True/);
    expect(at.runtime(ALLUXIO)).toMatchObject({ desiredWorkerNumberScheduled: 2 });
  });
  test('is held during the first set-up as well, once there are masters', async () => {
    const files = Object.assign(alluxioFileSystem(), { leader: '' });
    const at = await harness(options(files));
    for (const object of masters(3)) at.put(object);
    at.start();
    await at.advance(5_000);
    expect(wanted(at)).toBe(3);
    at.edit(ALLUXIO, { master: { replicas: 1 } });
    await at.advance(5_000);
    expect(at.conditions('Dataset')['NotReady']).toMatch(/spec\.master\.replicas: expected 3, .*found 1/);
    expect(wanted(at)).toBe(3);
  });
  test('is what a runtime that is created again has', async () => {
    const at = await boundHarness(masters(1), options(alluxioFileSystem()));
    at.delete(ALLUXIO);
    await at.quiet();
    at.put(write.alluxioRuntime('demo', { ...tiered, master: { replicas: 3 } }));
    await at.quiet();
    expect(at.dataset()).toMatchObject({ phase: 'Bound', runtimes: [{ masterReplicas: 3 }] });
  });
});

describe('of three masters', () => {
  const three = [objects[0]!, objects[1]!, write.alluxioRuntime('demo', { ...tiered, master: { replicas: 3 } })];
  const more = { mounts: [...(withSecret.mounts ?? []), { mountPoint: 'https://a.example/b', name: 'b' }] };
  const podsThatMount = (files: AlluxioFileSystem) => changes(files).map((each) => each.split('/')[0]);

  test('the one that leads mounts', async () => {
    const files = Object.assign(alluxioFileSystem(), { leader: 'demo-master-1' });
    const at = await boundHarness(three, options(files));
    expect(at.dataset()).toMatchObject({ phase: 'Bound', runtimes: [{ masterReplicas: 3 }], fileNum: '1152' });
    expect(at.runtime(ALLUXIO)).toMatchObject({ masterPhase: 'Ready', masterNumberReady: 3 });
    expect(podsThatMount(files)).toEqual(['demo-master-1']);
    // List, mount, list again, each after the question which one leads; report, count.
    expect(files.execs.length).toBeLessThanOrEqual(8);
  });
  test('another one leads between two commands, and mounts from then on', async () => {
    const files = alluxioFileSystem();
    const at = await boundHarness(three, options(files));
    files.leader = 'demo-master-2';
    at.edit('Dataset', more);
    await at.quiet();
    expect(podsThatMount(files)).toEqual(['demo-master-0', 'demo-master-2']);
    expect(at.dataset()).toMatchObject({ phase: 'Bound', mounts: [{ name: 'data' }, { name: 'b' }] });
  });
  test('none leads yet: set-up waits for it, and goes on within seconds', async () => {
    const files = Object.assign(alluxioFileSystem(), { leader: '' });
    const at = await harness(options(files));
    for (const object of three) at.put(object);
    at.start();
    await at.advance(20_000);
    expect(at.conditions('Dataset')['NotReady']).toBe('True NoLeader: no master reports that it leads');
    files.leader = 'demo-master-1';
    await at.advance(3000);
    expect(at.dataset().phase).toBe('Bound');
  });
  test('one is lost and created again: nothing is mounted again, since the others have the journal', async () => {
    const files = alluxioFileSystem();
    const at = await boundHarness(three, options(files));
    const before = changes(files).length;
    files.leader = 'demo-master-1';
    at.delete('Pod', 'demo-master-0');
    await at.quiet();
    expect(changes(files)).toHaveLength(before);
    expect(at.dataset().phase).toBe('Bound');
  });
});
