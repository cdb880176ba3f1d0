import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../../src/kube/types.ts';
import { datasetObject, exampleRuntime, openDataset, secret, thinProfile, thinRuntime } from '../../../support/objects.ts';
import { boundHarness, type Harness, harness } from '../../harness.ts';

const RECORD = 'demo-last-valid';
const fuseImage = 'example.io/s3fs';
const profile = (spec: object = {}): KubeObject =>
  thinProfile('profile', { fileSystemType: 'fuse.s3fs', fuse: { image: fuseImage, imageTag: 'v1' }, ...spec });
const thin = () => boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })]);
/** Two mounts of one name, which the engine could not distinguish. */
const alike = {
  mounts: [
    { mountPoint: 's3://bucket', name: 'same' },
    { mountPoint: 's3://other', name: 'same' },
  ],
};
const mend = { mounts: [{ mountPoint: 's3://bucket', name: 'data' }] };
const inForce = /; until that is mended the last valid plan stays in force \(ThinRuntime generation 1, Dataset generation 1\)/;
const stamp = (at: Harness) => at.get('PersistentVolume', 'ml-demo')?.metadata.annotations?.['data.fluid.io/last-valid'];

/** Each makes the newest specs of a bound dataset unfit to be followed. */
const mistakes: readonly (readonly [string, (at: Harness) => void, RegExp])[] = [
  [
    'an edit of the Dataset',
    (at) => at.edit('Dataset', alike),
    /^False InvalidSpec: Dataset ml\/demo: spec\.mounts\[1\]\.name: expected .*, found "same"/,
  ],
  [
    'an edit of the runtime',
    (at) => at.edit('ThinRuntime', { fuse: { lifecycle: { postStart: { exec: { command: ['true'] } } } } }),
    /^False InvalidSpec: .*spec\./,
  ],
  ['an edit of the profile', (at) => at.put(profile({ fuse: { imageTag: 'v1' } })), /^False InvalidSpec: .*image/],
  [
    'a Dataset that does not parse',
    (at) => at.edit('Dataset', { mounts: 'all' }),
    /^False InvalidSpec: Dataset ml\/demo: spec\.mounts: expected a list/,
  ],
  [
    'a runtime that does not parse',
    (at) => at.edit('ThinRuntime', { fuse: { args: 'none' } }),
    /^False InvalidSpec: ThinRuntime ml\/demo: spec\.fuse\.args: expected a list/,
  ],
  [
    'a profile that does not parse',
    (at) => at.put(profile({ fuse: 3 })),
    /^False InvalidSpec: ThinRuntimeProfile profile: spec\.fuse: expected/,
  ],
  [
    'a profile that is deleted',
    (at) => at.delete('ThinRuntimeProfile', 'profile'),
    /^False ThinRuntimeProfileNotFound: ThinRuntimeProfile profile does not exist/,
  ],
];

describe.each(mistakes)('%s of a bound dataset', (_, spoil, says) => {
  test('is reported, and the Dataset stays bound', async () => {
    const at = await thin();
    spoil(at);
    await at.quiet();
    expect(at.conditions('ThinRuntime')['Synced']).toMatch(says);
    expect(at.conditions('ThinRuntime')['Synced']).toMatch(inForce);
    expect(at.dataset().phase).toBe('Bound');
    expect(at.conditions('Dataset')['Ready']).toMatch(/^True (InvalidSpec|ThinRuntimeProfileNotFound): The ddc runtime is ready\. /);
    expect(at.events.map(({ reason, regarding }) => `${regarding.kind} ${reason}`).toSorted()).toEqual([
      expect.stringMatching(/^Dataset ErrorProcessDataset/),
      expect.stringMatching(/^ThinRuntime Error/),
    ]);
  });
  test('keeps drift neither from being repaired nor from being reported', async () => {
    const at = await thin();
    spoil(at);
    await at.quiet();
    at.delete('DaemonSet', 'demo-fuse');
    at.put({ ...at.get('ConfigMap', 'demo-fuse-conf')!, data: { 'config.json': 'edited' } });
    await at.quiet();
    expect(at.get('DaemonSet', 'demo-fuse')).toBeDefined();
    expect(at.get('ConfigMap', 'demo-fuse-conf')?.['data']).not.toMatchObject({ 'config.json': 'edited' });
    expect(at.conditions('ThinRuntime')['Synced']).toMatch(says);
  });
  test('is reported also by the next process', async () => {
    const at = await thin();
    spoil(at);
    await at.quiet();
    await at.restart();
    at.delete('DaemonSet', 'demo-fuse');
    await at.quiet();
    expect(JSON.stringify(at.get('DaemonSet', 'demo-fuse')?.['spec'])).toContain(`${fuseImage}:v1`);
    expect(at.conditions('ThinRuntime')['Synced']).toMatch(inForce);
  });
  test('writes nothing once it is reported', async () => {
    const at = await thin();
    spoil(at);
    await at.quiet();
    at.forget();
    await at.advance(600_000);
    expect(at.written()).toEqual([]);
  });
});

