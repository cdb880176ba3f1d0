import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/types.ts';
import { sharedControlPlane, simulated } from '../../support/test-cluster.ts';
import { kinds } from '../../support/kinds.ts';
import { JFS_SECRET, jfsDataset, jfsRuntime, jfsSecret, openDataset, reader, thinRuntime } from '../../support/objects.ts';
import { condition, eventually, PROFILE, type Sluice, type Space, says, startSluice } from '../../support/sluice.ts';

// Most of the time is spent waiting for others.
describe.skipIf(!simulated).concurrent('deletion', () => {
  let sluice: Sluice;
  beforeAll(async () => {
    sluice = await startSluice(sharedControlPlane());
  });
  afterAll(() => sluice?.stop());

  const objects: Readonly<Record<'ThinRuntime' | 'JuiceFSRuntime', () => readonly KubeObject[]>> = {
    ThinRuntime: () => [openDataset('demo'), thinRuntime('demo', { profileName: PROFILE })],
    JuiceFSRuntime: () => [jfsSecret(), jfsDataset('demo'), jfsRuntime('demo')],
  };
  type Tested = keyof typeof objects;

  async function boundSpace(kind: Tested, ...more: readonly KubeObject[]): Promise<Space> {
    const space = await sluice.space('delete');
    await space.create(...objects[kind](), ...more);
    await space.bound(kind, 'demo');
    return space;
  }

  /** Everything of a dataset called demo is gone, wherever it was. */
  async function nothingLeft(space: Space, ...kept: readonly string[]): Promise<void> {
    const { namespace } = space;
    await eventually(async () => {
      const left: string[] = [];
      for (const kind of ['Dataset', 'ThinRuntime', 'JuiceFSRuntime', 'Pod'] as const) left.push(...(await space.list(kind)).map(ref));
      left.push(...(await space.made()));
      left.push(...(await space.list('PersistentVolume')).filter((object) => JSON.stringify(object['spec']).includes(namespace)).map(ref));
      for (const { metadata } of await space.list('Node'))
        left.push(
          ...Object.entries(metadata.labels ?? {})
            .filter((entry) => entry.some((text) => text.includes(namespace)))
            .map(([key]) => `${metadata.name} ${key}`),
        );
      expect(left).toEqual(kept);
    });
  }
  const ref = ({ kind, metadata: { name } }: KubeObject) => `${kind}/${name}`;

  /** Commands in the pods of a space, besides those that count its files. */
  const commands = async ({ namespace }: Space) =>
    (await sluice.plane.exec.calls({ namespace })).map(({ argv }) => argv.join(' ')).filter((command) => !/^df|ls -lR/.test(command));
  const removals = async (space: Space) => (await commands(space)).filter((command) => command.startsWith('sh -c code=0'));
  const CHUNKS = expect.stringMatching(/^sh -c code=0\n.* sh \/var\/lib\/juicefs\/5dab1b08-2fdb-488d-8242-384513135c99$/s) as string;

  describe.each(['ThinRuntime', 'JuiceFSRuntime'] as const)('of a %s', (kind) => {
    const plural = kinds[kind].plural;

    test('runtime first: the dataset is free for another runtime', async () => {
      const space = await boundSpace(kind);
      await space.delete(kind, 'demo');
      await nothingLeft(space, 'Dataset/demo');
      const dataset = await space.becomes('Dataset', 'demo', {
        status: { phase: 'NotBound', conditions: [{ type: 'NotReady', reason: 'RuntimeNotFound' }] },
      });
      expect(dataset['status']).toMatchObject({ runtimes: [], cacheStates: {}, ufsTotal: '', fileNum: '' });
      await space.create(thinRuntime('demo', { profileName: PROFILE }));
      await space.bound('ThinRuntime', 'demo');
    });

    test('dataset first: its runtime goes with it', async () => {
      const space = await boundSpace(kind);
      await space.delete('Dataset', 'demo');
      await nothingLeft(space);
    });

    test('both at once', async () => {
      const space = await boundSpace(kind);
      await space.kubectl('delete', 'datasets,thinruntimes,juicefsruntimes', '--all', '--timeout=30s');
      await nothingLeft(space);
    });

    test('before it was ever bound', async () => {
      const space = await sluice.space('delete');
      const held = await sluice.plane.pods.hold({ namespace: space.namespace });
      await space.create(...objects[kind]());
      await eventually(async () => expect(await space.made()).not.toEqual([]));
      await space.kubectl('delete', `datasets,${plural}`, '--all', '--timeout=30s');
      await nothingLeft(space);
      await held.release();
    });

    test('while the spec is invalid', async () => {
      const same = { mountPoint: 's3://bucket', name: 'same' };
      const space = await boundSpace(kind);
      await space.patch('Dataset', 'demo', { spec: { mounts: [same, same] } });
      await space.becomes(kind, 'demo', condition('Synced', { status: 'False', reason: 'InvalidSpec' }));
      await space.delete(kind, 'demo');
      await nothingLeft(space, 'Dataset/demo');
    });

    test('and made again at once, under the same names', async () => {
      const space = await boundSpace(kind);
      const before = await space.get(kind, 'demo');
      await space.delete('Dataset', 'demo');
      await space.delete(kind, 'demo').catch(() => {});
      const again = objects[kind]().filter(({ kind: each }) => each !== 'Secret');
      for (const object of again) await eventually(() => space.create(object));
      await eventually(async () => expect((await space.get(kind, 'demo')).metadata.uid).not.toBe(before.metadata.uid));
      await space.bound(kind, 'demo');
    });

    test('is refused while pods mount the dataset, and proceeds by itself: runtime first', async () => {
      const space = await boundSpace(kind, reader('app', 'demo'));
      const before = await space.made();
      await space.delete(kind, 'demo');
      const message = 'waiting for pods that mount the dataset: app';
      await space.becomes(kind, 'demo', condition('Synced', { status: 'False', reason: 'StillMounted', message }));
      await eventually(async () => expect(await space.events('demo')).toContain(`Warning ErrorDeleteRuntime: ${message}`));
      expect(await space.made()).toEqual(before);
      await space.becomes('Dataset', 'demo', { status: { phase: 'Bound' } });
      await space.delete('Pod', 'app');
      await nothingLeft(space, 'Dataset/demo');
    });

    test('is refused while pods mount the dataset, and proceeds by itself: dataset first', async () => {
      const space = await boundSpace(kind, reader('app', 'demo'));
      const before = await space.made();
      await space.delete('Dataset', 'demo');
      await eventually(async () =>
        expect(await space.events('demo')).toContain('Warning ErrorDeleteDataset: waiting for pods that mount the dataset: app'),
      );
      expect((await space.get(kind, 'demo')).metadata.deletionTimestamp).toBeUndefined();
      expect(await space.made()).toEqual(before);
      await space.delete('Pod', 'app');
      await nothingLeft(space);
    });
  });

  test('of the whole namespace, with a pod that mounts the dataset', async () => {
    const space = await boundSpace(
      'JuiceFSRuntime',
      openDataset('thin'),
      thinRuntime('thin', { profileName: PROFILE }),
      reader('app', 'demo'),
    );
    await sluice.client.delete(kinds.Namespace, { name: space.namespace });
    await nothingLeft(space);
    await space.gone('Namespace', space.namespace);
  });

  test('a pod that is stuck while it ends still mounts the dataset', async () => {
    const space = await boundSpace('ThinRuntime', reader('app', 'demo'));
    await space.kubectl('wait', 'pod/app', '--for=condition=Ready', '--timeout=30s');
    const stuck = await sluice.plane.pods.hold({ namespace: space.namespace, name: 'app' }, { as: 'Terminating' });
    await space.delete('Pod', 'app');
    await space.delete('ThinRuntime', 'demo');
    await space.becomes('ThinRuntime', 'demo', condition('Synced', { status: 'False', reason: 'StillMounted' }));
    expect((await space.get('PersistentVolumeClaim', 'demo')).metadata).toMatchObject({ finalizers: ['kubernetes.io/pvc-protection'] });
    expect((await space.get('PersistentVolumeClaim', 'demo')).metadata.deletionTimestamp).toBeUndefined();
    await stuck.release();
    await nothingLeft(space, 'Dataset/demo');
  });

  test('pods that have ended do not refuse it, but Kubernetes keeps the claim for them: the runtime says so', async () => {
    const space = await boundSpace('ThinRuntime', reader('done', 'demo'));
    await space.kubectl('wait', 'pod/done', '--for=condition=Ready', '--timeout=30s');
    const failed = await sluice.plane.pods.fail({ namespace: space.namespace, name: 'done' });
    await space.becomes('Pod', 'done', { status: { phase: 'Failed' } });
    await space.delete('ThinRuntime', 'demo');
    const message = 'deleting the claim first: PersistentVolumeClaim/demo; pods that have ended keep it until they are deleted: done';
    await space.becomes('ThinRuntime', 'demo', condition('Synced', { status: 'False', reason: 'ClaimKept', message }));
    expect((await space.get('PersistentVolumeClaim', 'demo')).metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
    await space.delete('Pod', 'done');
    await nothingLeft(space, 'Dataset/demo');
    await failed.release();
  });

  test('removes no finalizer but its own', async () => {
    const space = await boundSpace('ThinRuntime');
    for (const kind of ['Dataset', 'ThinRuntime'] as const) {
      const { finalizers = [] } = (await space.get(kind, 'demo')).metadata;
      await space.patch(kind, 'demo', { metadata: { finalizers: [...finalizers, 'example.com/theirs'] } });
    }
    await space.delete('ThinRuntime', 'demo');
    await space.becomes('ThinRuntime', 'demo', { metadata: { finalizers: ['example.com/theirs'] } });
    await space.delete('Dataset', 'demo');
    await space.becomes('Dataset', 'demo', { metadata: { finalizers: ['example.com/theirs'] } });
    await nothingLeft(space, 'Dataset/demo', 'ThinRuntime/demo');
    for (const kind of ['Dataset', 'ThinRuntime'] as const) await space.patch(kind, 'demo', { metadata: { finalizers: null } });
  });

  describe('cleaning the cache', () => {
    test.each(['JuiceFSRuntime', 'Dataset'] as const)(
      'asks for the name of the volume, and removes its chunks from every worker: %s first',
      async (first) => {
        const space = await sluice.space('clean');
        await space.create(jfsSecret(), jfsDataset('demo'), jfsRuntime('demo', { replicas: 2 }));
        await space.bound('JuiceFSRuntime', 'demo');
        await space.becomes('JuiceFSRuntime', 'demo', { status: { workerNumberReady: 2 } });
        await space.delete(first, 'demo');
        await nothingLeft(space, ...(first === 'Dataset' ? [] : ['Dataset/demo']));
        expect(await commands(space)).toEqual([says('juicefs status'), CHUNKS, CHUNKS]);
      },
    );

    test('is retried when it fails, and the failure is reported', async () => {
      const space = await boundSpace('JuiceFSRuntime');
      const { namespace } = space;
      await sluice.plane.exec.answer({ namespace, argv: /code=0/, stderr: 'device is busy', exitCode: 1, times: 2 });
      await space.delete('JuiceFSRuntime', 'demo');
      await space.becomes(
        'JuiceFSRuntime',
        'demo',
        condition('Synced', { reason: 'CleaningCache', message: says('attempt 1 of 5 failed', 'device is busy') }),
      );
      await nothingLeft(space, 'Dataset/demo');
      expect(await removals(space)).toEqual([CHUNKS, CHUNKS, CHUNKS]);
    });

    test('is given up after as many attempts as the spec says, and holds nothing up', async () => {
      const space = await sluice.space('clean');
      const management = { cleanCachePolicy: { gracePeriodSeconds: 5, maxRetryAttempts: 2 } };
      await space.create(jfsSecret(), jfsDataset('demo'), jfsRuntime('demo', { management }));
      await space.bound('JuiceFSRuntime', 'demo');
      await sluice.plane.exec.answer({ namespace: space.namespace, argv: /juicefs status/, stderr: 'no such volume', exitCode: 1 });
      await space.delete('JuiceFSRuntime', 'demo');
      await nothingLeft(space, 'Dataset/demo');
      expect(await commands(space)).toEqual([says('juicefs status'), says('juicefs status')]);
    });

    test('is left out when no worker can be asked', async () => {
      const space = await boundSpace('JuiceFSRuntime');
      const failing = await sluice.plane.pods.fail({ namespace: space.namespace, name: 'demo-worker-*' }, { as: 'CrashLoopBackOff' });
      await space.becomes('JuiceFSRuntime', 'demo', { status: { workerPhase: 'NotReady' } });
      await space.delete('JuiceFSRuntime', 'demo');
      await nothingLeft(space, 'Dataset/demo');
      expect(await commands(space)).toEqual([]);
      await failing.release();
    });

    test('needs no Secret that is gone', async () => {
      const space = await boundSpace('JuiceFSRuntime');
      await space.delete('Secret', JFS_SECRET);
      await space.delete('Dataset', 'demo');
      await nothingLeft(space);
      expect(await removals(space)).toEqual([CHUNKS]);
    });
  });
});
