/** Masters, a table of mounts, host ports and cleaning by asking: what the example runtime has and the real ones do not have yet. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DatasetSpec } from '../../../src/api/index.ts';
import { sharedControlPlane, simulated } from '../../support/test-cluster.ts';
import { type ExampleEngine, startEngine } from '../../support/example-engine.ts';
import { datasetObject, exampleRuntime } from '../../support/objects.ts';
import { condition, eventually, type Sluice, type Space, says, settings, startSluice } from '../../support/sluice.ts';

const PORTS = 'data.fluid.io/ports';

const dataset = (name: string, ...names: readonly string[]) => datasetObject(name, { placement: 'Shared', mounts: mountsOf(...names) });
const mountsOf = (...names: readonly string[]): NonNullable<DatasetSpec['mounts']> =>
  names.map((name) => ({ mountPoint: `s3://${name}`, name }));

describe.skipIf(!simulated).concurrent('a runtime with masters', () => {
  let sluice: Sluice;
  const engines: ExampleEngine[] = [];
  beforeAll(async () => {
    sluice = await startSluice(sharedControlPlane());
  });
  afterAll(async () => {
    await sluice?.stop();
    for (const engine of engines) await engine.stop();
  });

  async function engineIn(space: Space, mountMs?: number): Promise<ExampleEngine> {
    const engine = await startEngine(sluice.plane, space.namespace, mountMs);
    engines.push(engine);
    return engine;
  }
  const changes = async (engine: ExampleEngine) => (await engine.commands()).filter((command) => /^(un)?mount /.test(command));

  test('mounts what the dataset names before its workers start, and binds', async () => {
    const space = await sluice.space('example');
    const engine = await engineIn(space, 1500);
    await space.create(dataset('demo', 'a', 'b'), exampleRuntime('demo', {}));
    const changing = { reason: 'MountsChanging', message: '2 mounts to change' };
    await space.becomes('ExampleRuntime', 'demo', condition('Synced', { status: 'False', ...changing }));
    await space.becomes('Dataset', 'demo', condition('NotReady', { status: 'True', ...changing }));
    expect(await space.made()).not.toContain('StatefulSet/demo-worker');
    await space.bound('ExampleRuntime', 'demo');
    expect([...engine.mounted.keys()].toSorted()).toEqual(['/a', '/b']);
    expect(await changes(engine)).toEqual(['mount /a s3://a', 'mount /b s3://b']);
    const calls = await sluice.plane.exec.calls({ namespace: space.namespace });
    const { creationTimestamp = '' } = (await space.get('StatefulSet', 'demo-worker')).metadata;
    expect(Date.parse(creationTimestamp) + 999).toBeGreaterThanOrEqual(
      Date.parse(calls.find(({ argv }) => argv[1] === 'mount')?.time ?? ''),
    );
    expect((await space.get('Dataset', 'demo'))['status']).toMatchObject({
      runtimes: [{ type: 'example', masterReplicas: 1 }],
      mounts: mountsOf('a', 'b'),
    });
    expect((await space.get('ExampleRuntime', 'demo'))['status']).toMatchObject({
      masterPhase: 'Ready',
      masterNumberReady: 1,
      workerPhase: 'Ready',
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'MasterInitialized', status: 'True', reason: 'Master is initialized' }),
        expect.objectContaining({ type: 'MasterReady', status: 'True', message: 'The master is ready.' }),
      ]),
    });
  });

  test('waits for all three masters at first, and serves on with two of them', async () => {
    const space = await sluice.space('example');
    const { namespace } = space;
    await engineIn(space);
    const held = await sluice.plane.pods.hold({ namespace, name: 'demo-master-2' });
    await space.create(dataset('demo', 'a'), exampleRuntime('demo', { masters: 3 }));
    await space.becomes(
      'ExampleRuntime',
      'demo',
      condition('Synced', { status: 'False', reason: 'MasterNotReady', message: '2 of 3 master pods are ready' }),
    );
    expect(await space.made()).not.toContain('StatefulSet/demo-worker');
    await held.release();
    await space.bound('ExampleRuntime', 'demo');
    await space.becomes('Dataset', 'demo', { status: { runtimes: [{ masterReplicas: 3 }] } });
    const failing = await sluice.plane.pods.fail({ namespace, name: 'demo-master-1' }, { as: 'CrashLoopBackOff' });
    await space.becomes('ExampleRuntime', 'demo', { status: { masterPhase: 'PartialReady', masterNumberReady: 2 } });
    await space.becomes('ExampleRuntime', 'demo', condition('MasterReady', { status: 'True', message: 'The master is partially ready.' }));
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound' } });
    await failing.release();
    await space.becomes('ExampleRuntime', 'demo', { status: { masterPhase: 'Ready' } });
  });

  test('without any master that is ready is Failed, and recovers', async () => {
    const space = await sluice.space('example');
    await engineIn(space);
    await space.create(dataset('demo', 'a'), exampleRuntime('demo', {}));
    await space.bound('ExampleRuntime', 'demo');
    const failing = await sluice.plane.pods.fail({ namespace: space.namespace, name: 'demo-master-*' }, { as: 'CrashLoopBackOff' });
    await space.becomes('Dataset', 'demo', { status: { phase: 'Failed' } });
    await failing.release();
    await space.bound('ExampleRuntime', 'demo');
  });

  test('is Updating while the mounts of the dataset change, and then Bound', async () => {
    const space = await sluice.space('example');
    const engine = await engineIn(space, 700);
    await space.create(dataset('demo', 'a', 'b'), exampleRuntime('demo', {}));
    await space.bound('ExampleRuntime', 'demo');
    await space.patch('Dataset', 'demo', { spec: { mounts: mountsOf('b', 'c') } });
    await space.becomes('Dataset', 'demo', { status: { phase: 'Updating', mounts: mountsOf('a', 'b') } });
    await space.becomes('Dataset', 'demo', condition('Updating', { status: 'True', reason: 'DatasetUpdating' }));
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound', mounts: mountsOf('b', 'c') } });
    await space.becomes('Dataset', 'demo', condition('Updating', { status: 'False', reason: 'DatasetReady' }));
    expect([...engine.mounted.keys()].toSorted()).toEqual(['/b', '/c']);
    expect((await changes(engine)).slice(2)).toEqual(['unmount /a', 'mount /c s3://c']);
  });

  test('mounts again what a master has forgotten when it is replaced', async () => {
    const space = await sluice.space('example');
    const engine = await engineIn(space);
    await space.create(dataset('demo', 'a'), exampleRuntime('demo', {}));
    await space.bound('ExampleRuntime', 'demo');
    await engine.forget();
    await space.delete('Pod', 'demo-master-0');
    await eventually(() => expect([...engine.mounted.keys()]).toEqual(['/a']));
    await space.bound('ExampleRuntime', 'demo');
    expect(await changes(engine)).toEqual(['mount /a s3://a', 'mount /a s3://a']);
  });

  test('reports why a mount fails, retries it, and delays no other dataset', async () => {
    const space = await sluice.space('example');
    const { namespace } = space;
    const engine = await engineIn(space);
    await sluice.plane.exec.answer({ namespace, argv: ['example', 'mount', '/bad'], stderr: 'no such bucket', exitCode: 1, times: 2 });
    await space.create(dataset('demo', 'bad'), exampleRuntime('demo', {}));
    await space.becomes(
      'ExampleRuntime',
      'demo',
      condition('Synced', { status: 'False', message: says('example in', 'demo-master-0 ended with exit code 1', 'no such bucket') }),
    );
    await space.create(dataset('other', 'a'), exampleRuntime('other', {}));
    await space.bound('ExampleRuntime', 'other');
    await engine.forget();
    await space.bound('ExampleRuntime', 'demo');
  });

  test('asks its master for the name of the cache, and removes that from every worker', async () => {
    const space = await sluice.space('example');
    await engineIn(space);
    await space.create(
      dataset('demo', 'a'),
      exampleRuntime('demo', {
        replicas: 2,
        tieredstore: { levels: [{ mediumtype: 'SSD', path: '/cache', quota: '1Gi', volumeType: 'hostPath' }] },
      }),
    );
    await space.bound('ExampleRuntime', 'demo');
    await space.becomes('ExampleRuntime', 'demo', { status: { workerNumberReady: 2 } });
    await space.delete('ExampleRuntime', 'demo');
    await space.gone('ExampleRuntime', 'demo');
    const calls = (await sluice.plane.exec.calls({ namespace: space.namespace })).filter(
      ({ argv }) => argv[1] === 'id' || argv[0] === 'rm',
    );
    expect(calls.map(({ pod, argv }) => `${pod}: ${argv.join(' ')}`).toSorted()).toEqual([
      'demo-master-0: example id',
      'demo-worker-0: rm -rf /cache/c0ffee',
      'demo-worker-1: rm -rf /cache/c0ffee',
    ]);
  });

  test('removes nothing when the master answers with what is no name', async () => {
    const space = await sluice.space('example');
    await engineIn(space);
    await sluice.plane.exec.answer({ namespace: space.namespace, argv: ['example', 'id'], stdout: '../..\n' });
    await space.create(dataset('demo', 'a'), exampleRuntime('demo', {}));
    await space.bound('ExampleRuntime', 'demo');
    await space.delete('ExampleRuntime', 'demo');
    await space.gone('ExampleRuntime', 'demo');
    expect((await sluice.plane.exec.calls({ namespace: space.namespace })).filter(({ argv }) => argv[0] === 'rm')).toEqual([]);
  });
});

describe.skipIf(!simulated)('host ports', () => {
  let sluice: Sluice;
  beforeAll(async () => {
    sluice = await startSluice(sharedControlPlane(), {
      installed: true,
      settings: { ...settings, portRanges: { example: [24000, 24011] } },
      portPolicy: 'bitmap',
    });
  });
  afterAll(() => sluice?.stop());

  test('are never allocated to two runtimes, and a used-up range is reported', async () => {
    const space = await sluice.space('ports');
    const engine = await startEngine(sluice.plane, space.namespace);
    const names = Array.from({ length: 7 }, (_, i) => `p${i}`);
    await Promise.all(names.map((name) => space.create(dataset(name, 'a'), exampleRuntime(name, { replicas: 0 }))));
    const phases = async () =>
      (await space.list('Dataset')).map(({ metadata, status }) => [metadata.name, (status as { phase: string }).phase] as const);
    await eventually(async () => expect((await phases()).filter(([, phase]) => phase === 'Bound')).toHaveLength(6));
    const [unlucky = ''] = (await phases()).find(([, phase]) => phase !== 'Bound') ?? [];
    await space.becomes(
      'ExampleRuntime',
      unlucky,
      condition('Synced', { status: 'False', reason: 'PortsExhausted', message: 'no host port is left between 24000 and 24011' }),
    );
    const portsOf = async (name: string) => {
      const { uid, annotations = {} } = (await space.get('ExampleRuntime', name)).metadata;
      const record = JSON.parse(annotations[PORTS] ?? '{}') as { for?: string; ports?: Record<string, number> };
      return record.for === uid ? Object.values(record.ports ?? {}) : [];
    };
    const lucky = names.filter((name) => name !== unlucky);
    const taken = (await Promise.all(lucky.map(portsOf))).flat();
    expect(taken.toSorted((x, y) => x - y)).toEqual(Array.from({ length: 12 }, (_, i) => 24000 + i));
    const master = await space.get('StatefulSet', `${lucky[0]}-master`);
    const [port] = await portsOf(lucky[0] ?? '');
    expect(master).toMatchObject({
      spec: { template: { spec: { hostNetwork: true, containers: [{ ports: [{ name: 'rpc', containerPort: port }] }] } } },
    });

    // What goes frees its ports. A record that was copied along with a runtime counts for nothing.
    await space.delete('Dataset', lucky[1] ?? '');
    await space.gone('ExampleRuntime', lucky[1] ?? '');
    const copied = (await space.get('ExampleRuntime', lucky[0] ?? '')).metadata.annotations?.[PORTS] ?? '';
    await space.patch('ExampleRuntime', unlucky, { metadata: { annotations: { [PORTS]: copied } } });
    await space.bound('ExampleRuntime', unlucky);
    const now = (await Promise.all(names.filter((name) => name !== lucky[1]).map(portsOf))).flat();
    expect(new Set(now).size).toBe(12);
    await engine.stop();
  });
});
