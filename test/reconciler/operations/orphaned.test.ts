import { expect, test } from 'vitest';
import { JOB, running, uidOf } from './given.ts';

test('the Job of an operation that was deleted with --cascade=orphan stays', async () => {
  const at = await running();
  const uid = uidOf(at);
  const job = at.get('Job', JOB)!;
  const { ownerReferences: _, ...metadata } = job.metadata;
  at.server.remove('DataLoad', 'ml', 'warm');
  // The garbage collector takes the owner away.
  at.server.put({ ...job, metadata });
  for (let i = 0; i < 3; i++) await at.advance(60_000);
  expect(uid).toBeDefined();
  expect(uidOf(at)).toBe(uid);
});
