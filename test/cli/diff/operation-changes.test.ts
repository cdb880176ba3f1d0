import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import juicefs from '../../../runtimes/juicefs/index.ts';
import type { Change } from '../../../src/planning/diff/change.ts';
import { operationChanges } from '../../../src/cli/diff/operation-changes.ts';
import { readInput } from '../../../src/cli/input/read.ts';
import { inCluster } from '../../../src/cli/synth/lookup.ts';
import { renderAll } from '../../../src/cli/synth/render.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { bound, ended, load, running, statusOf } from '../../reconciler/operations/given.ts';
import type { Harness } from '../../reconciler/harness.ts';

const settings = { mountRoot: '/runtime-mnt', criticalFusePod: true, imagePullSecrets: [], env: {}, portRanges: {} };
const DATASET = { dataset: { name: 'demo' } };
const nightly = (schedule = '0 3 * * *', more: object = {}): KubeObject =>
  load({ ...DATASET, policy: 'Cron', schedule, ...more } as Parameters<typeof load>[0]);

/** The changes that applying these operations would make, with the Dataset of the cluster. */
async function changes({ server }: Harness, ...operations: readonly KubeObject[]): Promise<readonly Change[]> {
  const client = server.client({ fieldManager: 'sluice' });
  const input = readInput([['input', operations.map((each) => stringify(each)).join('---\n')]], [juicefs], 'ml');
  const rendered = await renderAll(input, { settings, runtimes: [juicefs], elsewhere: inCluster(client, [juicefs]) });
  const all: Change[] = [];
  for (const each of rendered.operations) all.push(...(await operationChanges(client, each)));
  return all;
}
const lines = (found: readonly Change[]) => found.map(({ object, action, note = '' }) => `${action} ${object} ${note}`.trim());

test('a new operation is tried in a dry run, and nothing is written', async () => {
  const at = await bound();
  expect(lines(await changes(at, load(DATASET)))).toEqual(['add ConfigMap ml/warm-loader-data-load-script', 'add Job ml/warm-loader-job']);
  expect(at.get('Job', 'warm-loader-job')).toBeUndefined();
});
test('the Job of an operation that runs is not changed, whatever the edit', async () => {
  const at = await running();
  at.forget();
  const edited = load({ ...DATASET, target: [{ path: '/other' }] });
  expect(lines(await changes(at, edited))).toEqual([
    'none Job ml/warm-loader-job exists: no Job is changed, so an edit of its operation has no effect',
  ]);
  expect(at.written()).toEqual([]);
});
test('an operation that is over does not run again', async () => {
  const at = await running();
  await ended(at, 'Succeeded');
  expect(statusOf(at).phase).toBe('Complete');
  expect(lines(await changes(at, load({ ...DATASET, target: [{ path: '/other' }] })))).toEqual([
    'none DataLoad ml/warm is Complete: an edit has no effect. A new text of the annotation data.fluid.io/retry runs it once more',
  ]);
});
test('an operation that is retried gets a new Job', async () => {
  const at = await running();
  await ended(at, 'Succeeded');
  const retried = { ...load(DATASET), metadata: { name: 'warm', annotations: { 'data.fluid.io/retry': 'again' } } };
  expect(lines(await changes(at, retried))).toEqual([
    'change Job ml/warm-loader-job would be deleted and created again: the operation is retried',
  ]);
});
test('an operation that follows the mounts waits for a change of them', async () => {
  const at = await bound();
  const following = load({ ...DATASET, policy: 'OnEvent' });
  at.put(following);
  await at.quiet();
  expect(lines(await changes(at, following))).toEqual([
    'none Job ml/warm-loader-job exists: no Job is changed, so an edit of its operation has no effect',
  ]);
  await ended(at, 'Succeeded');
  expect(lines(await changes(at, following))).toEqual([
    'none DataLoad ml/warm is Complete: it runs again, as its spec says then, when mounts of its Dataset have changed',
  ]);
});
test('nothing is claimed of an operation that is paused', async () => {
  const at = await bound();
  const paused = { ...load(DATASET), metadata: { name: 'warm', annotations: { 'data.fluid.io/paused': 'true' } } };
  expect(lines(await changes(at, paused))).toEqual(['none DataLoad ml/warm is paused: nothing else is done until it is resumed']);
});
test('a CronJob follows edits', async () => {
  const at = await bound();
  at.put(nightly());
  await at.quiet();
  const same = ['none ConfigMap ml/warm-loader-data-load-script', 'none CronJob ml/warm-loader-job'];
  expect(lines(await changes(at, nightly()))).toEqual(same);
  const [, changed] = await changes(at, nightly('0 4 * * *'));
  expect(changed).toMatchObject({ action: 'change', object: 'CronJob ml/warm-loader-job' });
  expect(changed?.after?.['spec']).toMatchObject({ schedule: '0 4 * * *' });
});
test('a CronJob is deleted when the operation loses its schedule', async () => {
  const at = await bound();
  at.put(nightly());
  await at.quiet();
  expect(lines(await changes(at, load(DATASET)))).toEqual([
    'prune CronJob ml/warm-loader-job',
    'none ConfigMap ml/warm-loader-data-load-script',
    'add Job ml/warm-loader-job',
  ]);
});
test('a Job that runs is there to its end when the operation gets a schedule', async () => {
  const at = await running();
  expect(lines(await changes(at, nightly()))).toEqual([
    'none Job ml/warm-loader-job is of an earlier policy: the Job runs to its end before the CronJob is created',
    'none ConfigMap ml/warm-loader-data-load-script',
    'add CronJob ml/warm-loader-job',
  ]);
});
test('a Job of another owner is in the way', async () => {
  const at = await bound();
  at.put({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'warm-loader-job' }, spec: { template: {} } });
  const found = await changes(at, load(DATASET));
  expect(found.at(-1)).toMatchObject({ action: 'refuse', problem: 'it exists and belongs to no known owner' });
});
