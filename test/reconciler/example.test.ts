/** Masters, a table of mounts, host ports and cleaning by asking: what the example runtime has. */
import { describe, expect, test } from 'vitest';
import type { DatasetSpec } from '../../src/api/index.ts';
import { type ExampleFileSystem, exampleFileSystem } from '../support/example-exec.ts';
import { type MemoryExec, memoryExec } from '../support/memory-exec.ts';
import { datasetObject, exampleRuntime } from '../support/objects.ts';
import { condition, says } from '../support/sluice.ts';
import { type MemorySpace, memorySpace } from './memory-space.ts';

const PORTS = 'data.fluid.io/ports';

const dataset = (name: string, ...names: readonly string[]) => datasetObject(name, { placement: 'Shared', mounts: mountsOf(...names) });
const mountsOf = (...names: readonly string[]): NonNullable<DatasetSpec['mounts']> =>
  names.map((name) => ({ mountPoint: `s3://${name}`, name }));

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The example's file system behind the answers of a test; `mountMs` is how long mounting takes. */
function engine(mountMs = 150): { readonly files: ExampleFileSystem; readonly exec: MemoryExec } {
  const files = exampleFileSystem();
  const exec = memoryExec(async (where, argv, ...rest) => {
    if (argv[1]?.endsWith('mount')) await wait(mountMs);
    return files.exec(where, argv, ...rest);
  });
  return { files, exec };
}
const mounted = ({ namespace }: MemorySpace, files: ExampleFileSystem) =>
  [...(files.mounted.get(`${namespace}/demo`)?.keys() ?? [])].toSorted();
const changes = ({ exec }: MemorySpace) =>
  exec.calls.map(({ argv }) => argv.slice(1).join(' ')).filter((command) => /^(un)?mount /.test(command));

