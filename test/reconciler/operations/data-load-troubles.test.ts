/** A DataLoad when something goes wrong: writes are refused, watches are behind, the controller restarts, others have its names. */
import { describe, expect, test } from 'vitest';
import { label } from '../../../src/api/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { jfsDataset, jfsRuntime, jfsSecret } from '../../support/objects.ts';
import { type Harness, harness } from '../harness.ts';
import { bound, ended, JOB, load, running, statusOf } from './given.ts';

const SCRIPTS = 'warm-loader-data-load-script';
const envOf = (job: KubeObject | undefined) =>
  (job as unknown as { spec: { template: { spec: { containers: [{ env: { name: string; value?: string }[] }] } } } }).spec.template.spec
    .containers[0].env;

describe('its Job is never created', () => {
  test('without its script', async () => {
    const at = await bound();
    at.server.rules.refuse({ verb: 'create', kind: 'ConfigMap', name: SCRIPTS, times: 1 }, { status: 500, reason: 'InternalError' });
    at.put(load());
    await at.settle();
    expect(at.get('Job', JOB)).toBeUndefined();
    await at.quiet();
    expect(at.get('ConfigMap', SCRIPTS)).toBeDefined();
    expect(statusOf(at).phase).toBe('Executing');
  });
  test('with a script of another owner', async () => {
    const at = await bound();
    at.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: SCRIPTS }, data: { 'load.sh': 'kubectl delete pods --all' } });
    at.put(load());
    await at.quiet();
    expect(at.get('Job', JOB)).toBeUndefined();
    expect(statusOf(at)).toMatchObject({ phase: 'Pending', conditions: [{ reason: 'NameTaken' }] });
    at.delete('ConfigMap', SCRIPTS);
    await at.quiet(30_000);
    expect(statusOf(at).phase).toBe('Executing');
  });
  test('for no worker, while the watch of pods is behind', async () => {
    const at = await harness();
    at.server.hold('Pod');
    for (const object of [jfsSecret(), jfsDataset('demo'), jfsRuntime('demo'), load()]) at.put(object);
    await at.quiet();
    expect(at.dataset().phase).toBe('Bound');
    expect(at.get('Job', JOB)).toBeUndefined();
    at.server.release('Pod');
    await at.quiet();
    expect(envOf(at.get('Job', JOB))).toContainEqual({ name: 'POD_NAMES', value: 'demo-worker-0' });
  });
  test.each(['deleted', 'complete'])('again, when it was %s unseen', async (end) => {
    const at = await running();
    at.server.hold('DataLoad');
    if (end === 'deleted') at.delete('DataLoad', 'warm');
    else at.put({ ...(at.get('DataLoad', 'warm') as KubeObject), status: { ...statusOf(at), phase: 'Complete' } } as KubeObject);
    at.forget();
    at.delete('Job', JOB);
    await at.quiet();
    expect(at.written({ verb: 'create' })).toEqual([]);
    at.server.release('DataLoad');
    await at.quiet();
    expect(at.server.all('Job')).toEqual([]);
  });
});

test('scripts that Fluid created stay, and its Job is followed', async () => {
  const at = await bound();
  at.kill();
  at.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: SCRIPTS }, data: { 'load.sh': 'of Fluid' } });
  const { metadata } = at.put({ ...load(), status: { phase: 'Executing', duration: 'Unfinished', conditions: [] } } as KubeObject);
  const owner = { apiVersion: 'data.fluid.io/v1alpha1', kind: 'DataLoad', name: 'warm', uid: metadata.uid ?? '', controller: true };
  const template = { spec: { containers: [{ name: 'dataloader', image: 'fluid/loader:1' }], restartPolicy: 'Never' } };
  at.put({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: JOB, ownerReferences: [owner] },
    spec: { backoffLimit: 3, template },
  } as KubeObject);
  await at.settle();
  await at.restart();
  await at.quiet();
  await ended(at, 'Succeeded');
  expect(statusOf(at).phase).toBe('Complete');
  expect(at.get('ConfigMap', SCRIPTS)?.['data']).toEqual({ 'load.sh': 'of Fluid' });
});

