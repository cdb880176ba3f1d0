import { describe, expect, test } from 'vitest';
import { openDataset, thinProfile, thinRuntime } from '../../../support/objects.ts';
import { boundHarness, type Harness } from '../../harness.ts';

const bound = () => boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })]);
const made = (at: Harness) => at.written({ verb: 'create' });

describe('a runtime that is gone, which its watch does not show yet,', () => {
  const force = (at: Harness) => at.server.remove('ThinRuntime', 'ml', 'demo');
  function crd(at: Harness): void {
    at.server.compact();
    at.server.endWatches('ThinRuntime', { code: 410, reason: 'Expired' } as never);
    at.server.uninstall('ThinRuntime');
  }
  test.each([
    ['its finalizer was removed', force, /RuntimeNotFound/],
    // Which may come again: of its objects nothing is known.
    ['its CRD was deleted', crd, /ApplyFailed: .*404/],
  ])('is not created again: %s (A6)', async (_, leave, reported) => {
    const at = await bound();
    // So that it does not go on for ever.
    at.server.rules.delay({ verb: 'create' }, 500);
    at.server.hold('ThinRuntime');
    leave(at);
    await at.advance(14_000);
    expect(made(at)).toEqual([]);
    const left = at.server.all().filter(({ metadata }) => metadata.labels?.['data.fluid.io/owner-uid']);
    // Volume and claim outlive it in any case.
    expect(left.map(({ kind }) => kind).toSorted()).toEqual(['PersistentVolume', 'PersistentVolumeClaim']);
    expect(Object.values(at.conditions('Dataset')).join('\n')).toMatch(reported);
  });
  test('does not delay the deletion of its Dataset, once its kind was missing for five minutes', async () => {
    const at = await bound();
    crd(at);
    at.server.delete('Dataset', 'ml', 'demo');
    await at.advance(290_000);
    expect(Object.values(at.conditions('Dataset')).join('\n')).toMatch(/DeleteFailed: .*404/);
    await at.advance(400_000);
    expect(at.server.get('Dataset', 'ml', 'demo')).toBeUndefined();
  });
  test('is not created again either where a webhook changes what is created (A6)', async () => {
    const at = await bound();
    at.server.rules.mutate({ verb: 'create' }, (object) => ({
      ...object,
      metadata: { ...object.metadata, labels: { ...object.metadata.labels, by: 'webhook' } },
    }));
    at.server.rules.delay({ verb: 'create' }, 500);
    await at.restart();
    at.server.hold('ThinRuntime');
    force(at);
    await at.advance(14_000);
    const times = Map.groupBy(made(at), (each) => each);
    for (const [what, each] of times) expect(each, what).toHaveLength(1);
  });
});

describe('an object that was deleted', () => {
  const reads = (at: Harness) =>
    at.server
      .requestsThat({ verb: 'get' })
      .map(({ kind }) => kind)
      .filter((kind) => /Dataset|Thin/.test(kind))
      .toSorted();
  test('is created again at once, when its runtime was read to be as it was seen (A6)', async () => {
    const at = await bound();
    at.delete('ConfigMap', 'demo-fuse-conf');
    await at.settle();
    expect(made(at)).toEqual(['create ConfigMap/demo-fuse-conf']);
    expect(reads(at)).toEqual(['Dataset', 'ThinRuntime', 'ThinRuntimeProfile']);
  });
  test('is created again no sooner if it is the record of the last valid plan (A6)', async () => {
    const at = await bound();
    at.delete('ThinRuntimeProfile', 'profile');
    await at.quiet();
    at.server.forgetRequests();
    at.delete('ConfigMap', 'demo-last-valid');
    await at.settle();
    expect(at.get('ConfigMap', 'demo-last-valid')).toBeDefined();
    expect(reads(at)).toEqual(['Dataset', 'ThinRuntime']);
  });
  test('is created again although its runtime could not be read at first (A6)', async () => {
    const at = await bound();
    const rule = at.server.rules.refuse({ verb: 'get', kind: 'ThinRuntime' }, { status: 403, reason: 'Forbidden', message: 'not here' });
    at.delete('ConfigMap', 'demo-fuse-conf');
    await at.advance(20_000);
    expect(made(at)).toEqual([]);
    expect(at.conditions('ThinRuntime')['Synced']).toContain('not here');
    rule.remove();
    await at.advance(60_000);
    expect(made(at)).toEqual(['create ConfigMap/demo-fuse-conf']);
    expect(at.conditions('ThinRuntime')['Synced']).toContain('True');
  });
});

test('a pod that its workload released counts no more, nor once it is deleted (S10)', async () => {
  const worker = { image: 'example.io/worker', imageTag: 'v1' };
  const profile = thinProfile('profile', { fileSystemType: 'fuse.s3fs', fuse: { image: 'example.io/s3fs', imageTag: 'v1' }, worker });
  const runtime = thinRuntime('demo', { profileName: 'profile', worker: { enabled: true }, replicas: 1 });
  const at = await boundHarness([profile, openDataset('demo'), runtime]);
  const workers = at.get('StatefulSet', 'demo-worker')!.metadata;
  const pods = () => at.store.pods({ uid: workers.uid!, namespace: 'ml' }).map(({ metadata }) => metadata.name);
  const cacheNodes = () => at.server.all('Node').filter(({ metadata }) => metadata.labels?.['fluid.io/s-ml-demo']);
  expect([pods(), cacheNodes().length]).toEqual([['demo-worker-0'], 1]);
  at.controllers.paused.add('statefulsets');
  const pod = at.get('Pod', 'demo-worker-0')!;
  const { resourceVersion: _, ownerReferences, ...metadata } = pod.metadata;
  at.put({ ...pod, metadata: { ...metadata, ownerReferences: [] } });
  await at.advance(3_000);
  expect([pods(), cacheNodes().length]).toEqual([[], 0]);
  // Another takes it on.
  at.put({ ...pod, metadata: { ...metadata, ownerReferences: ownerReferences! } });
  await at.advance(3_000);
  expect([pods(), cacheNodes().length]).toEqual([['demo-worker-0'], 1]);
  at.put({ ...pod, metadata: { ...metadata, ownerReferences: [] } });
  at.server.remove('Pod', 'ml', 'demo-worker-0');
  await at.advance(3_000);
  expect([pods(), cacheNodes().length]).toEqual([[], 0]);
});
