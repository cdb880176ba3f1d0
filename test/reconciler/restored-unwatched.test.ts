import { expect, test } from 'vitest';
import { refer, serve, start } from './reference-scene.ts';

test('the volume of a runtime that no watch shows yet is none that another cluster has left', async () => {
  const at = await start();
  serve(at, 'ml');
  refer(at);
  await at.quiet();
  const before = at.get('ThinRuntime')?.metadata.uid;
  at.server.hold('ThinRuntime');
  for (const kind of ['ThinRuntime', 'PersistentVolumeClaim'] as const) at.server.remove(kind, 'ml', 'demo');
  at.server.remove('PersistentVolume', undefined, 'ml-demo');
  at.server.forgetRequests();
  for (let i = 0; i < 5; i++) await at.advance(60_000);
  expect(at.get('ThinRuntime')?.metadata.uid).not.toBe(before);
  expect(at.dataset().phase).toBe('Bound');
  const volumes = { kind: 'PersistentVolume', name: 'ml-demo' };
  expect(at.server.requestsThat({ verb: 'create', ...volumes })).toHaveLength(1);
  expect(at.server.requestsThat({ verb: 'delete', ...volumes })).toEqual([]);
  at.server.release('ThinRuntime');
  await at.quiet();
  // Once it is deleted, it owns nothing any more.
  at.server.delete('Dataset', 'ml', 'demo');
  await at.quiet();
  expect(at.server.all('PersistentVolume').map(({ metadata }) => metadata.name)).toEqual(['default-source']);
});
