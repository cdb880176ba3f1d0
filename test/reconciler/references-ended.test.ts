import { describe, expect, test } from 'vitest';
import * as write from '../support/objects.ts';
import { refer, serve, share, start, statusOf } from './reference-scene.ts';

test('a runtime that is deleted alone waits for pods that read through references, and names none of them', async () => {
  const at = await start();
  serve(at, 'ml');
  refer(at);
  for (const name of ['idle', 'other'])
    at.put(write.datasetObject(name, { mounts: [{ mountPoint: 'dataset://default/source' }] }, { namespace: 'ml' }));
  await at.quiet();
  at.put(write.reader('secret-reader', 'demo'));
  at.server.delete('ThinRuntime', 'default', 'source');
  await at.quiet();
  expect(at.server.get('DaemonSet', 'default', 'source-fuse')).toBeDefined();
  const notes = at.events.map(({ note }) => note);
  expect(notes).toContain('waiting for pods that mount Datasets which refer to this one: ml/demo');
  expect(notes.join()).not.toContain('secret-reader');
  at.delete('Pod', 'secret-reader');
  // Each step ends only when the lists of pods have been answered.
  for (let i = 0; i < 12; i++) await at.advance(5_000);
  expect(at.server.get('ThinRuntime', 'default', 'source')).toBeUndefined();
});

describe('the status of a Dataset no longer names a reference', () => {
  test('that was deleted', async () => {
    const at = await start();
    serve(at, 'ml');
    refer(at);
    await at.quiet();
    expect(statusOf(at, 'default', 'source').datasetRef).toEqual(['ml/demo']);
    at.delete('Dataset');
    await at.quiet();
    expect(at.get('Dataset')).toBeUndefined();
    expect(statusOf(at, 'default', 'source').datasetRef).toBeUndefined();
  });
  test('that was withdrawn, also when the status of the reference is written late', async () => {
    const at = await start();
    serve(at, 'ml');
    refer(at);
    await at.quiet();
    at.server.rules.refuse({ verb: 'patch', kind: 'Dataset', name: 'demo', subresource: 'status', times: 5 }, { status: 403 });
    share(at, 'other');
    await at.quiet();
    expect(at.dataset().phase).toBe('NotBound');
    expect(statusOf(at, 'default', 'source').datasetRef).toBeUndefined();
  });
});

test('a Dataset whose deletion no watch shows gets no other runtime', async () => {
  const at = await start();
  refer(at);
  await at.quiet();
  expect(at.get('ThinRuntime')).toBeDefined();
  at.server.hold('Dataset');
  at.server.delete('Dataset', 'ml', 'demo');
  let created = 0;
  // An answer to each of them would keep this loop going for ever.
  at.server.rules.add({ verb: 'create', kind: 'ThinRuntime' }, { before: () => (++created > 5 ? new Promise(() => {}) : undefined) });
  await at.quiet();
  expect(created).toBeLessThan(2);
  expect(at.get('ThinRuntime')).toBeUndefined();
});