describe('a runtime with masters', () => {
  test('mounts what the dataset names before its workers start, and binds', async () => {
    const { files, exec } = engine(1500);
    const space = await memorySpace({ exec });
    await space.create(dataset('demo', 'a', 'b'), exampleRuntime('demo', {}));
    const changing = { reason: 'MountsChanging', message: '2 mounts to change' };
    await space.becomes('ExampleRuntime', 'demo', condition('Synced', { status: 'False', ...changing }));
    await space.becomes('Dataset', 'demo', condition('NotReady', { status: 'True', ...changing }));
    expect(await space.made()).not.toContain('StatefulSet/demo-worker');
    await space.bound('ExampleRuntime', 'demo');
    expect(mounted(space, files)).toEqual(['/a', '/b']);
    expect(changes(space)).toEqual(['mount /a s3://a', 'mount /b s3://b']);
    const { calls } = space.exec;
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
    const space = await memorySpace(engine());
    const { namespace } = space;
    const { unready } = space.at.controllers;
    unready.add(`${namespace}/demo-master-2`);
    await space.create(dataset('demo', 'a'), exampleRuntime('demo', { masters: 3 }));
    await space.becomes(
      'ExampleRuntime',
      'demo',
      condition('Synced', { status: 'False', reason: 'MasterNotReady', message: '2 of 3 master pods are ready' }),
    );
    expect(await space.made()).not.toContain('StatefulSet/demo-worker');
    unready.delete(`${namespace}/demo-master-2`);
    await space.bound('ExampleRuntime', 'demo');
    await space.becomes('Dataset', 'demo', { status: { runtimes: [{ masterReplicas: 3 }] } });
    unready.add(`${namespace}/demo-master-1`);
    await space.becomes('ExampleRuntime', 'demo', { status: { masterPhase: 'PartialReady', masterNumberReady: 2 } });
    await space.becomes('ExampleRuntime', 'demo', condition('MasterReady', { status: 'True', message: 'The master is partially ready.' }));
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound' } });
    unready.delete(`${namespace}/demo-master-1`);
    await space.becomes('ExampleRuntime', 'demo', { status: { masterPhase: 'Ready' } });
  });

  test('without any master that is ready is Failed, and recovers', async () => {
    const space = await memorySpace(engine());
    await space.create(dataset('demo', 'a'), exampleRuntime('demo', {}));
    await space.bound('ExampleRuntime', 'demo');
    const { unready } = space.at.controllers;
    unready.add(`${space.namespace}/demo-master`);
    await space.becomes('Dataset', 'demo', { status: { phase: 'Failed' } });
    unready.delete(`${space.namespace}/demo-master`);
    await space.bound('ExampleRuntime', 'demo');
  });

  test('is Updating while the mounts of the dataset change, and then Bound', async () => {
    const { files, exec } = engine(1500);
    const space = await memorySpace({ exec });
    await space.create(dataset('demo', 'a', 'b'), exampleRuntime('demo', {}));
    await space.bound('ExampleRuntime', 'demo');
    await space.patch('Dataset', 'demo', { spec: { mounts: mountsOf('b', 'c') } });
    await space.becomes('Dataset', 'demo', { status: { phase: 'Updating', mounts: mountsOf('a', 'b') } });
    await space.becomes('Dataset', 'demo', condition('Updating', { status: 'True', reason: 'DatasetUpdating' }));
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound', mounts: mountsOf('b', 'c') } });
    await space.becomes('Dataset', 'demo', condition('Updating', { status: 'False', reason: 'DatasetReady' }));
    expect(mounted(space, files)).toEqual(['/b', '/c']);
    expect(changes(space).slice(2)).toEqual(['unmount /a', 'mount /c s3://c']);
  });

  test('mounts again what a master has forgotten when it is replaced', async () => {
    const { files, exec } = engine();
    const space = await memorySpace({ exec });
    await space.create(dataset('demo', 'a'), exampleRuntime('demo', {}));
    await space.bound('ExampleRuntime', 'demo');
    files.forget();
    await space.delete('Pod', 'demo-master-0');
    await space.eventually(() => expect(mounted(space, files)).toEqual(['/a']));
    await space.bound('ExampleRuntime', 'demo');
    expect(changes(space)).toEqual(['mount /a s3://a', 'mount /a s3://a']);
  });

  test('reports why a mount fails, retries it, and delays no other dataset', async () => {
    const { files, exec } = engine();
    const space = await memorySpace({ exec });
    exec.answer({ argv: ['example', 'mount', '/bad'], stderr: 'no such bucket', exitCode: 1, times: 2 });
    await space.create(dataset('demo', 'bad'), exampleRuntime('demo', {}));
    await space.becomes(
      'ExampleRuntime',
      'demo',
      condition('Synced', { status: 'False', message: says('example in', 'demo-master-0 ended with exit code 1', 'no such bucket') }),
    );
    await space.create(dataset('other', 'a'), exampleRuntime('other', {}));
    await space.bound('ExampleRuntime', 'other');
    files.forget();
    await space.bound('ExampleRuntime', 'demo');
  });

  test('asks its master for the name of the cache, and removes that from every worker', async () => {
    const space = await memorySpace(engine());
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
    const calls = space.exec.calls.filter(({ argv }) => argv[1] === 'id' || argv[0] === 'rm');
    expect(calls.map(({ pod, argv }) => `${pod}: ${argv.join(' ')}`).toSorted()).toEqual([
      'demo-master-0: example id',
      'demo-worker-0: rm -rf /cache/c0ffee',
      'demo-worker-1: rm -rf /cache/c0ffee',
    ]);
  });

  test('removes nothing when the master answers with what is no name', async () => {
    const space = await memorySpace(engine());
    space.exec.answer({ argv: ['example', 'id'], stdout: '../..\n' });
    await space.create(dataset('demo', 'a'), exampleRuntime('demo', {}));
    await space.bound('ExampleRuntime', 'demo');
    await space.delete('ExampleRuntime', 'demo');
    await space.gone('ExampleRuntime', 'demo');
    expect(space.exec.calls.filter(({ argv }) => argv[0] === 'rm')).toEqual([]);
  });
});

describe('host ports', () => {
  test('are never allocated to two runtimes, and a used-up range is reported', async () => {
    const space = await memorySpace({ ...engine(), settings: { portRanges: { example: [24000, 24011] } }, portPolicy: 'bitmap' });
    const names = Array.from({ length: 7 }, (_, i) => `p${i}`);
    await Promise.all(names.map((name) => space.create(dataset(name, 'a'), exampleRuntime(name, { replicas: 0 }))));
    const phases = async () =>
      (await space.list('Dataset')).map(({ metadata, status }) => [metadata.name, (status as { phase: string }).phase] as const);
    await space.eventually(async () => expect((await phases()).filter(([, phase]) => phase === 'Bound')).toHaveLength(6));
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

    // A deleted Dataset frees its ports. A record that was copied along with a runtime counts for nothing.
    await space.delete('Dataset', lucky[1] ?? '');
    await space.gone('ExampleRuntime', lucky[1] ?? '');
    const copied = (await space.get('ExampleRuntime', lucky[0] ?? '')).metadata.annotations?.[PORTS] ?? '';
    await space.patch('ExampleRuntime', unlucky, { metadata: { annotations: { [PORTS]: copied } } });
    await space.bound('ExampleRuntime', unlucky);
    const now = (await Promise.all(names.filter((name) => name !== lucky[1]).map(portsOf))).flat();
    expect(new Set(now).size).toBe(12);
  });
});
