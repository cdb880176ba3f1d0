import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import type { Kind } from '../support/kinds.ts';
import { datasetObject, JFS_SECRET, jfsDataset, jfsRuntime, jfsSecret, openDataset, thinProfile, thinRuntime } from '../support/objects.ts';
import { condition, PROFILE, profile, type RuntimeKind, type Space, says } from '../support/sluice.ts';
import { type MemorySpace, memorySpace, spaceOf } from './memory-space.ts';

describe('trouble', () => {
  const thin = (name = 'demo') => thinRuntime(name, { profileName: PROFILE });
  /** Both objects say why, and nothing was made. */
  async function refused(space: Space, kind: RuntimeKind, name: string, reason: string, ...parts: readonly string[]): Promise<void> {
    await space.becomes(kind, name, condition('Synced', { status: 'False', reason, message: says(...parts) }));
    await space.becomes('Dataset', name, {
      status: {
        phase: 'NotBound',
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: 'NotReady', status: 'True', reason: 'DatasetFailedToSetup', message: says(...parts) }),
        ]),
      },
    });
    expect((await space.made()).filter((made) => made.includes(name))).toEqual([]);
  }

  test('a Secret that is missing is named, and the dataset binds once it is there', async () => {
    const space = await memorySpace();
    await space.create(jfsDataset('demo'), jfsRuntime('demo'));
    await refused(
      space,
      'JuiceFSRuntime',
      'demo',
      'SecretNotFound',
      `waiting for Secret ${space.namespace}/${JFS_SECRET} of spec.mounts[0].encryptOptions[0].valueFrom.secretKeyRef in the Dataset`,
    );
    await space.eventually(async () =>
      expect(await space.events('demo')).toContain(
        `Warning ErrorProcessRuntime: waiting for Secret ${space.namespace}/${JFS_SECRET} of spec.mounts[0].encryptOptions[0].valueFrom.secretKeyRef in the Dataset`,
      ),
    );
    await space.create(jfsSecret());
    await space.bound('JuiceFSRuntime', 'demo');
  });

  test('a profile that is missing is named, and the dataset binds once it is there', async () => {
    const space = await memorySpace();
    const name = `late-${space.namespace}`;
    await space.create(openDataset('demo'), thinRuntime('demo', { profileName: name }));
    await refused(space, 'ThinRuntime', 'demo', 'ThinRuntimeProfileNotFound', `ThinRuntimeProfile ${name} does not exist`);
    await space.create(profile(name));
    await space.bound('ThinRuntime', 'demo');
    await space.patch('ThinRuntimeProfile', name, { spec: { fuse: { imageTag: 'v2' } } });
    await space.becomes('DaemonSet', 'demo-fuse', { spec: { template: { spec: { containers: [{ image: 'example.io/fuse:v2' }] } } } });
  });

  test('a claim behind pvc:// that is missing is named, and the dataset binds once it is bound', async () => {
    const space = await memorySpace();
    await space.create(datasetObject('demo', { mounts: [{ mountPoint: 'pvc://theirs', name: 'theirs' }] }), thin());
    await refused(space, 'ThinRuntime', 'demo', 'ClaimNotBound', 'persistent volume claim theirs not found');
    const volume = `${space.namespace}-theirs`;
    await space.create(csiVolume(volume, space.namespace, 'theirs'));
    await space.becomes('PersistentVolume', volume, { status: { phase: 'Available' } });
    await space.create(claimOf('theirs', volume));
    await space.becomes('PersistentVolume', volume, { status: { phase: 'Bound' } });
    // The volume controller may have forgotten the claim, until its next event.
    await space.patch('PersistentVolumeClaim', 'theirs', { metadata: { annotations: { touched: 'yes' } } });
    await space.bound('ThinRuntime', 'demo');
    const theirs = await space.get('PersistentVolumeClaim', 'theirs');
    expect(theirs.metadata.labels).toEqual({ 'fluid.io/managed-by': 'demo' });
    expect((await space.get('Dataset', 'demo')).metadata.ownerReferences).toMatchObject([
      { kind: 'PersistentVolumeClaim', name: 'theirs', uid: theirs.metadata.uid },
    ]);
    await space.delete('Dataset', 'demo');
    await space.gone('ThinRuntime', 'demo');
    expect((await space.get('PersistentVolumeClaim', 'theirs')).metadata.deletionTimestamp).toBeUndefined();
    await space.delete('PersistentVolumeClaim', 'theirs');
    await space.delete('PersistentVolume', volume);
  });

  const mount = (jfsDataset('x')['spec'] as { mounts: readonly object[] }).mounts[0] as object;
  const tier = (level: object) => jfsRuntime('bad', { tieredstore: { levels: [{ mediumtype: 'SSD', volumeType: 'hostPath', ...level }] } });
  const JFS = 'JuiceFSRuntime';
  const THIN = 'ThinRuntime';
  /** A case: title; runtime; Dataset; path, expected and found in the condition, in this order; and the edit that mends it. */
  const invalid: readonly (readonly [string, KubeObject, KubeObject, readonly string[], readonly [Kind, object]])[] = [
    [
      'a JuiceFSRuntime whose dataset has no mounts (kills Fluid)',
      jfsRuntime('bad'),
      datasetObject('bad', {}),
      ['bad: spec.mounts: expected a mount, found nothing'],
      ['Dataset', { spec: jfsDataset('bad')['spec'] }],
    ],
    [
      'a JuiceFSRuntime whose tier has a list of quotas for one path (a tier with such a list alone kills Fluid)',
      tier({ path: '/cache1', quotaList: '1Gi,2Gi' }),
      jfsDataset('bad'),
      ['spec.tieredstore.levels[0].quotaList: expected', 'found "1Gi,2Gi"'],
      [JFS, { spec: { tieredstore: { levels: [{ mediumtype: 'SSD', path: '/cache1:/cache2', quota: '3Gi' }] } } }],
    ],
    [
      'a JuiceFSRuntime with two paths and a comma (one directory of that name in Fluid)',
      tier({ path: '/a,/b', quota: '1Gi' }),
      jfsDataset('bad'),
      ['spec.tieredstore.levels[0].path: expected directories separated by ":", found "/a,/b"'],
      [JFS, { spec: { tieredstore: { levels: [{ mediumtype: 'SSD', path: '/a:/b', quota: '1Gi' }] } } }],
    ],
    [
      'a quota below 1Gi (refused by Fluid as well)',
      jfsRuntime('bad'),
      jfsDataset('bad', { mounts: [{ ...mount, mountPoint: 'juicefs:///sub', options: { quota: '10' } } as never] }),
      ['spec.mounts[0].options.quota: expected at least 1Gi, found "10"'],
      ['Dataset', { spec: { mounts: [{ ...mount, mountPoint: 'juicefs:///sub', options: { quota: '10Gi' } }] } }],
    ],
    [
      'two mounts of the same name',
      thin('bad'),
      datasetObject('bad', { mounts: ['s3://b1', 's3://b2'].map((mountPoint) => ({ mountPoint, name: 'same' })) }),
      ['bad: spec.mounts[1].name: expected a name that no other mount has, found "same"'],
      ['Dataset', { spec: { mounts: [{ mountPoint: 's3://b1', name: 'same' }] } }],
    ],
    [
      'a ThinRuntime without image',
      thinRuntime('bad', { profileName: 'PROFILE' }),
      openDataset('bad'),
      ['spec.fuse.image: expected an image, here or in profile', 'found nothing'],
      [THIN, { spec: { fuse: { image: 'example.io/f', imageTag: 'v1' } } }],
    ],
    [
      'a dataset that refers to another one',
      thin('bad'),
      datasetObject('bad', { mounts: [{ mountPoint: 'dataset://other/one', name: 'one' }] }),
      ['spec.profileName: expected none, since the Dataset refers to another one', 'found'],
      ['Dataset', { spec: { mounts: [{ mountPoint: 's3://one', name: 'one' }] } }],
    ],
    [
      'a ThinRuntime without profile',
      thinRuntime('bad', {}),
      openDataset('bad'),
      ['spec.profileName: expected the name of a ThinRuntimeProfile', 'found nothing'],
      [THIN, { spec: { profileName: PROFILE } }],
    ],
  ];
  test.each(invalid)(
    'an invalid spec is reported with path, expected and found value, and binds once corrected: %s',
    async (_, runtime, dataset, parts, [kind, fix]) => {
      const space = await memorySpace();
      const runtimeKind = runtime.kind as RuntimeKind;
      const { profileName } = runtime['spec'] as { profileName?: string };
      if (profileName === 'PROFILE') {
        await space.create(
          thinProfile(space.namespace, { fileSystemType: 'fuse.x', nodePublishSecretPolicy: 'MountNodePublishSecretIfExists', fuse: {} }),
        );
      }
      await space.create(
        jfsSecret(),
        profileName === 'PROFILE' ? { ...runtime, spec: { profileName: space.namespace } } : runtime,
        // After it: a Dataset that refers to another one gets a runtime where none exists.
        dataset,
      );
      await refused(space, runtimeKind, 'bad', 'InvalidSpec', ...parts);
      const seen = await Promise.all([space.get('Dataset', 'bad'), space.get(runtimeKind, 'bad')]);
      // Everything else goes on, and what is invalid is left alone.
      await space.create(openDataset('good'), thin('good'));
      await space.bound('ThinRuntime', 'good');
      const versions = await Promise.all([space.get('Dataset', 'bad'), space.get(runtimeKind, 'bad')]);
      expect(versions.map(({ metadata }) => metadata.resourceVersion)).toEqual(seen.map(({ metadata }) => metadata.resourceVersion));
      await space.patch(kind, 'bad', fix);
      await space.bound(runtimeKind, 'bad');
      await space.becomes('Dataset', 'bad', condition('NotReady', { status: 'False', reason: 'DatasetReady' }));
    },
  );

  test('an edit that makes a bound dataset invalid is reported, and its workloads go on serving', async () => {
    const space = await memorySpace();
    await space.create(openDataset('demo'), thin());
    await space.bound('ThinRuntime', 'demo');
    const before = await space.get('DaemonSet', 'demo-fuse');
    await space.patch('ThinRuntime', 'demo', { spec: { profileName: '' } });
    await space.becomes(
      'ThinRuntime',
      'demo',
      condition('Synced', { status: 'False', reason: 'InvalidSpec', message: says('spec.profileName') }),
    );
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound' } });
    expect((await space.get('DaemonSet', 'demo-fuse')).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    await space.patch('ThinRuntime', 'demo', { spec: { profileName: PROFILE } });
    await space.bound('ThinRuntime', 'demo');
  });

  const badLabels = { podMetadata: { labels: { 'not a label': 'x' } } };
  test('an object that the API server refuses is named with its reason, the others are made, and all is well once it is put right', async () => {
    const space = await memorySpace();
    await space.create(jfsSecret(), jfsDataset('demo'), jfsRuntime('demo', badLabels));
    const refusal = { status: 'False', reason: 'ApplyFailed', message: says('DaemonSet/demo-fuse', 'not a label') };
    await space.becomes('JuiceFSRuntime', 'demo', condition('Synced', refusal));
    await space.becomes('Dataset', 'demo', condition('NotReady', { status: 'True', message: says('not a label') }));
    await space.get('ConfigMap', 'demo-fuse-script');
    await space.patch('JuiceFSRuntime', 'demo', { spec: { podMetadata: null } });
    await space.bound('JuiceFSRuntime', 'demo');
  });

  test('an edit that the API server refuses, however often it is tried, is no conflict with another writer', async () => {
    const space = await memorySpace();
    await space.create(openDataset('demo'), thin());
    await space.bound('ThinRuntime', 'demo');
    await space.patch('ThinRuntime', 'demo', { spec: { fuse: badLabels } });
    const failures = () => space.at.passes.filter(({ error, outcome }) => error ?? outcome?.kind === 'failed').length;
    await space.eventually(() => expect(failures()).toBeGreaterThanOrEqual(8), 300);
    const refusal = { status: 'False', reason: 'ApplyFailed', message: says('DaemonSet/demo-fuse', 'not a label') };
    await space.becomes('ThinRuntime', 'demo', condition('Synced', refusal));
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound' } });
    await space.patch('ThinRuntime', 'demo', { spec: { fuse: { podMetadata: null } } });
    await space.bound('ThinRuntime', 'demo', 120);
  });

  test('of two runtimes for one dataset the older serves, and the other says so until it may', async () => {
    const space = await memorySpace();
    await space.create(jfsSecret(), jfsDataset('demo'), jfsRuntime('demo'));
    await space.bound('JuiceFSRuntime', 'demo');
    await space.create(thin());
    await space.becomes(
      'ThinRuntime',
      'demo',
      condition('DatasetTaken', { status: 'True', message: 'JuiceFSRuntime demo serves the dataset' }),
    );
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound', runtimes: [{ type: 'juicefs' }] } });
    expect((await space.get('ThinRuntime', 'demo')).metadata.finalizers).toBeUndefined();
    await space.delete('JuiceFSRuntime', 'demo');
    await space.becomes('Dataset', 'demo', { status: { phase: 'Bound', runtimes: [{ type: 'thin' }] } });
    await space.bound('ThinRuntime', 'demo');
    await space.eventually(async () => expect(JSON.stringify(await space.get('ThinRuntime', 'demo'))).not.toContain('DatasetTaken'));
    expect(await space.find('JuiceFSRuntime', 'demo')).toBeUndefined();
  });

  test('a runtime that may not serve can go, and the one that does is not touched', async () => {
    const space = await memorySpace();
    await space.create(openDataset('demo'), thin());
    await space.bound('ThinRuntime', 'demo');
    await space.create(jfsRuntime('demo'));
    await space.becomes('JuiceFSRuntime', 'demo', condition('DatasetTaken', { status: 'True' }));
    const before = await space.get('PersistentVolumeClaim', 'demo');
    await space.delete('JuiceFSRuntime', 'demo');
    await space.gone('JuiceFSRuntime', 'demo');
    await space.bound('ThinRuntime', 'demo');
    expect((await space.get('PersistentVolumeClaim', 'demo')).metadata.uid).toBe(before.metadata.uid);
  });

  const foreign: readonly (readonly [Kind, (space: Space) => KubeObject])[] = [
    ['ConfigMap', () => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'demo-fuse-conf' }, data: { theirs: 'yes' } })],
    ['DaemonSet', () => theirWorkload('demo-fuse')],
    ['PersistentVolume', ({ namespace }) => csiVolume(`${namespace}-demo`, namespace, 'elsewhere')],
    ['PersistentVolumeClaim', () => claimOf('demo', 'nowhere')],
    // A user's copy of one of our objects, with its label.
    [
      'ConfigMap',
      () => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'demo-fuse-conf', labels: { 'data.fluid.io/owner-uid': 'OTHER' } },
        data: { theirs: 'yes' },
      }),
    ],
  ];
  test.each(foreign)('a %s of a name that we need, and that is not ours, is reported and never touched', async (kind, make) => {
    const space = await memorySpace();
    await space.create(openDataset('other'), thin('other'));
    await space.bound('ThinRuntime', 'other');
    const { uid = '' } = (await space.get('ThinRuntime', 'other')).metadata;
    const made = JSON.parse(JSON.stringify(make(space)).replace('OTHER', uid)) as KubeObject;
    // A copy with another runtime's label would be pruned by that one, as being in its inventory.
    const isCopy = made.metadata.labels !== undefined;
    if (isCopy) await space.create({ ...made, metadata: { ...made.metadata, finalizers: ['example.com/kept'] } });
    else await space.create(made);
    const before = await settled(space, kind, made.metadata.name);
    await space.create(openDataset('demo'), thin());
    const message = says(`${kind}/${made.metadata.name}: it exists already and belongs to`);
    await space.becomes('ThinRuntime', 'demo', condition('Synced', { status: 'False', reason: 'NameTaken', message }));
    await space.becomes('Dataset', 'demo', { status: { phase: 'NotBound' } });
    await space.becomes('Dataset', 'demo', condition('NotReady', { status: 'True', message }));
    await space.delete('Dataset', 'demo');
    await space.gone('ThinRuntime', 'demo');
    expect((await space.get(kind, made.metadata.name)).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    await space.becomes('Dataset', 'other', { status: { phase: 'Bound' } });
    // The other runtime says that its copy, which it deletes, is kept.
    const kept = says(`${kind}/${made.metadata.name} (example.com/kept)`);
    const synced = isCopy ? { status: 'False', reason: 'Deleting', message: kept } : { status: 'True' };
    await space.becomes('ThinRuntime', 'other', condition('Synced', synced));
    if (isCopy) await space.patch(kind, made.metadata.name, { metadata: { finalizers: null } });
    else await space.delete(kind, made.metadata.name);
  });

  test('a name that was taken is used as soon as an event reports that it is free', async () => {
    const space = await memorySpace();
    await space.create(claimOf('demo', 'nowhere'), openDataset('demo'), thin());
    await space.becomes('ThinRuntime', 'demo', condition('Synced', { reason: 'NameTaken' }));
    // Long enough for the back-off to have grown.
    await space.at.advance(3000);
    // The next try may come first, and the name be taken again before it is seen to be free.
    await space.delete('PersistentVolumeClaim', 'demo');
    await space.patch('Dataset', 'demo', { metadata: { annotations: { touched: 'yes' } } });
    await space.bound('ThinRuntime', 'demo');
  });

  test('a volume whose label names a runtime that is gone is ours if its claim is', async () => {
    const space = await memorySpace();
    await space.create(openDataset('demo'), thin());
    await space.bound('ThinRuntime', 'demo');
    const volume = await space.get('PersistentVolume', `${space.namespace}-demo`);
    await space.patch('PersistentVolume', volume.metadata.name, { metadata: { labels: { 'data.fluid.io/owner-uid': 'long-gone' } } });
    await space.bound('ThinRuntime', 'demo');
    const after = await space.becomes('PersistentVolume', volume.metadata.name, {
      metadata: { labels: { 'data.fluid.io/owner-uid': (await space.get('ThinRuntime', 'demo')).metadata.uid } },
    });
    expect(after.metadata.uid).toBe(volume.metadata.uid);
  });

  test('a-b/c and a/b-c are both bound, and share neither volume nor label', async () => {
    const a = await memorySpace();
    const ab = await spaceOf(a, `${a.namespace}-b`);
    await Promise.all([
      ab.create(jfsSecret(), jfsDataset('c'), jfsRuntime('c')),
      a.create(jfsSecret(), jfsDataset('b-c'), jfsRuntime('b-c')),
    ]);
    await ab.bound('JuiceFSRuntime', 'c');
    await a.bound('JuiceFSRuntime', 'b-c');
    const of = async (space: Space, name: string) => {
      const { volumeName } = (await space.get('PersistentVolumeClaim', name))['spec'] as { volumeName: string };
      const fuse = await space.get('DaemonSet', `${name}-fuse`);
      const { nodeSelector } = (fuse['spec'] as { template: { spec: { nodeSelector: object } } }).template.spec;
      return [volumeName, (await space.get('Dataset', name)).metadata.labels?.['fluid.io/dataset-id'], ...Object.keys(nodeSelector)];
    };
    const [first, second] = [await of(ab, 'c'), await of(a, 'b-c')];
    expect(first.filter((name) => second.includes(name))).toEqual([]);
    // One of them has Fluid's names.
    expect([first, second].map(([name]) => name)).toContain(`${ab.namespace}-c`);
    await ab.delete('Dataset', 'c');
    await ab.gone('JuiceFSRuntime', 'c');
    await a.bound('JuiceFSRuntime', 'b-c');
    expect(await of(a, 'b-c')).toEqual(second);
    // Nodes are labelled in batches.
    await a.eventually(async () => {
      const labels = JSON.stringify((await a.list('Node')).map(({ metadata }) => metadata.labels));
      for (const name of [first[1], second[1]]) expect(labels.includes(`fluid.io/s-${name}"`), name).toBe(name === second[1]);
    });
  });

  test('names as long as they may be are bound', async () => {
    const space = await spaceOf(await memorySpace(), 'long'.padEnd(63, 'x'));
    const [thinName, jfsName] = ['t'.padEnd(63, 'n'), 'j'.padEnd(45, 'n')];
    await space.create(openDataset(thinName), thin(thinName), jfsSecret(), jfsDataset(jfsName), jfsRuntime(jfsName));
    await space.bound('ThinRuntime', thinName);
    await space.bound('JuiceFSRuntime', jfsName);
    const { uid = '' } = (await space.get('Dataset', jfsName)).metadata;
    expect((await space.get('Dataset', jfsName)).metadata.labels).toMatchObject({ 'fluid.io/dataset-id': uid });
    await space.eventually(async () => expect(JSON.stringify(await space.list('Node'))).toContain(`fluid.io/s-juicefs-${uid}`));
    await space.delete('Dataset', jfsName);
    await space.gone('JuiceFSRuntime', jfsName);
    expect(JSON.stringify((await space.list('Node')).map(({ metadata }) => metadata.labels))).not.toContain(uid);
  });

  test('no workers at all is a way to run JuiceFS', async () => {
    const space = await memorySpace();
    await space.create(jfsSecret(), jfsDataset('demo'), jfsRuntime('demo', { replicas: 0 }));
    await space.bound('JuiceFSRuntime', 'demo');
    await space.becomes('JuiceFSRuntime', 'demo', {
      status: { selector: 'app=juicefs,release=demo,role=juicefs-worker', desiredWorkerNumberScheduled: 0 },
    });
  });
});

/** Once its own controllers have written what they had to. */
async function settled(space: MemorySpace, kind: Kind, name: string): Promise<KubeObject> {
  for (;;) {
    const before = await space.get(kind, name);
    await space.at.advance(500);
    const after = await space.get(kind, name);
    if (after.metadata.resourceVersion === before.metadata.resourceVersion) return after;
  }
}

const theirWorkload = (name: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name },
  spec: {
    selector: { matchLabels: { theirs: 'yes' } },
    template: {
      metadata: { labels: { theirs: 'yes' } },
      spec: { nodeSelector: { nowhere: 'yes' }, containers: [{ name: 'main', image: 'registry.example/theirs:1' }] },
    },
  },
});

const csiVolume = (name: string, namespace: string, claim: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteMany'],
    storageClassName: 'theirs',
    claimRef: { namespace, name: claim },
    csi: { driver: 'csi.example.com', volumeHandle: name },
  },
});

const claimOf = (name: string, volumeName: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: { accessModes: ['ReadWriteMany'], storageClassName: 'theirs', volumeName, resources: { requests: { storage: '1Gi' } } },
});
