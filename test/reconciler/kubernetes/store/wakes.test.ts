import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../../src/kube/types.ts';
import { openDataset, thinProfile, thinRuntime } from '../../../support/objects.ts';
import { type Harness, harness } from '../../harness.ts';

const profile = (name: string): KubeObject =>
  thinProfile(name, { fileSystemType: 'fuse.x', fuse: { image: 'example.io/fuse', imageTag: 'v1' } });

/** Two datasets, each with a profile of its own. */
async function two(): Promise<Harness> {
  const at = await harness();
  for (const name of ['one', 'two']) {
    at.server.put(profile(name));
    at.put(openDataset(name));
    at.put(thinRuntime(name, { profileName: name }));
  }
  await at.quiet();
  return at;
}
/** Which keys were looked at because of this. */
async function passesAfter(at: Harness, what: () => void): Promise<readonly string[]> {
  const before = at.passes.length;
  what();
  await at.settle();
  return [...new Set(at.passes.slice(before).map(({ key }) => key))].toSorted();
}
function edit(at: Harness, kind: string, name: string, change: (object: KubeObject) => object): void {
  const object = at.server.all(kind).find(({ metadata }) => metadata.name === name)!;
  const { resourceVersion: _, ...metadata } = object.metadata;
  at.server.put({ ...object, metadata, ...change({ ...object, metadata }) } as KubeObject);
}

test('a profile wakes the runtimes that use it, and no others (S11)', async () => {
  const at = await two();
  const passes = await passesAfter(at, () =>
    edit(at, 'ThinRuntimeProfile', 'one', ({ spec }) => ({
      spec: { ...(spec as object), fuse: { image: 'example.io/fuse', imageTag: 'v9' } },
    })),
  );
  expect(passes).toEqual(['ml/one']);
});

test('a profile of which nothing changed that a plan may depend on wakes no key (S12)', async () => {
  const at = await two();
  const passes = await passesAfter(at, () =>
    edit(at, 'ThinRuntimeProfile', 'one', ({ metadata }) => ({ metadata: { ...metadata, finalizers: ['example.io/kept'] } })),
  );
  expect(passes).toEqual([]);
});

test('a runtime or Dataset of which nothing changed that a pass reads wakes no key (S12)', async () => {
  const at = await two();
  for (const kind of ['ThinRuntime', 'Dataset']) {
    const selfLink = passesAfter(at, () => edit(at, kind, 'one', ({ metadata }) => ({ metadata: { ...metadata, selfLink: '/changed' } })));
    expect(await selfLink, kind).toEqual([]);
    const label = passesAfter(at, () => edit(at, kind, 'one', ({ metadata }) => ({ metadata: { ...metadata, labels: { mine: 'yes' } } })));
    expect(await label, kind).toEqual(['ml/one']);
  }
});

test('a runtime whose profile is created after it is set up then (S11)', async () => {
  const at = await two();
  at.put(openDataset('late'));
  at.put(thinRuntime('late', { profileName: 'late' }));
  await at.settle();
  at.server.put(profile('late'));
  await at.quiet();
  expect(at.dataset('late').phase).toBe('Bound');
});

test('fuse pods that come and go wake no key, but one of an older template does (S12)', async () => {
  const at = await two();
  const daemonSet = at.get('DaemonSet', 'one-fuse')!;
  const fusePod = (name: string, generation: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'ml',
      labels: { 'fluid.io/dataset-id': 'ml-one', 'pod-template-generation': generation },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'one-fuse', uid: daemonSet.metadata.uid!, controller: true }],
    },
    spec: { nodeName: 'node-1', containers: [{ name: 'fuse' }] },
    status: { phase: 'Running' },
  });
  // The DaemonSet's own counts would be news.
  at.controllers.paused.add('daemonsets');
  at.controllers.paused.add('garbage');
  const newest = daemonSet.metadata.annotations?.['deprecated.daemonset.template.generation'] ?? '';
  expect(newest).not.toBe('');
  const comesAndGoes = (pod: KubeObject) => () => {
    at.server.put(pod);
    at.server.delete('Pod', 'ml', pod.metadata.name);
  };
  expect(await passesAfter(at, comesAndGoes(fusePod('one-fuse-a', newest)))).toEqual([]);
  expect(await passesAfter(at, comesAndGoes(fusePod('one-fuse-b', `before-${newest}`)))).toEqual(['ml/one']);
});

