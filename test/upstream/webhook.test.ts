import { describe, expect, test } from 'vitest';
import type { Manifest } from '../../src/api/index.ts';
import { mutate } from '../../src/webhook/mutate.ts';
import { plugins } from '../../src/webhook/plugins/index.ts';
import type { Pod } from '../../src/webhook/pod.ts';
import { defaultProfile } from '../../src/webhook/profile/default-profile.ts';
import { parseProfile } from '../../src/webhook/profile/parse.ts';
import { hasGoldens } from './cases.ts';
import { type Leaves, leavesOf } from './leaves.ts';
import { readWebhookCases, type WebhookCase } from './webhook-cases.ts';
import { type PodDifference, podDenials, podDifferences } from './webhook-differences.ts';

const context = {
  // As Fluid is by default.
  settings: {
    disabled: false,
    nativeSidecars: false,
    prefetcher: { image: 'fluidcloudnative/fluid-file-prefetcher:v0.1.0', isOurs: false },
  },
  profile: parseProfile(defaultProfile, plugins),
  random: () => '0123456789ab',
  warn: () => {},
};
const mutated = ({ pod, namespace, known }: WebhookCase): Pod => mutate({ pod, namespace }, { known, ...context });

/** Written by Fluid's Go types, and no choice of its webhook. */
const isGos = ([path, json]: readonly [string, string]): boolean => path.endsWith('.resources') && json === '{}';

interface Found {
  readonly path: string;
  readonly fluid: string | undefined;
  readonly ours: string | undefined;
}

function compare(fluid: Pod, ours: Pod): readonly Found[] {
  const [theirs, own] = [leaves(fluid), leaves(ours)];
  return [...new Set([...theirs.keys(), ...own.keys()])]
    .map((path) => ({ path, fluid: theirs.get(path), ours: own.get(path) }))
    .filter((each) => each.fluid !== each.ours);
}

/** The order of containers is when they start. */
function leaves(pod: Pod): Leaves {
  const order = (['initContainers', 'containers'] as const).map(
    (field) => [`spec.${field}.order`, JSON.stringify((pod.spec[field] ?? []).map(({ name }) => name).join(' '))] as const,
  );
  // The cast: a pod with apiVersion and kind.
  return new Map([...[...leavesOf(pod as unknown as Manifest)].filter((leaf) => !isGos(leaf)), ...order]);
}

const explains = ({ cases, path, fluid, ours }: PodDifference, name: string, found: Found): boolean =>
  (cases?.test(name) ?? true) && path.test(found.path) && says(fluid, found.fluid) && says(ours, found.ours);
const says = (pattern: RegExp | undefined, value: string | undefined): boolean =>
  value === undefined ? pattern === undefined : (pattern?.test(value) ?? false);

describe.skipIf(!hasGoldens)("parity with Fluid's webhook", () => {
  const met = new Set<PodDifference>();
  const cases = readWebhookCases();
  const admitted = cases.filter(({ name }) => !podDenials[name]);

  test.each(admitted)('$name: the same pod', (recorded) => {
    const { name, mutated: fluid } = recorded;
    if (!fluid) throw new Error(`expected a pod that Fluid admits, found ${name}`);
    const unexplained = compare(fluid, mutated(recorded)).filter((found) => {
      const entries = podDifferences.filter((entry) => explains(entry, name, found));
      for (const entry of entries) met.add(entry);
      return entries.length === 0;
    });
    expect(unexplained).toEqual([]);
  });
  test.each(Object.entries(podDenials))('%s: denied', (name, { fluid, ours }) => {
    const recorded = cases.find((each) => each.name === name) as WebhookCase;
    expect(recorded.mutated === undefined ? 'denied' : 'admitted').toBe(fluid);
    expect(() => mutated(recorded)).toThrow(ours);
  });
  test('an unintended difference is reported', () => {
    const recorded = cases.find(({ name }) => name === 'serverful-thin') as WebhookCase;
    const pod = mutated(recorded);
    expect(compare(recorded.mutated as Pod, { ...pod, spec: { ...pod.spec, affinity: {} } }).map(({ path }) => path)).toContain(
      'spec.affinity',
    );
  });
  test('every intended difference was met', () => {
    expect(podDifferences.filter((entry) => !met.has(entry)).map(({ path, reason }) => `${path}: ${reason}`)).toEqual([]);
  });
});
