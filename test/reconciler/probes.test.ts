/** Commands in pods while all is well, and their cost. */
import { describe, expect, test } from 'vitest';
import { exampleFileSystem } from '../support/example-exec.ts';
import { memoryExec } from '../support/memory-exec.ts';
import { datasetObject, exampleRuntime, jfsDataset, jfsRuntime, jfsSecret, openDataset, secret, thinRuntime } from '../support/objects.ts';
import { PROFILE, type RuntimeKind } from '../support/sluice.ts';
import { type MemorySpace, memorySpace } from './memory-space.ts';

const INTERVAL = 500;
const shared = (name: string) => datasetObject(name, { placement: 'Shared', mounts: [{ mountPoint: 's3://a', name: 'a' }] });

/** Pods of the example answer. */
const exampleSpace = () => memorySpace({ exec: memoryExec(exampleFileSystem().exec), probeMs: INTERVAL });
async function examples(...names: readonly string[]): Promise<MemorySpace> {
  const space = await exampleSpace();
  for (const name of names) await space.create(shared(name), exampleRuntime(name, { replicas: 0 }));
  for (const name of names) await space.bound('ExampleRuntime', name);
  return space;
}
const asked = ({ exec }: MemorySpace, word: string) => exec.calls.filter(({ argv }) => argv.includes(word)).length;
const versions = async (space: MemorySpace, kind: RuntimeKind, name: string) =>
  (await Promise.all([space.get('Dataset', name), space.get(kind, name)])).map(({ metadata }) => metadata.resourceVersion);

