/** A reference to a reference would hand on data whose owner was not asked. No edit in between makes one. */
import { describe, expect, test } from 'vitest';
import { annotation } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import * as write from '../support/objects.ts';
import { type Harness, harness } from './harness.ts';
import { statusOf } from './reference-scene.ts';

const SHARED = annotation.sharedWith;
const NAMESPACES = ['a', 'b', 'c'];
const refersTo = (name: string, to: string) => write.datasetObject(name, { mounts: [{ mountPoint: `dataset://${to}` }] });
const put = (at: Harness, namespace: string, object: KubeObject, sharedWith = '') =>
  at.server.put({ ...object, metadata: { ...object.metadata, namespace, annotations: { [SHARED]: sharedWith } } });
function edit(at: Harness, namespace: string, name: string, change: { spec?: object; sharedWith?: string }): void {
  const found = at.server.get('Dataset', namespace, name)!;
  const { resourceVersion: _, ...metadata } = found.metadata;
  const annotations = change.sharedWith === undefined ? metadata.annotations : { [SHARED]: change.sharedWith };
  at.server.put({ ...found, metadata: { ...metadata, ...(annotations && { annotations }) }, ...(change.spec && { spec: change.spec }) });
}
/** A spec that is no reference, and that the runtime of a reference cannot serve. */
const UNPLANNABLE = { mounts: [{ mountPoint: 's3://anything', name: 'x' }] };
const isBound = (at: Harness, namespace: string, name: string) => at.server.get('PersistentVolumeClaim', namespace, name) !== undefined;
const reasonOf = (at: Harness, namespace: string, name: string) =>
  (
    at.server.get('ThinRuntime', namespace, name)?.['status'] as { conditions?: { type: string; reason?: string }[] } | undefined
  )?.conditions?.find(({ type }) => type === 'Synced')?.reason;

/** `c/source` is real and shared with `a` alone; `a/mid` refers to it. */
async function scene(): Promise<Harness> {
  const at = await harness({
    prepare: (server) => NAMESPACES.forEach((name) => server.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
  });
  put(at, 'c', write.openDataset('source'), 'a');
  put(at, 'c', write.thinRuntime('source', { profileName: 'profile' }));
  put(at, 'a', refersTo('mid', 'c/source'), 'b');
  await at.quiet();
  expect(isBound(at, 'a', 'mid')).toBe(true);
  return at;
}

describe('a Dataset whose last valid plan refers to another', () => {
  test.each(['a', 'b'])('is not handed on to namespace %s', async (namespace) => {
    const at = await scene();
    put(at, namespace, refersTo('spy', 'a/mid'));
    edit(at, 'a', 'mid', { spec: UNPLANNABLE });
    await at.quiet();
    await at.advance(400_000);
    expect(reasonOf(at, namespace, 'spy')).toBe('ReferenceNotAllowed');
    expect(isBound(at, namespace, 'spy')).toBe(false);
    expect(statusOf(at, 'c', 'source').datasetRef).toEqual(['a/mid']);
  });
});

describe('a chain of references that an earlier version had made', () => {
  /** As that version did: the volume of `spy` refers to `a/mid`, and its attributes are those of the volume of `c/source`. */
  async function chained(namespace: string): Promise<Harness> {
    const at = await scene();
    put(at, 'c', write.openDataset('source'), `a,${namespace}`);
    put(at, namespace, refersTo('spy', 'c/source'));
    await at.quiet();
    expect(isBound(at, namespace, 'spy')).toBe(true);
    at.kill();
    const volume = at.server.get('PersistentVolume', undefined, `${namespace}-spy`)!;
    const labels = { ...volume.metadata.labels, 'fluid.io/dataset.referring-namespace': 'a', 'fluid.io/dataset.referring-name': 'mid' };
    at.server.put({ ...volume, metadata: { ...volume.metadata, labels } });
    edit(at, namespace, 'spy', { spec: { mounts: [{ mountPoint: 'dataset://a/mid' }] } });
    edit(at, 'c', 'source', { sharedWith: 'a' });
    return at;
  }
  test('ends when the owner of the data does not allow its end', async () => {
    const at = await chained('b');
    await at.restart();
    await at.quiet();
    expect(isBound(at, 'b', 'spy')).toBe(false);
    expect(at.server.get('PersistentVolume', undefined, 'b-spy')).toBeUndefined();
  });
  test('ends with the grant to its namespace, which the owner sees it use until then', async () => {
    const at = await chained('a');
    await at.restart();
    await at.quiet();
    expect(isBound(at, 'a', 'spy')).toBe(true);
    expect(statusOf(at, 'c', 'source').datasetRef).toEqual(['a/mid', 'a/spy']);
    edit(at, 'c', 'source', { sharedWith: '' });
    await at.quiet();
    for (const name of ['mid', 'spy']) expect(isBound(at, 'a', name)).toBe(false);
    expect(statusOf(at, 'c', 'source').datasetRef).toBeUndefined();
  });
  test('keeps the clients of the source for as long as pods read through it', async () => {
    const at = await chained('a');
    await at.restart();
    await at.quiet();
    at.server.put({ ...write.reader('app', 'spy'), metadata: { name: 'app', namespace: 'a' } });
    at.server.delete('ThinRuntime', 'c', 'source');
    await at.quiet();
    expect(at.server.get('DaemonSet', 'c', 'source-fuse')?.metadata.deletionTimestamp).toBeUndefined();
    expect(at.server.get('DaemonSet', 'c', 'source-fuse')).toBeDefined();
    at.server.delete('Pod', 'a', 'app');
    // Each step ends only when the lists of pods have been answered.
    for (let i = 0; i < 12; i++) await at.advance(5000);
    expect(at.server.get('DaemonSet', 'c', 'source-fuse')).toBeUndefined();
  });
});
