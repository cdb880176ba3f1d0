import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/types.ts';
import { sharedControlPlane, simulated } from '../../support/test-cluster.ts';
import type { Kind } from '../../support/kinds.ts';
import { jfsDataset, jfsRuntime, jfsSecret, openDataset, thinRuntime } from '../../support/objects.ts';
import { condition, eventually, PROFILE, type Sluice, type Space, says, startSluice } from '../../support/sluice.ts';

const OWNER = 'data.fluid.io/owner-uid';

describe.skipIf(!simulated)('drift', () => {
  let sluice: Sluice;
  let space: Space;
  beforeAll(async () => {
    sluice = await startSluice(sharedControlPlane());
    space = await sluice.space('drift');
    await space.create(openDataset('thin'), thinRuntime('thin', { profileName: PROFILE }));
    await space.create(jfsSecret(), jfsDataset('jfs'), jfsRuntime('jfs'));
    await space.bound('ThinRuntime', 'thin');
    await space.bound('JuiceFSRuntime', 'jfs');
  });
  afterAll(() => sluice?.stop());

  const volume = (name: string) => `${space.namespace}-${name}`;
  const text = async (kind: Kind, name: string) => JSON.stringify(shape(await space.get(kind, name)));

  /** Deletes the objects and waits until there are others that look the same. */
  async function remade(...objects: readonly (readonly [Kind, string])[]): Promise<void> {
    const before = await Promise.all(objects.map(([kind, name]) => space.get(kind, name)));
    for (const [kind, name] of objects) await space.delete(kind, name);
    await eventually(async () => {
      for (const [i, [kind, name]] of objects.entries()) {
        const after = await space.find(kind, name);
        expect(after?.metadata.uid, `${kind}/${name}`).not.toBe(before[i]?.metadata.uid);
        expect(shape(after)).toEqual(shape(before[i]));
      }
    });
  }

  /** Edits the object and waits until it looks as it did. */
  async function restored(kind: Kind, name: string, patch: object): Promise<void> {
    const before = await text(kind, name);
    await space.patch(kind, name, patch);
    await eventually(async () => expect(await text(kind, name)).toBe(before));
  }

  const fuseImage = (kind: Kind, name: string) =>
    space.get(kind, name).then(({ spec }) => (spec as WorkloadSpec).template.spec.containers[0].image);

  /** The changes of BASELINE.md by their number there. Number 5 is about an object that only helm needs. */
  const changes: Readonly<Record<string, () => Promise<unknown>>> = {
    '1 the fuse DaemonSet of a ThinRuntime is deleted': () => remade(['DaemonSet', 'thin-fuse']),
    '2 the image in the fuse DaemonSet of a ThinRuntime is changed': async () => {
      await space.kubectl('set', 'image', 'daemonset/thin-fuse', 'thin-fuse=example.io/other:v2');
      await eventually(async () => expect(await fuseImage('DaemonSet', 'thin-fuse')).toBe('example.io/fuse:v1'));
    },
    '3 the configuration of a ThinRuntime is deleted': () => remade(['ConfigMap', 'thin-fuse-conf']),
    '4 the configuration of a ThinRuntime is edited': () => restored('ConfigMap', 'thin-fuse-conf', { data: { 'config.json': '{}' } }),
    '6 the claim of a ThinRuntime is deleted': () => remade(['PersistentVolumeClaim', 'thin']),
    '7 claim and volume of a ThinRuntime are deleted': () =>
      remade(['PersistentVolumeClaim', 'thin'], ['PersistentVolume', volume('thin')]),
    '8 the fuse image of a ThinRuntime is edited': async () => {
      await space.patch('ThinRuntime', 'thin', { spec: { fuse: { image: 'example.io/fuse', imageTag: 'v9' } } });
      await eventually(async () => expect(await fuseImage('DaemonSet', 'thin-fuse')).toBe('example.io/fuse:v9'));
    },
    '9 a mount is added to the dataset of a ThinRuntime': async () => {
      const mounts = [
        { mountPoint: 's3://bucket', name: 'data' },
        { mountPoint: 's3://more', name: 'more' },
      ];
      await space.patch('Dataset', 'thin', { spec: { mounts } });
      await space.becomes('ConfigMap', 'thin-fuse-conf', { data: { 'config.json': says('s3://more') } });
      await space.becomes('Dataset', 'thin', { status: { phase: 'Bound', mounts } });
    },
    '10 the worker StatefulSet of a JuiceFSRuntime is deleted': () => remade(['StatefulSet', 'jfs-worker']),
    '11 the fuse DaemonSet of a JuiceFSRuntime is deleted': () => remade(['DaemonSet', 'jfs-fuse']),
    '12 the fuse script of a JuiceFSRuntime is deleted': () => remade(['ConfigMap', 'jfs-fuse-script']),
    "13 the loader's account and role of a JuiceFSRuntime are deleted": () =>
      remade(['ServiceAccount', 'jfs-loader'], ['Role', 'jfs-loader']),
    '14 the image in the fuse DaemonSet of a JuiceFSRuntime is changed': async () => {
      const before = await fuseImage('DaemonSet', 'jfs-fuse');
      await space.kubectl('set', 'image', 'daemonset/jfs-fuse', 'juicefs-fuse=example.io/other:v2');
      await eventually(async () => expect(await fuseImage('DaemonSet', 'jfs-fuse')).toBe(before));
    },
    '15 the worker StatefulSet of a JuiceFSRuntime is scaled by hand': async () => {
      await space.kubectl('scale', 'statefulset/jfs-worker', '--replicas=3');
      await space.becomes('StatefulSet', 'jfs-worker', {
        spec: { replicas: 1 },
        metadata: { generation: expect.toSatisfy((n) => n >= 3) },
      });
    },
    '16 the fuse image of a JuiceFSRuntime is edited': async () => {
      await space.patch('JuiceFSRuntime', 'jfs', { spec: { fuse: { image: 'example.io/jfs', imageTag: 'v2' } } });
      await eventually(async () => expect(await fuseImage('DaemonSet', 'jfs-fuse')).toBe('example.io/jfs:v2'));
    },
    '17 the replicas of a JuiceFSRuntime are edited': async () => {
      await space.patch('JuiceFSRuntime', 'jfs', { spec: { replicas: 2 } });
      await space.becomes('StatefulSet', 'jfs-worker', { spec: { replicas: 2 }, status: { readyReplicas: 2 } });
    },
    '18 claim and volume of a JuiceFSRuntime are deleted': () =>
      remade(['PersistentVolumeClaim', 'jfs'], ['PersistentVolume', volume('jfs')]),
    '19 the label is removed from the node of a worker': async () => {
      const label = `fluid.io/s-${space.namespace}-jfs`;
      // A worker that the test before has scaled away may still end elsewhere, and its label goes with it.
      const { nodeName } = (await space.get('Pod', 'jfs-worker-0'))['spec'] as { readonly nodeName: string };
      const node = await space.get('Node', nodeName);
      const other = `fluid.io/s-juicefs-${space.namespace}-jfs`;
      // Those of other datasets may be on their way: a node rests a second between writes.
      const before = { [label]: node.metadata.labels?.[label], [other]: node.metadata.labels?.[other] };
      expect(before[label]).toBeDefined();
      await space.patch('Node', nodeName, {
        metadata: { labels: { [label]: null, [other]: 'no' } },
      });
      await eventually(async () => expect((await space.get('Node', nodeName)).metadata.labels).toMatchObject(before));
    },
    'a script of a JuiceFSRuntime is edited': () => restored('ConfigMap', 'jfs-worker-script', { data: { 'script.sh': 'exit 1' } }),
    'the rules of its role are edited': () => restored('Role', 'jfs-loader', { rules: [] }),
    'the strategy of the fuse DaemonSet is changed': async () => {
      await space.patch('DaemonSet', 'jfs-fuse', { spec: { updateStrategy: { type: 'RollingUpdate' } } });
      await space.becomes('DaemonSet', 'jfs-fuse', { spec: { updateStrategy: { type: 'OnDelete' } } });
    },
    'a label of ours is taken off a volume': () =>
      restored('PersistentVolume', volume('thin'), { metadata: { labels: { 'fluid.io/dataset-id': null } } }),
    'the finalizer is removed from a dataset': () => restored('Dataset', 'thin', { metadata: { finalizers: null } }),
    'finalizer, label and owner are removed from a runtime': () =>
      restored('JuiceFSRuntime', 'jfs', { metadata: { finalizers: null, labels: { 'fluid.io/dataset-id': null }, ownerReferences: null } }),
  };
  test.each(Object.entries(changes))('is repaired: %s', async (_, change) => {
    const began = performance.now();
    await change();
    await space.bound('ThinRuntime', 'thin');
    await space.bound('JuiceFSRuntime', 'jfs');
    console.log(`repaired after ${Math.round(performance.now() - began)} ms`);
  });

  test.each([
    ['removed from', null],
    ['changed on', '00000000-0000-0000-0000-000000000000'],
  ])('the inventory label, %s every object that we made, comes back', async (_, value) => {
    const before = await space.made();
    const owned = before.map((ref) => ref.split('/') as [Kind, string]);
    for (const [kind, name] of owned) await space.patch(kind, name, { metadata: { labels: { [OWNER]: value } } });
    await eventually(async () => {
      expect(await space.made()).toEqual(before);
      for (const [kind, name] of owned) expect((await space.get(kind, name)).metadata.labels?.[OWNER], `${kind}/${name}`).not.toBe(value);
    });
    await space.bound('ThinRuntime', 'thin');
    await space.bound('JuiceFSRuntime', 'jfs');
  });

  test('additions of others to our objects stay', async () => {
    await space.patch('DaemonSet', 'jfs-fuse', { metadata: { annotations: { 'example.com/theirs': 'kept' }, labels: { theirs: 'kept' } } });
    await space.patch('ConfigMap', 'thin-fuse-conf', { data: { theirs: 'kept' } });
    await remade(['ConfigMap', 'jfs-fuse-script']);
    expect((await space.get('DaemonSet', 'jfs-fuse')).metadata).toMatchObject({
      annotations: { 'example.com/theirs': 'kept' },
      labels: { theirs: 'kept' },
    });
    await space.becomes('ConfigMap', 'thin-fuse-conf', { data: { theirs: 'kept' } });
  });

  test('an object that carries our inventory label and is not wanted goes', async () => {
    const { uid } = (await space.get('ThinRuntime', 'thin')).metadata;
    await space.create(
      configMap('stray', { [OWNER]: uid ?? '' }),
      configMap('managed', { 'fluid.io/managed-by': 'fluid', 'fluid.io/dataset-id': `${space.namespace}-thin` }),
    );
    await space.gone('ConfigMap', 'stray');
    await space.get('ConfigMap', 'managed');
  });

  test('a status that another writer changed is written again', async () => {
    await space.patch('Dataset', 'thin', { status: { phase: 'Failed', runtimes: [] } }, 'status');
    await space.becomes('Dataset', 'thin', { status: { phase: 'Bound', runtimes: [{ type: 'thin' }] } });
    await space.patch('JuiceFSRuntime', 'jfs', { status: { workerPhase: 'NotReady', workerNumberReady: 0 } }, 'status');
    await space.becomes('JuiceFSRuntime', 'jfs', { status: { workerPhase: 'Ready', workerNumberReady: 2 } });
  });

  test('a field that another writer keeps changing back is reported as a conflict, and the rest goes on', async () => {
    await space.create(openDataset('fought'), thinRuntime('fought', { profileName: PROFILE }));
    await space.bound('ThinRuntime', 'fought');
    let fighting = true;
    let blows = 0;
    const rival = (async () => {
      while (fighting) {
        if ((await fuseImage('DaemonSet', 'fought-fuse')) !== 'rival.io/image:v1') {
          blows++;
          await space.replace('DaemonSet', 'fought-fuse', '/spec/template/spec/containers/0/image', 'rival.io/image:v1');
        }
      }
    })();
    const conflict = {
      status: 'False',
      reason: 'FieldConflict',
      message: says('DaemonSet/fought-fuse: spec.template.spec.containers[thin-fuse].image changed back 6 times'),
    };
    await space.becomes('ThinRuntime', 'fought', condition('Synced', conflict));
    const { generation } = (await space.get('DaemonSet', 'fought-fuse')).metadata;
    await remade(['ConfigMap', 'fought-fuse-conf']);
    await space.becomes('Dataset', 'fought', { status: { phase: 'Bound' } });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect((await space.get('DaemonSet', 'fought-fuse')).metadata.generation).toBe(generation);
    fighting = false;
    await rival;
    // The first blow is the rival's, and each of the others answers a repair.
    expect(blows).toBe(7);
    await eventually(async () => expect((await space.events('fought')).join()).toContain('image changed back 6 times'));
  });
});

interface WorkloadSpec {
  readonly template: { readonly spec: { readonly containers: readonly [{ readonly image: string }] } };
}

/** The fields that writers of an object set, without the API server's records. */
function shape(object: KubeObject | undefined): unknown {
  if (!object) return undefined;
  const { metadata, status: _, ...rest } = object;
  const { finalizers, labels, annotations, ownerReferences } = metadata;
  const { spec } = rest as { spec?: { claimRef?: object } };
  const claimRef = spec?.claimRef && { ...spec.claimRef, uid: undefined, resourceVersion: undefined };
  return JSON.parse(
    JSON.stringify({
      ...rest,
      ...(spec && { spec: { ...spec, claimRef } }),
      // Revisions, and the volume controller's own notes.
      metadata: {
        finalizers,
        labels,
        ownerReferences,
        annotations: Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => !/generation|kubernetes\.io|nudged/.test(key))),
      },
    }),
  );
}

const configMap = (name: string, labels: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels },
  data: {},
});
