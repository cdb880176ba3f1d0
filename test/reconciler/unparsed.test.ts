import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { openDataset, thinProfile, thinRuntime } from '../support/objects.ts';
import { harness } from './harness.ts';

const bare = (kind: string, name: string, spec?: unknown): KubeObject => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind,
  metadata: { name },
  ...(spec !== undefined && { spec }),
});
const runtime = thinRuntime('demo', { profileName: 'profile' });
const profile = thinProfile('profile', { fileSystemType: 'fuse.s3fs', fuse: { image: 'example.io/s3fs', imageTag: 'v1' } });

/** As another CRD, or none that validates, would have stored them. */
test.each<[string, readonly KubeObject[], RegExp]>([
  ['a Dataset without a spec', [bare('Dataset', 'demo'), runtime, profile], /./],
  [
    'a Dataset whose mounts are a text',
    [bare('Dataset', 'demo', { mounts: 'all' }), runtime, profile],
    /^False InvalidSpec: Dataset ml\/demo: spec\.mounts: expected a list/,
  ],
  [
    'a mount that is a number',
    [bare('Dataset', 'demo', { mounts: [3] }), runtime, profile],
    /^False InvalidSpec: Dataset ml\/demo: spec\.mounts\[0\]: expected/,
  ],
  [
    'a profile without a spec',
    [openDataset('demo'), runtime, bare('ThinRuntimeProfile', 'profile')],
    /^False InvalidSpec: ThinRuntimeProfile profile: spec\.fileSystemType: expected/,
  ],
  [
    'a profile whose fuse is a text',
    [openDataset('demo'), runtime, bare('ThinRuntimeProfile', 'profile', { fileSystemType: 'f', fuse: 'x' })],
    /^False InvalidSpec: ThinRuntimeProfile profile: spec\.fuse: expected/,
  ],
])('%s is reported with the field that is wrong, once', async (_, objects, says) => {
  const at = await harness();
  for (const object of objects) at.put(object);
  await at.quiet();
  at.forget();
  await at.advance(120_000);
  const synced = at.conditions('ThinRuntime')['Synced'] ?? '';
  expect(synced).toMatch(says);
  expect(synced).not.toContain('Cannot read');
  expect(at.passes.filter(({ error }) => error)).toEqual([]);
});

test.each([{ mounts: 'all' }, { mounts: [3] }, { mounts: [{}] }, undefined])(
  'a Dataset without a runtime is reported as such whatever its spec is: %j',
  async (spec) => {
    const at = await harness();
    at.put(bare('Dataset', 'demo', spec));
    await at.quiet();
    expect(at.conditions('Dataset')['NotReady']).toBe('True RuntimeNotFound: no runtime is called demo in namespace ml');
  },
);
