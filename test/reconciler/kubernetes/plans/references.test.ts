import { describe, expect, test } from 'vitest';
import thin from '../../../../runtimes/thin/index.ts';
import type { KubeObject } from '../../../../src/kube/types.ts';
import { referenceFact } from '../../../../src/reconciler/kubernetes/plans/references.ts';
import mirror, { type MirrorRuntimeSpec } from '../../../support/mirror-runtime.ts';
import * as write from '../../../support/objects.ts';
import pair from '../../../support/pair-runtime/index.ts';
import { pairFileSystem } from '../../../support/pair-exec.ts';
import { type Harness, harness } from '../../harness.ts';

const mirrorRuntime = (name: string, spec: MirrorRuntimeSpec): KubeObject => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'MirrorRuntime',
  metadata: { name },
  spec,
});
const start = async (): Promise<Harness> => {
  const files = Object.assign(pairFileSystem(), { leader: 'source-pairfs-master-1' });
  const at = await harness({ runtimes: [thin, pair, mirror], exec: files.exec, probeMs: 60_000 });
  at.start();
  return at;
};
function refer(at: Harness, spec: MirrorRuntimeSpec = { dataset: 'source' }): void {
  at.put(write.openDataset('demo'));
  at.put(mirrorRuntime('demo', spec));
}
function serve(at: Harness): void {
  at.put(write.openDataset('source'));
  at.put(write.pairRuntime('source', {}));
}
const attributes = (at: Harness, name: string) =>
  (at.get('PersistentVolume', name) as unknown as { spec: { csi: { volumeAttributes: Record<string, string> } } } | undefined)?.spec.csi
    .volumeAttributes;
const synced = (at: Harness) => at.conditions('MirrorRuntime')['Synced'];