test('dead workers are reported despite an invalid edit', async () => {
  const at = await boundHarness([openDataset('demo'), exampleRuntime('demo', { replicas: 2 })]);
  at.edit('Dataset', { mounts: 'all' });
  at.controllers.unready.add('ml/demo-worker');
  await at.quiet();
  expect(at.dataset().phase).toBe('Failed');
  expect(at.runtime('ExampleRuntime')).toMatchObject({ workerPhase: 'NotReady', workerNumberReady: 0 });
  expect(at.conditions('ExampleRuntime')['Synced']).toMatch(/InvalidSpec: .*spec\.mounts.*Besides: 0 of 2 worker pods are ready/);
});

test('once the spec is corrected it is followed, and no record is left', async () => {
  const at = await thin();
  at.edit('Dataset', alike);
  await at.quiet();
  expect(at.get('ConfigMap', RECORD)).toBeDefined();
  expect(stamp(at)).toMatch(/^[0-9a-f]{64}$/);
  at.edit('Dataset', { mounts: [{ mountPoint: 's3://mended', name: 'data' }] });
  await at.quiet();
  expect(JSON.stringify(at.get('ConfigMap', 'demo-fuse-conf'))).toContain('s3://mended');
  expect(at.get('ConfigMap', RECORD)).toBeUndefined();
  expect(stamp(at)).toBeUndefined();
  expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^True/);
  expect(at.conditions('Dataset')['Ready']).toBe('True DatasetReady: The ddc runtime is ready.');
});

test('a Dataset whose specs are valid costs no further request', async () => {
  const at = await thin();
  await at.restart();
  await at.quiet();
  expect(at.server.requestsThat({ name: RECORD })).toEqual([]);
});

