import { expect, test } from 'vitest';
import { JFS_SECRET, jfsDataset, jfsRuntime, openDataset, thinRuntime } from '../support/objects.ts';
import { condition, PROFILE, says } from '../support/sluice.ts';
import { memorySpace } from './memory-space.ts';

const thin = (name: string, fuse = {}) => [openDataset(name), thinRuntime(name, { profileName: PROFILE, fuse })];

test('60 runtimes at once are bound although one is always refused, and one waits for a Secret', async () => {
  const space = await memorySpace();
  const { server, passes } = space.at;
  const names = Array.from({ length: 60 }, (_, i) => `d${i}`);
  await space.create(
    jfsDataset('waiting'),
    jfsRuntime('waiting'),
    ...thin('failing', { podMetadata: { labels: { 'not a label': 'x' } } }),
    ...names.flatMap((name) => thin(name)),
  );
  await space.eventually(async () => {
    const phases = (await space.list('Dataset')).map(({ status }) => (status as { phase?: string } | undefined)?.phase);
    expect(phases.filter((phase) => phase === 'Bound')).toHaveLength(names.length);
  });
  const refused = { status: 'False', reason: 'ApplyFailed', message: says('DaemonSet/failing-fuse', 'not a label') };
  await space.becomes('ThinRuntime', 'failing', condition('Synced', refused));
  await space.becomes('JuiceFSRuntime', 'waiting', condition('Synced', { status: 'False', reason: 'SecretNotFound' }));
  // A key that always fails is tried less and less often.
  await space.at.advance(10_000);
  const failures = () =>
    passes.filter(({ key, error, outcome }) => key.endsWith('/failing') && (error ?? outcome?.kind === 'failed')).length;
  const tried = failures();
  expect(tried).toBeGreaterThan(0);
  await space.at.advance(3000);
  expect(failures() - tried).toBeLessThanOrEqual(1);
  // So is the Secret that is missing; and Secrets are never listed.
  const lookups = server.requestsThat({ kind: 'Secret', manager: 'sluice' });
  expect(lookups.filter(({ name }) => name === JFS_SECRET).length).toBeLessThanOrEqual(10);
  expect(lookups.filter(({ verb }) => verb !== 'get')).toEqual([]);
});
