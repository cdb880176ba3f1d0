/** What pods are asked while all is well, and what it costs. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sharedControlPlane, simulated } from '../../support/test-cluster.ts';
import { type ExampleEngine, startEngine } from '../../support/example-engine.ts';
import {
  datasetObject,
  exampleRuntime,
  jfsDataset,
  jfsRuntime,
  jfsSecret,
  openDataset,
  secret,
  thinRuntime,
} from '../../support/objects.ts';
import { eventually, PROFILE, type RuntimeKind, type Sluice, type Space, startSluice } from '../../support/sluice.ts';

const INTERVAL = 500;

describe.skipIf(!simulated)('probes', () => {
  let sluice: Sluice;
  let engines: ExampleEngine[] = [];
  beforeAll(async () => {
    sluice = await startSluice(sharedControlPlane(), { probeMs: INTERVAL });
  });
  afterEach(async () => {
    for (const engine of engines) await engine.stop();
    engines = [];
  });
  afterAll(() => sluice?.stop());

  const shared = (name: string) => datasetObject(name, { placement: 'Shared', mounts: [{ mountPoint: 's3://a', name: 'a' }] });
  async function engineIn({ namespace }: Space): Promise<void> {
    engines.push(await startEngine(sluice.plane, namespace));
    // Nothing to clean, as there are no workers.
    await sluice.plane.exec.answer({ namespace, argv: ['example', 'id'], stdout: '' });
  }
  async function exampleSpace(...names: readonly string[]): Promise<Space> {
    const space = await sluice.space('probe');
    await engineIn(space);
    for (const name of names) await space.create(shared(name), exampleRuntime(name, { replicas: 0 }));
    for (const name of names) await space.bound('ExampleRuntime', name);
    return space;
  }
  const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const asked = async ({ namespace }: Space, word: string) =>
    (await sluice.plane.exec.calls({ namespace })).filter(({ argv }) => argv.includes(word)).length;
  const versions = async (space: Space, kind: RuntimeKind, name: string) =>
    (await Promise.all([space.get('Dataset', name), space.get(kind, name)])).map(({ metadata }) => metadata.resourceVersion);

  test('fill in what is cached and how much data there is, in both statuses', async () => {
    const space = await exampleSpace('demo');
    const states = { cacheStates: { cached: '1.00KiB' } };
    await space.becomes('Dataset', 'demo', { status: { ...states, ufsTotal: '4.00KiB', fileNum: '2' } });
    await space.becomes('ExampleRuntime', 'demo', { status: states });
  });

  test('ask the workers of an enterprise JuiceFS, whose cache belongs to all of them', async () => {
    const space = await sluice.space('probe');
    const token = { name: 'token', valueFrom: { secretKeyRef: { name: 'jfs-token', key: 'token' } } };
    await space.create(
      secret('jfs-token', { token: 'abc' }),
      datasetObject('demo', {
        placement: 'Shared',
        accessModes: ['ReadWriteMany'],
        mounts: [{ mountPoint: 'juicefs:///', name: 'vol', encryptOptions: [token] }],
      }),
      jfsRuntime('demo'),
    );
    await space.bound('JuiceFSRuntime', 'demo');
    const cacheStates = {
      cacheCapacity: '1.00GiB',
      cached: '37.96GiB',
      cachedPercentage: '100.0%',
      cacheHitRatio: '97.1%',
      cacheThroughputRatio: '97.1%',
    };
    await space.becomes('Dataset', 'demo', { status: { cacheStates, ufsTotal: '14.31MiB', fileNum: '3' } });
    await space.becomes('JuiceFSRuntime', 'demo', { status: { cacheStates } });
  });

  test('run in the fuse pods of a community JuiceFS, and in no pod while none exists', async () => {
    const space = await sluice.space('probe');
    await space.create(jfsSecret(), jfsDataset('demo'), jfsRuntime('demo'));
    await space.bound('JuiceFSRuntime', 'demo');
    await space.becomes('Dataset', 'demo', { status: { cacheStates: { cacheCapacity: '1.00GiB', cached: '' } } });
    const key = `fluid.io/f-${space.namespace}-demo`;
    await space.patch('Node', 'node-0', { metadata: { labels: { [key]: 'true' } } });
    await space.becomes('Dataset', 'demo', { status: { cacheStates: { cached: '14.33MiB', cacheHitRatio: '66.7%' } } });
    await space.patch('Node', 'node-0', { metadata: { labels: { [key]: null } } });
    await space.becomes('Dataset', 'demo', { status: { cacheStates: { cached: '' } } });
  });

  test('count the files of a ThinRuntime only where it is asked for', async () => {
    const space = await sluice.space('probe');
    await space.create(openDataset('demo'), thinRuntime('demo', { profileName: PROFILE }));
    await space.create(
      openDataset('synced'),
      thinRuntime('synced', { profileName: PROFILE, management: { metadataSyncPolicy: { autoSync: true } } }),
    );
    for (const name of ['demo', 'synced']) await space.bound('ThinRuntime', name);
    const keys = ['demo', 'synced'].map((name) => `fluid.io/f-${space.namespace}-${name}`);
    await space.patch('Node', 'node-0', { metadata: { labels: Object.fromEntries(keys.map((key) => [key, 'true'])) } });
    await space.becomes('Dataset', 'synced', { status: { ufsTotal: '14.31MiB', fileNum: '3' } });
    expect((await space.get('Dataset', 'demo'))['status']).not.toHaveProperty('ufsTotal');
    await space.patch('Node', 'node-0', { metadata: { labels: Object.fromEntries(keys.map((key) => [key, null])) } });
  });

  test('write nothing while nothing changes, and ask once in each interval', async () => {
    const space = await exampleSpace('demo');
    await space.becomes('Dataset', 'demo', { status: { cacheStates: { cached: '1.00KiB' }, ufsTotal: '4.00KiB' } });
    await sleep(INTERVAL);
    const [before, count] = [await versions(space, 'ExampleRuntime', 'demo'), await asked(space, 'report')];
    const began = performance.now();
    await eventually(async () => expect(await asked(space, 'report')).toBeGreaterThanOrEqual(count + 4));
    expect(await versions(space, 'ExampleRuntime', 'demo')).toEqual(before);
    expect((await asked(space, 'report')) - count).toBeLessThanOrEqual((performance.now() - began) / INTERVAL + 1);
    // How much data there is, is counted once.
    expect(await asked(space, 'count')).toBe(1);
    await sluice.plane.exec.answer({ namespace: space.namespace, argv: ['example', 'report'], stdout: 'cached 2048 hits 9 misses 1\n' });
    await space.becomes('Dataset', 'demo', { status: { cacheStates: { cached: '2.00KiB' } } });
  });

  test('that fail cost nothing but their answers', async () => {
    const space = await exampleSpace('demo', 'other');
    for (const name of ['demo', 'other']) await space.becomes('Dataset', name, { status: { cacheStates: { cached: '1.00KiB' } } });
    await sluice.plane.exec.answer({
      namespace: space.namespace,
      pod: /^demo-/,
      argv: ['example', 'report'],
      stderr: 'out of order',
      exitCode: 1,
    });
    const count = await asked(space, 'report');
    await eventually(async () => expect(await asked(space, 'report')).toBeGreaterThanOrEqual(count + 6));
    const before = await versions(space, 'ExampleRuntime', 'demo');
    await eventually(async () => expect(await asked(space, 'report')).toBeGreaterThanOrEqual(count + 12));
    expect(await versions(space, 'ExampleRuntime', 'demo')).toEqual(before);
    await space.bound('ExampleRuntime', 'demo');
    await sluice.plane.exec.answer({ namespace: space.namespace, argv: ['example', 'report'], stdout: 'cached 3072 hits 9 misses 1\n' });
    for (const name of ['demo', 'other']) await space.becomes('Dataset', name, { status: { cacheStates: { cached: '3.00KiB' } } });
  });

  test('that print without end are cut off', async () => {
    const space = await exampleSpace('demo');
    await sluice.plane.exec.answer({ namespace: space.namespace, argv: ['example', 'report'], stdout: 'x'.repeat(3 << 20) });
    await eventually(() =>
      expect(sluice.log.some((line) => line.includes(space.namespace) && line.includes('printed more than 65536 bytes'))).toBe(true),
    );
    await space.bound('ExampleRuntime', 'demo');
  });

  test('that never end delay no other dataset, not even the probes of another kind', async () => {
    const names = Array.from({ length: 9 }, (_, i) => `slow${i}`);
    const space = await sluice.space('probe');
    await engineIn(space);
    await sluice.plane.exec.answer({ namespace: space.namespace, pod: /^slow/, argv: ['example', 'report'], delayMs: 60_000 });
    for (const name of names) await space.create(shared(name), exampleRuntime(name, { replicas: 0 }));
    for (const name of names) await space.bound('ExampleRuntime', name);
    await eventually(async () => expect(await asked(space, 'report')).toBeGreaterThanOrEqual(8));
    // Drift of a slow one is repaired, and a new one is set up, by exec as well.
    await space.delete('DaemonSet', 'slow0-fuse');
    await space.becomes('DaemonSet', 'slow0-fuse', {});
    const before = performance.now();
    await space.create(shared('quick'), exampleRuntime('quick', { replicas: 0 }));
    await space.bound('ExampleRuntime', 'quick');
    console.log(`bound beside 8 commands that do not end, after ${Math.round(performance.now() - before)} ms`);
  });
});

describe.skipIf(!simulated)('after a restart', () => {
  test('the reported state of a cache stays until the next answer, and nothing is written', async () => {
    const plane = sharedControlPlane();
    const first = await startSluice(plane, { installed: true, probeMs: INTERVAL });
    const space = await first.space('probe');
    const engine = await startEngine(plane, space.namespace);
    try {
      await space.create(shared('demo'), exampleRuntime('demo', {}));
      await space.bound('ExampleRuntime', 'demo');
      await space.becomes('Dataset', 'demo', { status: { cacheStates: { cached: '1.00KiB' }, ufsTotal: '4.00KiB' } });
      const versions = async () =>
        (await Promise.all([space.get('Dataset', 'demo'), space.get('ExampleRuntime', 'demo')])).map(
          ({ metadata }) => metadata.resourceVersion,
        );
      await new Promise((resolve) => setTimeout(resolve, 2 * INTERVAL));
      const before = await versions();
      await first.controller.stop();
      const calls = (await engine.commands()).length;
      const second = await startSluice(plane, { installed: true, probeMs: INTERVAL });
      await eventually(async () => expect((await engine.commands()).length).toBeGreaterThanOrEqual(calls + 3));
      expect(await versions()).toEqual(before);
      await space.delete('Dataset', 'demo');
      await space.gone('ExampleRuntime', 'demo');
      await second.stop();
    } finally {
      await engine.stop();
      await first.stop();
    }
  });

  const shared = (name: string) => datasetObject(name, { placement: 'Shared', mounts: [{ mountPoint: 's3://a', name: 'a' }] });
});
