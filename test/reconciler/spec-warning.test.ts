import { expect, test } from 'vitest';
import { openDataset, thinProfile, thinRuntime } from '../support/objects.ts';
import { boundHarness } from './harness.ts';

const profile = (fuse: object = {}) =>
  thinProfile('profile', { fileSystemType: 'fuse.s3fs', fuse: { image: 'i', imageTag: 'v1', ...fuse } });

test('a field of a profile without an effect is reported on each runtime that uses it, as long as it has none', async () => {
  const at = await boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })]);
  at.put(profile());
  await at.quiet();
  expect(at.conditions('ThinRuntime')['SpecWarning']).toBeUndefined();
  at.put(profile({ nodeSelector: { disk: 'ssd' } }));
  await at.quiet();
  expect(at.conditions('ThinRuntime')['SpecWarning']).toMatch(
    /^True SpecPartlyIgnored: ThinRuntimeProfile profile: spec\.fuse\.nodeSelector: write it into/,
  );
  expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^True/);
  expect(at.events.filter(({ reason }) => reason === 'SpecPartlyIgnored')).toHaveLength(1);
  at.put(profile());
  await at.quiet();
  expect(at.conditions('ThinRuntime')['SpecWarning']).toBeUndefined();
});