test('a claim that becomes Bound wakes no key, since no pass waits for it; one that is Lost does (S12)', async () => {
  const at = await harness();
  at.controllers.paused.add('claims');
  at.put(openDataset('demo'));
  at.put(thinRuntime('demo', { profileName: 'profile' }));
  await at.quiet();
  expect(at.get('PersistentVolumeClaim')?.['status']).toEqual({ phase: 'Pending' });
  expect(
    await passesAfter(at, () => {
      at.controllers.paused.delete('claims');
      at.controllers.settle();
    }),
  ).toEqual([]);
  expect(at.get('PersistentVolumeClaim')?.['status']).toMatchObject({ phase: 'Bound' });
  const lose = () => edit(at, 'PersistentVolumeClaim', 'demo', () => ({ status: { phase: 'Lost' } }));
  at.controllers.paused.add('claims');
  expect(await passesAfter(at, lose)).toEqual(['ml/demo']);
});

test('our own write of a Dataset wakes no key, but its phase Bound does: more is done for it then (S4)', async () => {
  const at = await harness();
  at.put(openDataset('demo'));
  await at.settle();
  at.start();
  await at.settle();
  expect(at.written()).toEqual(['patch Dataset/demo']);
  expect(at.passes).toHaveLength(1);
});

test('a DaemonSet that its controller has seen wakes no key, but its first pod does (S12)', async () => {
  const at = await harness();
  at.controllers.paused.add('daemonsets');
  at.put(openDataset('demo'));
  at.put(thinRuntime('demo', { profileName: 'profile' }));
  await at.quiet();
  const status = { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0, observedGeneration: 1 };
  const seen = (counts: object) => () => edit(at, 'DaemonSet', 'demo-fuse', () => ({ status: { ...status, ...counts } }));
  expect(await passesAfter(at, seen({}))).toEqual([]);
  expect(await passesAfter(at, seen({ currentNumberScheduled: 1, desiredNumberScheduled: 1 }))).toEqual(['ml/demo']);
});

describe('an object that another tenant labels as a runtime’s', () => {
  const other = { namespace: 'default', labels: { 'fluid.io/dataset-id': 'ml-one' } };
  const ownerOf = (at: Harness) => at.get('ThinRuntime', 'one')!.metadata.uid!;
  const claimed = (at: Harness, name = 'x'): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...other, name, labels: { 'data.fluid.io/owner-uid': ownerOf(at) } },
  });
  const podOf = (workload: KubeObject): KubeObject => {
    const { apiVersion, kind, metadata } = workload;
    const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid!, controller: true }];
    return { apiVersion: 'v1', kind: 'Pod', metadata: { ...other, name: 'p', ownerReferences }, spec: { containers: [] } };
  };

  test('wakes no key, and is not in its inventory (S8)', async () => {
    const at = await two();
    const before = at.store.inventory({ uid: ownerOf(at), namespace: 'ml' });
    expect(await passesAfter(at, () => at.server.put(claimed(at)))).toEqual([]);
    expect(at.store.inventory({ uid: ownerOf(at), namespace: 'ml' })).toEqual(before);
  });
  test('wakes no key by its pods (S8)', async () => {
    const at = await two();
    const { spec, ...fuse } = at.get('DaemonSet', 'one-fuse')!;
    const { labels } = claimed(at).metadata;
    const workload = at.server.put({ ...fuse, kind: 'StatefulSet', spec, metadata: { ...other, name: 'x', labels: labels! } });
    await at.settle();
    expect(await passesAfter(at, () => at.server.put(podOf(workload)))).toEqual([]);
  });
  test('is no pod of its workloads (S10)', async () => {
    const at = await two();
    const { metadata } = at.get('DaemonSet', 'one-fuse')!;
    at.server.put(podOf(at.get('DaemonSet', 'one-fuse')!));
    await at.settle();
    expect(at.store.pods({ uid: metadata.uid!, namespace: 'ml' })).toEqual([]);
  });
  test('is not looked at when those of its workloads are (S10)', async () => {
    const at = await two();
    at.controllers.paused.add('daemonsets');
    const workload = at.get('DaemonSet', 'one-fuse')!;
    const pod = podOf(workload);
    at.server.put({ ...pod, metadata: { ...pod.metadata, namespace: 'ml' } });
    await at.settle();
    const own = at.store.pods({ uid: workload.metadata.uid!, namespace: 'ml' });
    expect(own).toHaveLength(1);
    for (let i = 0; i < 3; i++) at.server.put({ ...pod, metadata: { ...pod.metadata, name: `forged-${i}` } });
    await at.settle();
    // The same list: a list of them all would be filtered anew.
    expect(at.store.pods({ uid: workload.metadata.uid!, namespace: 'ml' })).toBe(own);
  });
});
