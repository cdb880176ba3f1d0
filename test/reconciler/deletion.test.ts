import { describe, expect, test } from 'vitest';
import type { DatasetStatus } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { exampleFileSystem } from '../support/example-exec.ts';
import * as write from '../support/objects.ts';
import { boundHarness, type Harness, type HarnessOptions } from './harness.ts';

const thin = () => write.thinRuntime('demo', { profileName: 'profile' });
const example = () => write.exampleRuntime('demo', {});
const bound = (runtime: KubeObject, options: HarnessOptions = {}) => boundHarness([write.openDataset('demo'), runtime], options);

/** Everything but what was there before the dataset. */
const left = ({ server }: Harness) =>
  server
    .all()
    .filter(({ kind }) => !['ThinRuntimeProfile', 'Node', 'Namespace'].includes(kind))
    .map(({ kind, metadata }) => `${kind}/${metadata.name}`);
const nodeLabels = ({ server }: Harness) => [...new Set(server.all('Node').flatMap(({ metadata }) => Object.keys(metadata.labels ?? {})))];

describe('deletion', () => {
  test.each([
    ['the Dataset', ['Dataset']],
    ['the runtime, then the Dataset', ['ExampleRuntime', 'Dataset']],
    ['the Dataset, then the runtime', ['Dataset', 'ExampleRuntime']],
  ])('of %s leaves nothing behind', async (_, kinds) => {
    const at = await bound(example());
    expect(nodeLabels(at)).toContain('fluid.io/s-ml-demo');
    for (const kind of kinds) at.delete(kind);
    await at.quiet();
    expect(left(at)).toEqual([]);
    expect(nodeLabels(at)).toEqual(['kubernetes.io/hostname']);
  });
  test('of the Dataset first still cleans the cache', async () => {
    const files = exampleFileSystem();
    const at = await bound(example(), { exec: files.exec });
    at.delete('Dataset');
    await at.quiet();
    expect(files.commands.filter((each) => each.includes(' rm '))).toEqual(['ml/demo-worker-0 rm -rf /var/example/c0ffee']);
  });
  test('of the runtime alone leaves a Dataset that can be bound again', async () => {
    const at = await bound(example());
    at.delete('ExampleRuntime');
    await at.quiet();
    expect(left(at)).toEqual(['Dataset/demo']);
    expect(at.dataset()).toMatchObject({ phase: 'NotBound', runtimes: [], cacheStates: {} });
    at.put(thin());
    await at.quiet();
    expect(at.dataset()).toMatchObject({ phase: 'Bound', runtimes: [{ type: 'thin' }] });
  });
  test('takes the claim first, then the volume, then the workloads, and its finalizer last', async () => {
    const at = await bound(example());
    at.delete('ExampleRuntime');
    await at.quiet();
    const deleted = at.written({ verb: 'delete' });
    expect(deleted.slice(0, 2)).toEqual(['delete PersistentVolumeClaim/demo', 'delete PersistentVolume/ml-demo']);
    expect(deleted.slice(2).toSorted()).toEqual([
      'delete DaemonSet/demo-fuse',
      'delete Service/demo-master',
      'delete StatefulSet/demo-master',
      'delete StatefulSet/demo-worker',
    ]);
    expect(at.written({ kind: ['ExampleRuntime', 'StatefulSet', 'DaemonSet', 'Service'], subresource: '' }).at(-1)).toBe(
      'patch ExampleRuntime/demo',
    );
  });
  test.each(['Dataset', 'ThinRuntime'])('of the %s is refused while a pod mounts it, and goes on when the pod is gone', async (kind) => {
    const at = await bound(thin());
    at.put(write.reader('reader', 'demo'));
    at.delete(kind);
    await at.advance(5000);
    expect(at.get(kind)?.metadata.deletionTimestamp).toBeDefined();
    expect(at.get('PersistentVolumeClaim')?.metadata.deletionTimestamp).toBeUndefined();
    expect(at.events.map(({ reason, note }) => `${reason}: ${note}`)).toContain(
      `ErrorDelete${kind === 'Dataset' ? 'Dataset' : 'Runtime'}: waiting for pods that mount the dataset: reader`,
    );
    if (kind === 'ThinRuntime') expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^False StillMounted/);
    const { conditions = [] } = at.get('Dataset')!['status'] as DatasetStatus;
    const isTrue = (type: string) => conditions.some((each) => each.type === type && each.status === 'True');
    expect([isTrue('Ready'), isTrue('NotReady')]).toEqual(kind === 'Dataset' ? [false, true] : [true, false]);
    at.delete('Pod', 'reader');
    await at.quiet();
    expect(at.get(kind)).toBeUndefined();
  });
  test('of its runtime alone is reported on a Dataset that it serves, for as long as it lasts', async () => {
    const at = await bound(thin());
    at.put(write.reader('reader', 'demo'));
    const rule = at.server.rules.refuse({ verb: 'delete', kind: 'DaemonSet' }, { status: 403, reason: 'Forbidden', message: 'not today' });
    at.delete('ThinRuntime');
    await at.advance(5000);
    const because = 'RuntimeDeleting: waiting until the earlier runtime of this name is deleted: ThinRuntime demo';
    expect(at.conditions('Dataset')['Ready']).toBe(`True ${because} (waiting for pods that mount the dataset: reader)`);
    expect(at.dataset().phase).toBe('Bound');
    at.forget();
    // Each step ends only when the lists of pods have been answered.
    for (let i = 0; i < 30; i++) await at.advance(5000);
    expect(at.written()).toEqual([]);
    at.delete('Pod', 'reader');
    for (let i = 0; i < 12; i++) await at.advance(5000);
    expect(at.conditions('Dataset')['Ready']).toMatch(/^False RuntimeDeleting: .*not today\)$/);
    rule.remove();
    // The longest back-off.
    await at.advance(100_000);
    expect(at.dataset()).toMatchObject({ phase: 'NotBound', conditions: [expect.objectContaining({ type: 'NotReady' })] });
  });
  test('ends although the cache cannot be cleaned', async () => {
    const { exec } = exampleFileSystem();
    let tries = 0;
    const at = await bound(example(), {
      exec: async (where, argv, ms) => {
        if (argv[0] !== 'rm') return exec(where, argv, ms);
        tries++;
        throw new Error('busy');
      },
    });
    at.delete('ExampleRuntime');
    await at.advance(300_000);
    expect(tries).toBe(5);
    expect(at.get('ExampleRuntime')).toBeUndefined();
  });
  test('that hangs is reported on the next Dataset of its name', async () => {
    const at = await bound(thin());
    const rule = at.server.rules.refuse({ verb: 'delete', kind: 'DaemonSet' }, { status: 403, reason: 'Forbidden', message: 'not today' });
    // As after `--cascade=orphan`.
    at.server.remove('Dataset', 'ml', 'demo');
    at.delete('ThinRuntime');
    await at.advance(60_000);
    at.put(write.openDataset('demo'));
    await at.advance(60_000);
    expect(at.dataset().phase).toBe('NotBound');
    expect(at.conditions('Dataset')['NotReady']).toMatch(
      /^True RuntimeDeleting: waiting until the earlier runtime of this name is deleted: ThinRuntime demo \(.*not today\)$/,
    );
    at.forget();
    await at.advance(60_000);
    expect(at.written({ kind: 'Dataset' })).toEqual([]);
    rule.remove();
    at.put(example());
    await at.quiet();
    expect(at.dataset().phase).toBe('Bound');
    expect(at.conditions('Dataset')['NotReady']).toMatch(/^False/);
  });
  test('of a runtime lets another one of the same name come only when it is gone', async () => {
    const at = await bound(thin());
    at.put(write.reader('reader', 'demo'));
    at.delete('ThinRuntime');
    at.put(example());
    await at.advance(10_000);
    expect(at.written({ verb: 'create' })).toEqual([]);
    at.delete('Pod', 'reader');
    await at.quiet();
    expect(at.dataset().runtimes?.[0]?.type).toBe('example');
    expect(at.get('DaemonSet', 'demo-fuse')).toBeDefined();
  });
});