describe('a Dataset that refers to another', () => {
  test('is bound once that one is, with its volume in the same place', async () => {
    const at = await start();
    refer(at);
    await at.quiet();
    expect(at.dataset().phase).toBe('NotBound');
    expect(synced(at)).toBe('False DatasetNotFound: Dataset ml/source does not exist');
    serve(at);
    await at.quiet();
    expect([at.dataset('source').phase, at.dataset().phase]).toEqual(['Bound', 'Bound']);
    expect(attributes(at, 'ml-demo')).toMatchObject({
      fluid_path: '/runtime-mnt/pair/ml/source/pairfs-fuse',
      mount_pod_node_selector_key: 'fluid.io/f-ml-source',
      mount_type: 'mirror-of-pairnew',
    });
  });
  test('is reconciled at once when that one changes, without a timer', async () => {
    const at = await start();
    at.controllers.unready.add('ml/source-pairfs-worker');
    serve(at);
    refer(at);
    await at.advance(3_600_000);
    expect(synced(at)).toBe('False DatasetNotBound: Dataset ml/source is not bound');
    at.forget();
    await at.advance(3_600_000);
    expect(at.passes.filter(({ key }) => key === 'ml/demo')).toEqual([]);
    at.controllers.unready.delete('ml/source-pairfs-worker');
    at.edit('PairRuntime', { replicas: 2 }, 'source');
    await at.advance(2000);
    expect([at.dataset('source').phase, at.dataset().phase]).toEqual(['Bound', 'Bound']);
  });
  test('follows the status of that one', async () => {
    const at = await start();
    refer(at);
    serve(at);
    await at.quiet();
    expect(at.runtime('MirrorRuntime').cacheStates).toEqual({ workers: '1', ...at.dataset('source').cacheStates });
    at.edit('PairRuntime', { replicas: 2 }, 'source');
    await at.quiet();
    expect(at.runtime('MirrorRuntime').cacheStates).toMatchObject({ workers: '2' });
  });
  test('keeps its last plan when that one is deleted, and reports it; it follows when that one exists again', async () => {
    const at = await start();
    refer(at);
    serve(at);
    await at.quiet();
    const before = attributes(at, 'ml-demo');
    at.delete('PairRuntime', 'source');
    await at.quiet();
    expect(at.get('PersistentVolume', 'ml-source')).toBeUndefined();
    expect(at.dataset().phase).toBe('Bound');
    expect(attributes(at, 'ml-demo')).toEqual(before);
    expect(synced(at)).toMatch(
      /^False DatasetNotBound: Dataset ml\/source is not bound; until that is mended the last valid plan stays in force/,
    );
    // Another process knows of it by what this one has recorded.
    at.kill();
    await at.restart();
    await at.quiet();
    expect(attributes(at, 'ml-demo')).toEqual(before);
    at.put(write.pairRuntime('source', {}));
    await at.quiet();
    expect(synced(at)).toMatch(/^True/);
  });
  test('goes on while the spec of that one does not parse', async () => {
    const at = await start();
    refer(at);
    serve(at);
    await at.quiet();
    at.put({ ...at.get('Dataset', 'source')!, spec: { mounts: 'all' } });
    await at.quiet();
    expect(at.conditions('PairRuntime', 'source')['Synced']).toMatch(/^False InvalidSpec/);
    expect(synced(at)).toMatch(/^True/);
  });
  test('writes nothing on that one but that it is referred to', async () => {
    const at = await start();
    serve(at);
    await at.quiet();
    at.forget();
    refer(at);
    await at.quiet();
    expect(at.dataset().phase).toBe('Bound');
    expect(at.written().filter((each) => each.includes('source'))).toEqual(['patch Dataset/source/status']);
    expect(at.dataset('source').datasetRef).toEqual(['ml/demo']);
  });
  test('gets nothing of the conditions of that one', async () => {
    const at = await start();
    refer(at);
    serve(at);
    await at.quiet();
    const [client, user] = [at.server.client({ fieldManager: 'test' }), { namespace: 'ml', name: 'demo', volume: 'ml-demo', bound: true }];
    const fact = await referenceFact({ client, store: at.store }, user, { namespace: 'ml', name: 'source' });
    expect(fact).toMatchObject({ runtime: { kind: 'PairRuntime', type: 'pair', engine: 'pairnew', status: { workerPhase: 'Ready' } } });
    expect(JSON.stringify(fact)).not.toMatch(/[cC]onditions|Reason|claimRef|message/);
  });
  test('gets nothing of a volume of that name that belongs to another namespace', async () => {
    const at = await start();
    serve(at);
    await at.quiet();
    // From now on it stays so.
    await at.pass({ namespace: 'ml', name: 'demo' });
    const volume = at.get('PersistentVolume', 'ml-source') as KubeObject & { readonly spec: object };
    at.server.remove('PersistentVolume', undefined, 'ml-source');
    // As a runtime that is gone may leave it: `a/b-c` and `a-b/c` want the same name.
    const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'default', name: 'theirs' };
    at.put({
      ...volume,
      metadata: { name: 'ml-source', labels: { 'data.fluid.io/owner-uid': 'another' } },
      spec: { ...volume.spec, claimRef },
    });
    await at.settle();
    const [client, user] = [at.server.client({ fieldManager: 'test' }), { namespace: 'ml', name: 'demo', volume: 'ml-demo', bound: true }];
    expect(await referenceFact({ client, store: at.store }, user, { namespace: 'ml', name: 'source' })).toEqual({
      reason: 'DatasetNotBound',
      message: 'Dataset ml/source is not bound',
    });
  });
  test.each<[string, MirrorRuntimeSpec, string]>([
    [
      'of another namespace',
      { namespace: 'default', dataset: 'source' },
      'Dataset default/source does not exist, or its owner does not allow namespace ml to use it: expected its annotation data.fluid.io/shared-with to list ml',
    ],
    ['that is itself', { dataset: 'demo' }, 'expected a reference to another Dataset, found Dataset ml/demo itself'],
  ])('cannot refer to one %s, whether or not that exists', async (_, spec, message) => {
    const at = await start();
    for (const object of [write.openDataset('source'), write.pairRuntime('source', {})])
      at.put({ ...object, metadata: { ...object.metadata, namespace: 'default' } });
    refer(at, spec);
    await at.quiet();
    expect(synced(at)).toBe(`False ReferenceNotAllowed: ${message}`);
  });
});