describe('probes', () => {
  test('fill in what is cached and how much data there is, in both statuses', async () => {
    const space = await examples('demo');
    const states = { cacheStates: { cached: '1.00KiB' } };
    await space.becomes('Dataset', 'demo', { status: { ...states, ufsTotal: '4.00KiB', fileNum: '2' } });
    await space.becomes('ExampleRuntime', 'demo', { status: states });
  });

  test('ask the workers of an enterprise JuiceFS, whose cache belongs to all of them', async () => {
    const space = await memorySpace({ probeMs: INTERVAL });
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
    const space = await memorySpace({ probeMs: INTERVAL });
    await space.create(jfsSecret(), jfsDataset('demo'), jfsRuntime('demo'));
    await space.bound('JuiceFSRuntime', 'demo');
    await space.becomes('Dataset', 'demo', { status: { cacheStates: { cacheCapacity: '1.00GiB', cached: '' } } });
    const key = `fluid.io/f-${space.namespace}-demo`;
    await space.patch('Node', 'node-1', { metadata: { labels: { [key]: 'true' } } });
    await space.becomes('Dataset', 'demo', { status: { cacheStates: { cached: '14.33MiB', cacheHitRatio: '66.7%' } } });
    await space.patch('Node', 'node-1', { metadata: { labels: { [key]: null } } });
    await space.becomes('Dataset', 'demo', { status: { cacheStates: { cached: '' } } });
  });

  test('count the files of a ThinRuntime only where it is asked for', async () => {
    const space = await memorySpace({ probeMs: INTERVAL });
    await space.create(openDataset('demo'), thinRuntime('demo', { profileName: PROFILE }));
    await space.create(
      openDataset('synced'),
      thinRuntime('synced', { profileName: PROFILE, management: { metadataSyncPolicy: { autoSync: true } } }),
    );
    for (const name of ['demo', 'synced']) await space.bound('ThinRuntime', name);
    const keys = ['demo', 'synced'].map((name) => `fluid.io/f-${space.namespace}-${name}`);
    await space.patch('Node', 'node-1', { metadata: { labels: Object.fromEntries(keys.map((key) => [key, 'true'])) } });
    await space.becomes('Dataset', 'synced', { status: { ufsTotal: '14.31MiB', fileNum: '3' } });
    expect((await space.get('Dataset', 'demo'))['status']).not.toHaveProperty('ufsTotal');
    await space.patch('Node', 'node-1', { metadata: { labels: Object.fromEntries(keys.map((key) => [key, null])) } });
  });

  test('write nothing while nothing changes, and ask once in each interval', async () => {
    const space = await examples('demo');
    await space.becomes('Dataset', 'demo', { status: { cacheStates: { cached: '1.00KiB' }, ufsTotal: '4.00KiB' } });
    await space.at.advance(INTERVAL);
    const [before, count] = [await versions(space, 'ExampleRuntime', 'demo'), asked(space, 'report')];
    await space.at.advance(10 * INTERVAL);
    expect(await versions(space, 'ExampleRuntime', 'demo')).toEqual(before);
    expect(asked(space, 'report') - count).toBeGreaterThanOrEqual(4);
    expect(asked(space, 'report') - count).toBeLessThanOrEqual(10);
    // How much data there is, is counted once.
    expect(asked(space, 'count')).toBe(1);
    space.exec.answer({ argv: ['example', 'report'], stdout: 'cached 2048 hits 9 misses 1\n' });
    await space.becomes('Dataset', 'demo', { status: { cacheStates: { cached: '2.00KiB' } } });
  });

  test('that fail cost nothing but their answers', async () => {
    const space = await examples('demo', 'other');
    for (const name of ['demo', 'other']) await space.becomes('Dataset', name, { status: { cacheStates: { cached: '1.00KiB' } } });
    space.exec.answer({
      pod: /^demo-/,
      argv: ['example', 'report'],
      stderr: 'out of order',
      exitCode: 1,
    });
    const count = asked(space, 'report');
    await space.eventually(async () => expect(asked(space, 'report')).toBeGreaterThanOrEqual(count + 6));
    const before = await versions(space, 'ExampleRuntime', 'demo');
    await space.eventually(async () => expect(asked(space, 'report')).toBeGreaterThanOrEqual(count + 12));
    expect(await versions(space, 'ExampleRuntime', 'demo')).toEqual(before);
    await space.bound('ExampleRuntime', 'demo');
    space.exec.answer({ argv: ['example', 'report'], stdout: 'cached 3072 hits 9 misses 1\n' });
    for (const name of ['demo', 'other']) await space.becomes('Dataset', name, { status: { cacheStates: { cached: '3.00KiB' } } });
  });

  test('that never end delay no other dataset, not even the probes of another kind', async () => {
    const names = Array.from({ length: 9 }, (_, i) => `slow${i}`);
    const space = await exampleSpace();
    space.exec.answer({ pod: /^slow/, argv: ['example', 'report'], delayMs: 60_000 });
    for (const name of names) await space.create(shared(name), exampleRuntime(name, { replicas: 0 }));
    for (const name of names) await space.bound('ExampleRuntime', name);
    await space.eventually(async () => expect(asked(space, 'report')).toBeGreaterThanOrEqual(8));
    // Drift of a slow one is repaired, and a new one is set up, by exec as well.
    await space.delete('DaemonSet', 'slow0-fuse');
    await space.becomes('DaemonSet', 'slow0-fuse', {});
    const before = Date.now();
    await space.create(shared('quick'), exampleRuntime('quick', { replicas: 0 }));
    await space.bound('ExampleRuntime', 'quick');
    expect(Date.now() - before).toBeLessThan(5000);
  });

  test('after a restart leave the reported state as it is until the next answer, and nothing is written', async () => {
    const space = await exampleSpace();
    await space.create(shared('demo'), exampleRuntime('demo', {}));
    await space.bound('ExampleRuntime', 'demo');
    await space.becomes('Dataset', 'demo', { status: { cacheStates: { cached: '1.00KiB' }, ufsTotal: '4.00KiB' } });
    await space.at.advance(2 * INTERVAL);
    const before = await versions(space, 'ExampleRuntime', 'demo');
    const count = space.exec.calls.length;
    await space.at.restart();
    await space.eventually(() => expect(space.exec.calls.length).toBeGreaterThanOrEqual(count + 3));
    expect(await versions(space, 'ExampleRuntime', 'demo')).toEqual(before);
  });
});
