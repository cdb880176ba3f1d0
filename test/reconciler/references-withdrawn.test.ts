import { describe, expect, test } from 'vitest';
import * as write from '../support/objects.ts';
import type { Harness } from './harness.ts';
import { refer, serve, share, start, statusOf } from './reference-scene.ts';

const isGoing = (at: Harness) => at.get('PersistentVolumeClaim')?.metadata.deletionTimestamp !== undefined;

describe('withdrawn consent ends the use of a reference', () => {
  test('whose status does not say yet that it is bound', async () => {
    const at = await start();
    serve(at, 'ml');
    await at.quiet();
    at.server.rules.refuse({ verb: 'patch', kind: 'Dataset', name: 'demo', subresource: 'status' }, { status: 403 });
    refer(at);
    await at.advance(2000);
    expect(at.get('PersistentVolumeClaim')).toBeDefined();
    share(at, 'other');
    await at.advance(20_000);
    expect(at.get('PersistentVolumeClaim')).toBeUndefined();
    expect(at.get('PersistentVolume', 'ml-demo')).toBeUndefined();
    expect(statusOf(at, 'default', 'source').datasetRef).toBeUndefined();
  });
  test.each(['Dataset', 'ThinRuntime'])('whose %s is being deleted, which waits for pods', async (kind) => {
    const at = await start();
    serve(at, 'ml');
    refer(at);
    await at.quiet();
    at.put(write.reader('reader', 'demo'));
    at.delete(kind);
    await at.quiet();
    expect(isGoing(at)).toBe(false);
    share(at, 'other');
    await at.quiet();
    expect(isGoing(at)).toBe(true);
    at.delete('Pod', 'reader');
    await at.quiet();
    expect(at.get('PersistentVolumeClaim')).toBeUndefined();
    expect(at.get('Dataset') === undefined).toBe(kind === 'Dataset');
  });
  test('whose Dataset was deleted without its runtime, also after a restart', async () => {
    const at = await start();
    serve(at, 'ml');
    refer(at);
    await at.quiet();
    await at.server.client().delete(at.server.typeOf('Dataset'), { namespace: 'ml', name: 'demo' }, { propagation: 'Orphan' });
    await at.quiet();
    expect(at.get('Dataset')).toBeUndefined();
    expect(at.get('PersistentVolumeClaim')).toBeDefined();
    at.kill();
    await at.restart();
    await at.quiet();
    share(at, 'other');
    await at.quiet();
    expect(at.get('PersistentVolumeClaim')).toBeUndefined();
    expect(at.get('PersistentVolume', 'ml-demo')).toBeUndefined();
  });
  test('only if a fresh read of the other Dataset confirms it', async () => {
    const at = await start();
    serve(at, 'ml');
    refer(at);
    await at.quiet();
    const { uid } = at.get('PersistentVolumeClaim')!.metadata;
    const held = at.server.rules.hold({ verb: 'get', kind: 'Dataset', name: 'source' });
    share(at, 'other');
    await at.settle();
    at.server.hold('Dataset');
    share(at, 'ml');
    held.release();
    await at.quiet();
    expect(at.get('PersistentVolumeClaim')?.metadata).toMatchObject({ uid });
    expect(isGoing(at)).toBe(false);
  });
});
