/** Datasets of every kind, restored where the garbage collector and the volume controller are Kubernetes' own, and every UID is another. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/types.ts';
import { customKinds, type Kind, kinds, madeKinds } from '../../support/kinds.ts';
import * as write from '../../support/objects.ts';
import { cacheClass } from '../../support/plainfs.ts';
import { put, restorable, type Way } from '../../support/restore-tools.ts';
import { eventually, PROFILE, type RuntimeKind, type Sluice, type Space, startSluice } from '../../support/sluice.ts';
import { sharedControlPlane, simulated } from '../../support/test-cluster.ts';

const disk = { levels: [{ mediumtype: 'SSD' as const, path: '/cache', quota: '2Gi' }] };
const memory = { levels: [{ mediumtype: 'MEM' as const, quota: '64Mi' }] };
const dataset = (name: string, mountPoint: string, options = {}) =>
  write.datasetObject(name, { placement: 'Shared', mounts: [{ mountPoint, name: 'data', options }] });

const DATASETS: Readonly<Record<string, readonly [RuntimeKind, (namespace: string) => readonly KubeObject[]]>> = {
  thin: ['ThinRuntime', () => [dataset('thin', 's3://bucket'), write.thinRuntime('thin', { profileName: PROFILE })]],
  jfs: ['JuiceFSRuntime', () => [write.jfsSecret(), write.jfsDataset('jfs'), write.jfsRuntime('jfs')]],
  alluxio: ['AlluxioRuntime', () => [dataset('alluxio', 's3://b'), write.alluxioRuntime('alluxio', { replicas: 1, tieredstore: disk })]],
  cache: ['CacheRuntime', (namespace) => [dataset('cache', 's3://b'), write.cacheRuntime('cache', { runtimeClassName: namespace })]],
  jindo: [
    'JindoRuntime',
    () => [
      dataset('jindo', 'oss://bucket/data', { 'fs.oss.endpoint': 'oss.example' }),
      write.jindoRuntime('jindo', { replicas: 1, tieredstore: disk }),
    ],
  ],
  efc: [
    'EFCRuntime',
    () => [
      dataset('efc', 'nfs://0a0b0c0d-x.cn-hangzhou.nas.aliyuncs.com:/images'),
      write.efcRuntime('efc', { replicas: 1, tieredstore: disk }),
    ],
  ],
  vineyard: [
    'VineyardRuntime',
    () => [
      write.datasetObject('vineyard', { placement: 'Shared' }),
      write.vineyardRuntime('vineyard', { replicas: 1, tieredstore: memory }),
    ],
  ],
};
const process = {
  dataset: { name: 'jfs', mountPath: '/data' },
  processor: { script: { image: 'busybox', imageTag: '1', command: ['sh'], source: 'ls /data' } },
};
const KINDS = [...new Set<Kind>([...customKinds, ...madeKinds, 'Pod'])].filter((kind) => kind !== 'ExampleRuntime');

describe.skipIf(!simulated)('Datasets of all kinds from another cluster', () => {
  let sluice: Sluice;
  let space: Space;
  let objects: readonly KubeObject[];

  beforeAll(async () => {
    sluice = await startSluice(sharedControlPlane());
    space = await sluice.space('restored');
    await space.create(cacheClass(space.namespace));
    for (const [, make] of Object.values(DATASETS)) await space.create(...make(space.namespace));
    await allBound();
    await space.create({ apiVersion: 'data.fluid.io/v1alpha1', kind: 'DataProcess', metadata: { name: 'busy' }, spec: process });
    await space.becomes('DataProcess', 'busy', { status: { phase: 'Executing' } });
    objects = await everything();
    await allDeleted();
  }, 240_000);
  afterAll(() => sluice?.stop(), 120_000);

  const allBound = async () => {
    for (const [name, [kind]] of Object.entries(DATASETS)) await space.bound(kind, name, 60);
  };
  async function everything(): Promise<readonly KubeObject[]> {
    const lists = await Promise.all(
      KINDS.map(async (kind) => (await space.list(kind)).map((each) => ({ ...each, apiVersion: versionOf(kind), kind }))),
    );
    return lists.flat().filter((object: KubeObject) => {
      const { claimRef } = (object['spec'] ?? {}) as { readonly claimRef?: { readonly namespace?: string } };
      const isRoot = object.metadata.name === 'kube-root-ca.crt' || object.metadata.name === 'default';
      return !isRoot && (object.kind !== 'PersistentVolume' || claimRef?.namespace === space.namespace);
    });
  }
  async function allDeleted(): Promise<void> {
    if (await space.find('DataProcess', 'busy')) await space.delete('DataProcess', 'busy');
    await space.gone('DataProcess', 'busy', 60);
    for (const name of Object.keys(DATASETS)) if (await space.find('Dataset', name)) await space.delete('Dataset', name);
    if (await space.find('Secret', write.JFS_SECRET)) await space.delete('Secret', write.JFS_SECRET);
    for (const name of Object.keys(DATASETS)) await space.gone('Dataset', name, 60);
    await eventually(async () => expect(await space.made()).toEqual([]), 60);
    await eventually(
      async () => expect((await everything()).filter(({ kind }) => kind === 'Pod' || kind.endsWith('Runtime'))).toEqual([]),
      60,
    );
  }
  async function restore(way: Way): Promise<void> {
    for (const object of restorable(objects, way)) await put(sluice.client, kinds[object.kind as Kind], object, way);
  }
  /** Objects that know a UID of the first cluster, but for records that count with the right UID only. */
  async function strangers(): Promise<readonly string[]> {
    const old = new Set(objects.map(({ metadata }) => metadata.uid ?? ''));
    return (await everything()).flatMap((object) => {
      const { managedFields: _, ...metadata } = object.metadata;
      const known = JSON.stringify({ ...object, metadata }).match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? [];
      return known.some((uid) => old.has(uid)) ? [`${object.kind}/${object.metadata.name}`] : [];
    });
  }

  test.each<Way>([
    { tool: 'velero', withStatus: true },
    { tool: 'velero', withStatus: false },
    { tool: 'velero-page', withStatus: true },
    { tool: 'page' },
  ])('are Bound after $tool, with status: $withStatus, twice over, and leave nothing', { timeout: 300_000 }, async (way) => {
    await restore(way);
    await allBound();
    await restore(way);
    await allBound();
    await eventually(async () => expect(await strangers()).toEqual([]), 60);
    await space.becomes('DataProcess', 'busy', { status: { phase: 'Complete' } }, 60);
    const volumes = (await everything()).filter(({ kind }) => kind === 'PersistentVolume').map(({ metadata }) => metadata.name);
    expect(volumes.toSorted()).toEqual(
      Object.keys(DATASETS)
        .map((name) => `${space.namespace}-${name}`)
        .toSorted(),
    );
    await allDeleted();
  });

  test('of which the garbage collector takes those that name old owners come with the commands of the page', {
    timeout: 300_000,
  }, async () => {
    await restore({ tool: 'kubectl' });
    await eventually(
      async () =>
        expect((await everything()).filter(({ metadata }) => metadata.ownerReferences?.length && metadata.deletionTimestamp)).toEqual([]),
      60,
    );
    await restore({ tool: 'page' });
    await allBound();
    await eventually(async () => expect(await strangers()).toEqual([]), 60);
    await allDeleted();
  });
});
const versionOf = (kind: Kind): string => (kinds[kind].group ? `${kinds[kind].group}/${kinds[kind].version}` : kinds[kind].version);
