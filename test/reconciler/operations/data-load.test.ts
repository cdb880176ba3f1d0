/** A DataLoad from its creation to its end: the real store, applier and queue, on an API server in memory. */
import { describe, expect, test } from 'vitest';
import type { DataLoadSpec } from '../../../src/api/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { jfsDataset, jfsRuntime, jfsSecret } from '../../support/objects.ts';
import { harness } from '../harness.ts';
import { bound, ended, eventsOf, load, statusOf } from './given.ts';

test('it creates its Job, runs, and is complete once the Job is', async () => {
  const at = await bound();
  at.put(load());
  await at.quiet();
  expect(at.get('Job', 'warm-loader-job')?.metadata.ownerReferences).toMatchObject([{ kind: 'DataLoad', name: 'warm', controller: true }]);
  expect(at.get('DataLoad', 'warm')?.metadata).toMatchObject({
    finalizers: ['fluid-dataload-controller-finalizer'],
    ownerReferences: [{ kind: 'Dataset', name: 'demo' }],
  });
  expect(statusOf(at)).toEqual({
    phase: 'Executing',
    duration: 'Unfinished',
    observedGeneration: 1,
    conditions: [],
    waitingFor: {},
  });
  expect(at.dataset().operationRef).toEqual({ DataLoad: 'warm' });
  await at.advance(62_000);
  await ended(at, 'Succeeded');
  expect(statusOf(at)).toMatchObject({
    phase: 'Complete',
    conditions: [{ type: 'Complete', status: 'True', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' }],
  });
  expect(statusOf(at).duration).toMatch(/^1m\d+s$/);
  expect(at.dataset()).not.toHaveProperty('operationRef');
  expect(eventsOf(at)).toEqual(['DataOperationSucceed']);
  expect(at.written()).toEqual([
    'patch DataLoad/warm',
    'create ConfigMap/warm-loader-data-load-script',
    'create Job/warm-loader-job',
    'patch Dataset/demo/status',
    'patch DataLoad/warm/status',
    'patch DataLoad/warm/status',
    'patch Dataset/demo/status',
  ]);
});

test('it fails with the end of what its last pod printed, without secrets', async () => {
  const at = await bound();
  at.put(load());
  await at.quiet();
  for (let i = 0; i < 4; i++) await ended(at, 'Failed', `try ${i}: path /nowhere does not exist in the Dataset, password=hunter2`);
  const [condition] = statusOf(at).conditions ?? [];
  expect(statusOf(at).phase).toBe('Failed');
  expect(condition).toMatchObject({ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' });
  expect(condition?.message).toMatch(
    /: pod warm-loader-job-\S+-3 ended with exit code 3, and printed last: try 3: path \/nowhere does not exist/,
  );
  expect(condition?.message).not.toContain('hunter2');
  expect(eventsOf(at)).toEqual(['DataOperationFailed']);
  expect(at.dataset()).not.toHaveProperty('operationRef');
});

test('it shows how far it is, with a write in ten seconds at most, and what its pod said last', async () => {
  const asked: string[] = [];
  let said = 'Progress=0 of 2 workers\nnoise\nsecret=password=hunter2\n';
  const at = await bound({
    async exec({ pod }, argv) {
      if (argv[0] !== 'cat' || argv[1] !== '/tmp/progress') return '';
      asked.push(pod);
      return said;
    },
  });
  at.put(load());
  await at.quiet();
  await at.advance(1000);
  expect(statusOf(at).infos).toMatchObject({ Progress: '0 of 2 workers' });
  expect(JSON.stringify(statusOf(at))).not.toContain('hunter2');
  at.forget();
  said = 'Progress=1 of 2 workers\n';
  await at.advance(60_000);
  expect(statusOf(at).infos).toEqual({ Progress: '1 of 2 workers' });
  expect(asked.length).toBeGreaterThan(4);
  expect(asked.length).toBeLessThan(9);
  expect(at.written({ kind: 'DataLoad' })).toEqual(['patch DataLoad/warm/status']);
  await ended(at, 'Succeeded', 'Progress=2 of 2 workers\n');
  expect(statusOf(at)).toMatchObject({ phase: 'Complete', infos: { Progress: '2 of 2 workers' } });
});

test('each run is measured once, from the creation of its Job to its end, whether or not it succeeds', async () => {
  const runs: unknown[] = [];
  const at = await bound({ onRun: (...run) => void runs.push(run) });
  at.put(load());
  await at.quiet();
  await at.advance(60_000);
  await ended(at, 'Succeeded');
  await at.restart();
  await at.quiet();
  expect(runs).toEqual([['DataLoad', 'Complete', expect.closeTo(65, -1)]]);
  at.put(load(undefined, 'ill'));
  await at.quiet();
  for (let i = 0; i < 4; i++) await ended(at, 'Failed', '', 'ill');
  expect(runs.slice(1)).toEqual([['DataLoad', 'Failed', expect.any(Number)]]);
});

describe('it waits, and says why, until', () => {
  test('its Dataset exists, is bound, and its runtime is ready', async () => {
    const at = await harness();
    at.put(jfsSecret());
    at.put(load());
    await at.quiet();
    expect(statusOf(at)).toMatchObject({
      phase: 'Pending',
      conditions: [{ type: 'Complete', status: 'False', reason: 'TargetDatasetNotFound' }],
    });
    at.put(jfsDataset('demo'));
    await at.quiet();
    expect(statusOf(at).conditions).toMatchObject([{ reason: 'RuntimeNotReady', message: 'Dataset demo is not bound' }]);
    at.put(jfsRuntime('demo'));
    await at.quiet();
    expect(statusOf(at)).toMatchObject({ phase: 'Executing', conditions: [] });
  });
  test('a worker is ready', async () => {
    const at = await bound();
    at.controllers.unready.add('ml/demo-worker');
    await at.quiet();
    at.put(load());
    await at.quiet();
    expect(statusOf(at).conditions).toMatchObject([{ message: 'no worker pod of JuiceFSRuntime demo is ready' }]);
    at.controllers.unready.clear();
    await at.quiet();
    expect(statusOf(at).phase).toBe('Executing');
  });
  test('the API server stores its objects', async () => {
    const at = await bound();
    at.server.rules.refuse({ verb: 'create', kind: 'Job', times: 10 }, { status: 403, reason: 'Forbidden', message: 'exceeded quota' });
    at.put(load());
    at.start();
    await at.advance(5_000);
    expect(statusOf(at)).toMatchObject({ phase: 'Pending', conditions: [{ type: 'Complete', status: 'False', reason: 'ApplyFailed' }] });
    expect(statusOf(at).conditions?.[0]?.message).toContain('exceeded quota');
    await at.quiet(60_000);
    expect(statusOf(at)).toMatchObject({ phase: 'Executing', conditions: [] });
  });
});

describe('it fails at once', () => {
  test.each<[string, DataLoadSpec, string, string]>([
    [
      'about a Dataset of another namespace',
      { dataset: { name: 'demo', namespace: 'web' } },
      'TargetDatasetNamespaceNotSame',
      'expected ml',
    ],
    ['without a Dataset', {}, 'InvalidSpec', 'spec.dataset.name: expected the name of a Dataset'],
    [
      'with a path that leaves the Dataset',
      { dataset: { name: 'demo' }, target: [{ path: '/../etc' }] },
      'InvalidSpec',
      'spec.target[0].path',
    ],
  ])('%s', async (_, spec, reason, text) => {
    const at = await bound();
    at.put(load(spec));
    await at.quiet();
    const [condition] = statusOf(at).conditions ?? [];
    expect(statusOf(at).phase).toBe('Failed');
    expect(condition).toMatchObject({ type: 'Failed', status: 'True', reason });
    expect(condition?.message).toContain(text);
    expect(at.server.all('Job')).toEqual([]);
  });
  test('on a runtime that cannot load', async () => {
    const at = await harness();
    at.put({
      apiVersion: 'data.fluid.io/v1alpha1',
      kind: 'Dataset',
      metadata: { name: 'demo' },
      spec: { mounts: [{ mountPoint: 's3://bucket', name: 'data' }] },
    });
    at.put({ apiVersion: 'data.fluid.io/v1alpha1', kind: 'ThinRuntime', metadata: { name: 'demo' }, spec: { profileName: 'profile' } });
    at.put(load());
    await at.quiet();
    expect(statusOf(at)).toMatchObject({ phase: 'Failed', conditions: [{ reason: 'DataOperationNotSupport' }] });
    expect(eventsOf(at)).toContain('DataOperationNotSupport');
  });
});

test('a Job that exists is not made anew when pods of the runtime change, and what is over is left alone', async () => {
  const at = await bound();
  at.put(load());
  await at.quiet();
  at.forget();
  at.edit('JuiceFSRuntime', { replicas: 2 });
  await at.quiet();
  expect(at.written({ kind: 'Job' })).toEqual([]);
  await ended(at, 'Succeeded');
  at.server.delete('Job', 'ml', 'warm-loader-job');
  await at.quiet();
  expect(at.get('Job', 'warm-loader-job')).toBeUndefined();
  expect(statusOf(at).phase).toBe('Complete');
});

test('a Job that a user deletes while it runs is created again', async () => {
  const at = await bound();
  at.put(load());
  await at.quiet();
  at.server.delete('Job', 'ml', 'warm-loader-job');
  await at.quiet();
  expect(at.get('Job', 'warm-loader-job')).toBeDefined();
  expect(statusOf(at).phase).toBe('Executing');
});

test('a controller that starts again goes on where the last one ended', async () => {
  const at = await bound();
  at.put(load());
  await at.quiet();
  at.kill();
  const pod = at.server.all('Pod').find((each) => each.metadata.name.startsWith('warm-loader-job')) as KubeObject;
  at.put({ ...pod, status: { phase: 'Succeeded' } } as KubeObject);
  await at.settle();
  await at.restart();
  await at.quiet();
  expect(statusOf(at).phase).toBe('Complete');
  expect(at.dataset()).not.toHaveProperty('operationRef');
});

test('deleted, it takes its Job with it, and its Dataset no longer names it', async () => {
  const at = await bound();
  at.put(load());
  await at.quiet();
  // The garbage collector of a real cluster does not know a new kind at once.
  at.controllers.paused.add('garbage');
  at.delete('DataLoad', 'warm');
  await at.quiet();
  expect(at.get('DataLoad', 'warm')).toBeUndefined();
  expect(at.server.all('Job')).toEqual([]);
  at.controllers.paused.clear();
  await at.quiet();
  expect(at.server.all('ConfigMap').filter(({ metadata }) => metadata.name.startsWith('warm'))).toEqual([]);
  expect(at.dataset()).not.toHaveProperty('operationRef');
});

test('deleted and created again under its name, it runs again', async () => {
  const at = await bound();
  at.put(load());
  await at.quiet();
  const first = at.get('Job', 'warm-loader-job')?.metadata.uid;
  at.controllers.paused.add('garbage');
  at.delete('DataLoad', 'warm');
  await at.settle();
  at.put(load());
  await at.quiet(30_000);
  at.controllers.paused.clear();
  await at.quiet(30_000);
  expect(at.get('Job', 'warm-loader-job')?.metadata.uid).not.toBe(first);
  expect(statusOf(at).phase).toBe('Executing');
});

test('a Job that Fluid created goes on, and is followed', async () => {
  const at = await bound();
  at.kill();
  const { metadata } = at.put({ ...load(), status: { phase: 'Executing', duration: 'Unfinished', conditions: [] } } as KubeObject);
  const owner = { apiVersion: 'data.fluid.io/v1alpha1', kind: 'DataLoad', name: 'warm', uid: metadata.uid ?? '', controller: true };
  const template = { spec: { containers: [{ name: 'dataloader', image: 'fluid/loader:1' }], restartPolicy: 'Never' } };
  const job = at.put({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'warm-loader-job', ownerReferences: [owner] },
    spec: { backoffLimit: 3, template },
  } as KubeObject);
  await at.settle();
  await at.restart();
  await at.quiet();
  expect(at.get('Job', 'warm-loader-job')).toMatchObject({ metadata: { uid: job.metadata.uid }, spec: { template } });
  await ended(at, 'Succeeded');
  expect(statusOf(at).phase).toBe('Complete');
});
