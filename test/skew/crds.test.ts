/** CRDs and controller of different releases: the controller comes to rest, and nobody's fields are lost. */
import { describe, expect, test } from 'vitest';
import juicefs from '../../runtimes/juicefs/index.ts';
import thin from '../../runtimes/thin/index.ts';
import { Dataset } from '../../src/api/index.ts';
import { LONGEST_TEXT } from '../../src/constructs/limits.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { boundHarness, type Harness, harness } from '../reconciler/harness.ts';
import { jfsDataset, jfsRuntime, jfsSecret, openDataset, thinRuntime } from '../support/objects.ts';
import { hasGoldens } from '../upstream/cases.ts';
import { ofFluid, ofNewerRelease, optionalStatus, today, withoutStatus } from './crds.ts';

/** All Fluid of the kinds that have recorded CRDs; the example's is none of them. */
const runtimes = [thin, juicefs];
const thinPair = (): readonly KubeObject[] => [openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })];
const jfsTrio = (): readonly KubeObject[] => [jfsSecret(), jfsDataset('demo'), jfsRuntime('demo')];

/** Nothing is written any more, also once a runtime is looked at again for no reason, and after a restart. */
async function rests(at: Harness): Promise<void> {
  await at.restart();
  await at.quiet();
  at.forget();
  await at.pass();
  await at.pass();
  expect(at.written()).toEqual([]);
  expect(at.events).toEqual([]);
}

async function goes(at: Harness): Promise<void> {
  at.delete('Dataset');
  await at.quiet();
  for (const kind of ['Dataset', 'DaemonSet', 'PersistentVolumeClaim'])
    expect(at.get(kind, kind === 'DaemonSet' ? 'demo-fuse' : 'demo')).toBeUndefined();
}

describe.each([
  ['today', today, true],
  ['a newer release', ofNewerRelease, true],
  ['Fluid', ofFluid, hasGoldens],
] as const)('with the CRDs of %s', (_, crds, isThere) => {
  test.skipIf(!isThere).each([
    ['ThinRuntime', thinPair],
    ['JuiceFSRuntime', jfsTrio],
  ] as const)('a %s is set up, left alone, edited and deleted', async (kind, objects) => {
    const at = await boundHarness(objects(), { runtimes, crds: crds() });
    expect(at.dataset().phase).toBe('Bound');
    expect(at.conditions(kind)['Synced']).toMatch(/^True/);
    await rests(at);
    at.edit(kind, { fuse: { env: [{ name: 'A', value: 'b' }] } });
    await at.quiet();
    expect(JSON.stringify(at.get('DaemonSet', 'demo-fuse'))).toContain('{"name":"A","value":"b"}');
    await rests(at);
    await goes(at);
  });
});

test.skipIf(!hasGoldens)("with Fluid's CRDs an invalid runtime is reported once", async () => {
  const invalid = thinRuntime('demo', { profileName: 'profile', fuse: { args: ['-o', 'a'.repeat(LONGEST_TEXT + 1)] } });
  const at = await harness({ runtimes, crds: ofFluid() });
  for (const object of [openDataset('demo'), invalid]) at.put(object);
  await at.quiet();
  expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^False InvalidSpec/);
  expect(at.events.map(({ reason }) => reason)).toEqual(['ErrorProcessRuntime', 'ErrorProcessDataset']);
  await rests(at);
});

describe('a newer release', () => {
  test('has fields that stay: in specs, and in the status of a Dataset', async () => {
    const at = await harness({ runtimes, crds: ofNewerRelease() });
    const [dataset, runtime] = thinPair() as [KubeObject, KubeObject];
    at.put({ ...dataset, status: { conditions: [], ofTomorrow: 'kept' } } as KubeObject);
    at.put(runtime);
    await at.quiet();
    expect(at.get('Dataset')).toMatchObject({ spec: { ofTomorrow: 'yes' }, status: { ofTomorrow: 'kept' } });
    expect(at.get('ThinRuntime')).toMatchObject({ spec: { ofTomorrow: 'yes' } });
    expect(at.dataset().phase).toBe('Bound');
    await rests(at);
  });
});

/** Fields of every release, since Fluid's CRDs have them. They hold times, so that each pass would write others. */
const OF_ALL = ['conditions', 'setupDuration'];

describe('CRDs that lack one field of a status', () => {
  const cases = [Dataset, thin.resource].flatMap((resource) =>
    optionalStatus(resource).flatMap((field) => (OF_ALL.includes(field) ? [] : [[resource.kind, field] as const])),
  );
  test.each(cases)('%s without %s: the controller comes to rest, and a deletion ends', async (kind, field) => {
    const at = await boundHarness(thinPair(), { runtimes, crds: withoutStatus(kind, field) });
    await rests(at);
    expect(at.get('DaemonSet', 'demo-fuse')).toBeDefined();
    await goes(at);
  });
});
