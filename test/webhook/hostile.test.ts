import { expect, test } from 'vitest';
import type { KnownObjects } from '../../src/webhook/known.ts';
import { mutate } from '../../src/webhook/mutate.ts';
import { plugins } from '../../src/webhook/plugins/index.ts';
import { defaultProfile } from '../../src/webhook/profile/default-profile.ts';
import { parseProfile } from '../../src/webhook/profile/parse.ts';
import { knownOf } from './known.ts';

const VOLUMES = 1000;

test('a pod with a thousand volumes costs a few lookups for each, and its hints stay bounded', () => {
  const names = Array.from({ length: VOLUMES }, (_, i) => `d${i}`);
  const all = knownOf({
    claims: Object.fromEntries(names.map((name) => [`ml/${name}`, { dataset: name }])),
    datasets: Object.fromEntries(
      names.map((name) => [`ml/${name}`, { identity: { namespace: 'ml', name, uid: name, collides: false }, phase: 'Bound' }]),
    ),
  });
  let lookups = 0;
  const counted = Object.fromEntries(
    Object.entries(all).map(([name, find]) => [name, (...args: string[]) => (lookups++, (find as (...a: string[]) => unknown)(...args))]),
  ) as unknown as KnownObjects;
  const pod = mutate(
    {
      namespace: 'ml',
      pod: {
        metadata: { labels: { 'fuse.serverful.fluid.io/inject': 'true' } },
        spec: {
          containers: [{ name: 'main', volumeMounts: names.map((name) => ({ name, mountPath: `/${name}` })) }],
          volumes: names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
        },
      },
    },
    {
      known: counted,
      profile: parseProfile(defaultProfile, plugins),
      settings: { disabled: false, nativeSidecars: true, prefetcher: { image: 'sluice', isOurs: true } },
      random: () => '0',
      warn() {},
    },
  );
  expect(lookups).toBeLessThanOrEqual(8 * VOLUMES);
  expect(pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution).toHaveLength(VOLUMES);
});