describe('the Job lost its label while no controller ran, and is followed to its end', () => {
  /** @param value undefined: without the label no watch shows the Job */
  async function withoutLabel(value: string | undefined): Promise<Harness> {
    const at = await running();
    at.kill();
    const { metadata, ...job } = at.get('Job', JOB) as KubeObject;
    const { resourceVersion: _, labels: { [label.owner]: __, ...labels } = {}, ...rest } = metadata;
    at.put({ ...job, metadata: { ...rest, labels: { ...labels, ...(value !== undefined && { [label.owner]: value }) } } });
    return at;
  }
  test.each([undefined, 'nobody'])('label %s, although its Dataset has no runtime any more', async (value) => {
    const at = await withoutLabel(value);
    at.delete('JuiceFSRuntime');
    await at.settle();
    await at.restart();
    await at.quiet();
    await ended(at, 'Succeeded');
    expect(statusOf(at).phase).toBe('Complete');
  });
  test('although its spec is invalid by now', async () => {
    const at = await withoutLabel('nobody');
    at.edit('DataLoad', { runAfter: { kind: 'DataLoad', name: 'warm' } }, 'warm');
    await at.settle();
    await at.restart();
    await at.quiet();
    expect(statusOf(at).phase).toBe('Executing');
    await ended(at, 'Succeeded');
    expect(statusOf(at).phase).toBe('Complete');
  });
  test('also when it ended before the next controller ran', async () => {
    const at = await withoutLabel('nobody');
    await ended(at, 'Succeeded');
    at.delete('JuiceFSRuntime');
    await at.restart();
    await at.quiet();
    expect(statusOf(at).phase).toBe('Complete');
  });
});

test('complete and deleted while no controller runs, it is let go by the next one', async () => {
  const at = await running();
  await ended(at, 'Succeeded');
  at.kill();
  at.delete('DataLoad', 'warm');
  await at.settle();
  await at.restart();
  await at.quiet();
  expect(at.get('DataLoad', 'warm')).toBeUndefined();
});

test('a Dataset that was replaced unseen does not become its owner', async () => {
  const at = await bound();
  at.start();
  at.server.hold('Dataset');
  const { resourceVersion: _, ...metadata } = (at.get('Dataset') as KubeObject).metadata;
  at.put({ ...(at.get('Dataset') as KubeObject), metadata: { ...metadata, finalizers: [] } });
  at.controllers.paused.add('garbage');
  at.delete('Dataset');
  const successor = at.put(jfsDataset('demo'));
  at.put(load());
  await at.advance(500);
  at.controllers.paused.clear();
  at.server.release('Dataset');
  await at.quiet();
  expect(at.get('DataLoad', 'warm')?.metadata.ownerReferences).toMatchObject([{ kind: 'Dataset', uid: successor.metadata.uid }]);
});

describe('its Dataset no longer names it', () => {
  test('once it is complete, also without a runtime', async () => {
    const at = await running();
    at.delete('JuiceFSRuntime');
    await at.quiet(60_000);
    expect(at.dataset()).toMatchObject({ phase: 'NotBound', operationRef: { DataLoad: 'warm' } });
    await ended(at, 'Succeeded');
    expect(at.dataset()).not.toHaveProperty('operationRef');
  });
  test('once it is about another one', async () => {
    const at = await running();
    at.edit('DataLoad', { dataset: { name: 'other' } }, 'warm');
    await at.settle();
    expect(at.dataset()).not.toHaveProperty('operationRef');
  });
});

test('while its Job runs, changes of the Dataset wake it once at most', async () => {
  const at = await running();
  await at.settle();
  at.forget();
  for (const sharedOptions of [{ a: '1' }, { a: '2' }, { a: '3' }]) {
    at.edit('Dataset', { sharedOptions });
    await at.settle();
  }
  expect(at.passes.filter(({ key }) => key === 'ml/warm/DataLoad').length).toBeLessThanOrEqual(1);
});

describe('what a failed pod printed', () => {
  async function failedWith(output: string): Promise<string> {
    const at = await running();
    for (let i = 0; i < 4; i++) await ended(at, 'Failed', output);
    return statusOf(at).conditions?.[0]?.message ?? '';
  }
  test('is redacted before it is cut', async () => {
    const message = await failedWith(`password=hunter2 ${'x'.repeat(995)}`);
    expect(message).not.toMatch(/hunter|ter2/);
    expect(message).toContain('xxx');
  });
  test('is reported as text, without colours of a terminal and other control characters', async () => {
    const message = await failedWith('\u001B[31mno such\u0000 path\u001B[0m\r\u0007\u202Eso\ttried twice 😀');
    expect(message).toMatch(/printed last: no such path\nso\ttried twice 😀$/);
  });
});

test('operations that are over cost their Dataset nothing', async () => {
  const at = await running();
  await ended(at, 'Succeeded');
  at.put(load(undefined, 'next'));
  await at.quiet();
  expect(at.store.operations.unfinished({ namespace: 'ml', name: 'demo' }).map(({ metadata }) => metadata.name)).toEqual(['next']);
});
