import { describe, expect, test } from 'vitest';
import { refer, serve, share, start, statusOf } from './reference-scene.ts';

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
