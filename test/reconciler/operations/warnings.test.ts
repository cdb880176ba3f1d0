/** Fields of a DataLoad that its engine ignores: an event names each of them, once. */
import { expect, test } from 'vitest';
import alluxio from '../../../runtimes/alluxio/index.ts';
import thin from '../../../runtimes/thin/index.ts';
import type { DataLoadSpec } from '../../../src/api/index.ts';
import { alluxioFileSystem } from '../../support/alluxio-exec.ts';
import * as write from '../../support/objects.ts';
import { boundHarness, type Harness } from '../harness.ts';
import { bound, ended, load, statusOf } from './given.ts';

const notesOf = (at: Harness) =>
  at.events
    .filter(({ regarding, type }) => regarding.kind === 'DataLoad' && type === 'Warning')
    .map(({ reason, note }) => `${reason} ${note}`);
const to = (spec: DataLoadSpec): DataLoadSpec => ({ dataset: { name: 'demo' }, ...spec });

test('a load of JuiceFS reports copies and metadata, which it ignores, once', async () => {
  const at = await bound();
  at.put(
    load(
      to({
        loadMetadata: true,
        target: [
          { path: '/a', replicas: 1 },
          { path: '/b', replicas: 2 },
        ],
      }),
    ),
  );
  await at.quiet();
  const notes = [
    'SpecPartlyIgnored spec.target[1].replicas: has no effect; a client keeps one copy of what it loads',
    'SpecPartlyIgnored spec.loadMetadata: has no effect; JuiceFS reads metadata from its metadata engine',
  ];
  expect(notesOf(at)).toEqual(notes);
  await at.advance(60_000);
  await ended(at, 'Succeeded');
  expect(statusOf(at).phase).toBe('Complete');
  expect(notesOf(at)).toEqual(notes);
});

test('a load of JuiceFS reports options that it does not know, and what is nearly a group of clients', async () => {
  const at = await bound();
  at.put(load(to({ options: { thread: '9', clients: 'worker,fuse' } })));
  await at.quiet();
  expect(notesOf(at)).toEqual([
    'SpecAmbiguous spec.options.clients: expected workers, fuse, sidecars or names of pods, separated by commas, found "worker" (did you mean workers?)',
    'SpecAmbiguous spec.options.thread: expected an option of juicefs warmup 1.3 or 1.4 (did you mean threads?), found "thread"; juicefs fails with one that it does not know',
  ]);
});

test('a load of JuiceFS is not reported for what has an effect', async () => {
  const at = await bound();
  at.put(load(to({ loadMetadata: false, options: { threads: '9' }, target: [{ path: '/a', replicas: 1 }] })));
  await at.quiet();
  expect(statusOf(at).phase).toBe('Executing');
  expect(notesOf(at)).toEqual([]);
});

test.each<[string, DataLoadSpec, readonly string[]]>([
  [
    'options, which it ignores',
    { options: { threads: '9' } },
    ["SpecPartlyIgnored spec.options.threads: has no effect; Alluxio's load has no options"],
  ],
  ['nothing else', { options: {}, loadMetadata: true, target: [{ path: '/a', replicas: 2 }] }, []],
])('a load of Alluxio reports %s', async (_, spec, notes) => {
  const { exec } = alluxioFileSystem();
  const at = await boundHarness(
    [write.datasetObject('demo', { mounts: [{ mountPoint: 's3://b', name: 'b' }] }), write.alluxioRuntime('demo', { replicas: 1 })],
    {
      runtimes: [thin, alluxio],
      exec,
    },
  );
  at.put(load(to(spec)));
  await at.quiet();
  expect(statusOf(at).phase).toBe('Executing');
  expect(notesOf(at)).toEqual(notes);
});

test('one with a schedule reports them as well, once', async () => {
  const at = await bound();
  at.put(load(to({ loadMetadata: true, policy: 'Cron', schedule: '0 3 * * *' })));
  await at.quiet();
  at.edit('DataLoad', { schedule: '0 4 * * *' }, 'warm');
  await at.quiet();
  expect(notesOf(at)).toEqual(['SpecPartlyIgnored spec.loadMetadata: has no effect; JuiceFS reads metadata from its metadata engine']);
});

test('fields that have no effect on any engine are reported', async () => {
  const at = await bound();
  const runAfter = { kind: 'DataLoad' as const, name: 'first', affinityStrategy: { policy: 'Required' as 'Require' } };
  at.put(load({ dataset: { name: 'demo' } }, 'first'));
  at.put(load({ dataset: { name: 'demo' }, schedule: '0 3 * * *', runAfter }));
  at.put(load({ dataset: { name: 'demo' }, policy: 'Cron', schedule: '0 3 * * *', ttlSecondsAfterFinished: 5 }, 'nightly'));
  await at.quiet();
  await ended(at, 'Succeeded', '', 'first');
  const notes = at.events.filter(({ reason }) => reason === 'SpecPartlyIgnored').map(({ note }) => note);
  expect(notes.toSorted()).toEqual([
    'spec.runAfter.affinityStrategy.policy: has no effect; expected Require or Prefer',
    'spec.schedule: has no effect without policy Cron',
    'spec.ttlSecondsAfterFinished: has no effect with policy Cron',
  ]);
});