describe('the record', () => {
  test('is an owned object that is deleted with the runtime', async () => {
    const at = await thin();
    at.edit('Dataset', alike);
    await at.quiet();
    expect(at.get('ConfigMap', RECORD)?.metadata.ownerReferences).toMatchObject([{ kind: 'ThinRuntime', name: 'demo', controller: true }]);
    at.delete('Dataset');
    await at.quiet();
    expect(at.get('ConfigMap', RECORD)).toBeUndefined();
    expect(at.get('ThinRuntime')).toBeUndefined();
  });
  test('that another writer changed is not followed: no admission has seen its input', async () => {
    const at = await thin();
    at.edit('Dataset', alike);
    await at.quiet();
    at.kill();
    const record = at.get('ConfigMap', RECORD)!;
    const { 'input.json': text = '' } = record['data'] as Record<string, string>;
    expect(text).toContain(fuseImage);
    at.put({ ...record, data: { 'input.json': text.replaceAll(fuseImage, 'evil.example/miner') } });
    at.delete('DaemonSet', 'demo-fuse');
    await at.restart();
    await at.quiet();
    expect(at.get('DaemonSet', 'demo-fuse')).toBeUndefined();
    expect(at.conditions('ThinRuntime')['Synced']).toMatch(/; no valid plan is remembered, so nothing is repaired until that is mended$/);
  });
  test('holds no value of a Secret, whose contents are read again', async () => {
    const at = await boundHarness(
      [
        secret('keys', { key: 'hunter2' }),
        datasetObject('demo', {
          mounts: [
            {
              mountPoint: 's3://bucket',
              name: 'data',
              encryptOptions: [{ name: 'key', valueFrom: { secretKeyRef: { name: 'keys', key: 'key' } } }],
            },
          ],
        }),
        thinRuntime('demo', { profileName: 'profile' }),
      ],
      { settings: { env: { THIN_FUSE_CONFIG_STORAGE: 'secret' } } },
    );
    expect(at.dataset().phase).toBe('Bound');
    at.put(profile({ fuse: { imageTag: 'v1' } }));
    await at.quiet();
    const text = JSON.stringify(at.get('ConfigMap', RECORD));
    expect(text).toContain('s3://bucket');
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain(Buffer.from('hunter2').toString('base64'));
    at.delete('Secret', 'demo-fuse-conf');
    await at.restart();
    await at.quiet();
    expect(JSON.stringify(at.get('Secret', 'demo-fuse-conf'))).toBeDefined();
    expect(at.conditions('ThinRuntime')['Synced']).toMatch(inForce);
  });
  test('of specs that are too large is not created, which is reported', async () => {
    const LONG = 'x'.repeat(100_000);
    const at = await boundHarness([
      openDataset('demo', { mounts: [{ mountPoint: 's3://bucket', name: 'data', options: { a: LONG, b: LONG, c: LONG } }] }),
      thinRuntime('demo', { profileName: 'profile' }),
    ]);
    at.put(profile({ fuse: { imageTag: 'v1' } }));
    await at.quiet();
    expect(at.get('ConfigMap', RECORD)).toBeUndefined();
    expect(at.conditions('ThinRuntime')['Synced']).toMatch(/the specs are larger than 256 KiB, so a restart of the controller forgets it$/);
    at.delete('DaemonSet', 'demo-fuse');
    await at.quiet();
    expect(at.get('DaemonSet', 'demo-fuse')).toBeDefined();
  });
});

describe('an edit that was made while no controller ran', () => {
  test('is reported with what is in force; nothing is repaired, and nothing deleted', async () => {
    const at = await boundHarness([openDataset('demo'), exampleRuntime('demo', { replicas: 2 })]);
    at.kill();
    at.edit('Dataset', { mounts: 'all' });
    at.delete('DaemonSet', 'demo-fuse');
    at.controllers.unready.add('ml/demo-worker');
    at.controllers.settle();
    at.forget();
    await at.restart();
    await at.quiet();
    expect(at.conditions('ExampleRuntime')['Synced']).toMatch(
      /InvalidSpec: .*; no valid plan is remembered, so nothing is repaired until that is mended$/,
    );
    expect(at.conditions('ExampleRuntime')['FusesReady']).toMatch(/^False .*The fuses are gone/);
    expect(at.runtime('ExampleRuntime')).toMatchObject({ workerPhase: 'NotReady', workerNumberReady: 0, fusePhase: '' });
    expect(at.dataset().phase).toBe('Failed');
    expect(at.written().filter((write) => !write.endsWith('/status') && !write.includes('Node/'))).toEqual([]);
  });
  test('is followed as soon as it is valid', async () => {
    const at = await thin();
    at.kill();
    at.edit('Dataset', alike);
    at.delete('DaemonSet', 'demo-fuse');
    await at.restart();
    await at.quiet();
    expect(at.get('DaemonSet', 'demo-fuse')).toBeUndefined();
    at.edit('Dataset', mend);
    await at.quiet();
    expect(at.get('DaemonSet', 'demo-fuse')).toBeDefined();
    expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^True/);
  });
});

test('before a Dataset is bound, nothing is created for invalid specs', async () => {
  const at = await harness();
  at.put(openDataset('demo', alike));
  at.put(thinRuntime('demo', { profileName: 'profile' }));
  await at.quiet();
  expect(at.dataset().phase).toBe('NotBound');
  expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^False InvalidSpec: /);
  expect(at.conditions('ThinRuntime')['Synced']).not.toContain('last valid');
  expect(at.get('DaemonSet', 'demo-fuse')).toBeUndefined();
});
