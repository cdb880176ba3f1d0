import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { attempt, each } from '../../src/reconciler/failures.ts';
import { ApiError, NoAnswer } from '../../src/kube/errors.ts';
import { exampleRuntime, jfsDataset, jfsRuntime, jfsSecret, openDataset, thinRuntime } from '../support/objects.ts';
import { boundHarness, type Harness, harness } from './harness.ts';

const denied = { status: 403, reason: 'Forbidden', message: 'admission webhook denied it: token=hunter2' };
const thin = () => boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })]);
const synced = (at: Harness, kind = 'ThinRuntime') => at.conditions(kind)['Synced'] ?? '';
/** Reasons of warnings, once each. */
const warnings = (at: Harness) => [
  ...new Set(at.events.filter(({ type }) => type === 'Warning').map(({ regarding, reason }) => `${regarding.kind} ${reason}`)),
];
/** Something in the inventory that no plan has any more. */
const leftover = (at: Harness): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'old', labels: { 'data.fluid.io/owner-uid': at.get('ThinRuntime')?.metadata.uid ?? '' } },
});

describe('a write that the API server rejects in a pass is reported on the runtime', () => {
  test('the patch of the metadata of the runtime: no object is created', async () => {
    const at = await harness();
    at.server.rules.refuse({ verb: 'patch', kind: 'ThinRuntime', subresource: '' }, denied);
    at.put(openDataset('demo'));
    at.put(thinRuntime('demo', { profileName: 'profile' }));
    await at.advance(10_000);
    at.start();
    await at.advance(10_000);
    expect(synced(at)).toMatch(/^False UpdateFailed: ThinRuntime\/demo: PATCH .*denied it/);
    expect(warnings(at)).toEqual(['ThinRuntime ErrorProcessRuntime', 'Dataset ErrorProcessDataset']);
    expect(at.get('DaemonSet', 'demo-fuse')).toBeUndefined();
  });
  test('a deletion, and workers that are not ready are still reported', async () => {
    const at = await boundHarness([openDataset('demo'), exampleRuntime('demo', { replicas: 2 })]);
    const rule = at.server.rules.refuse({ verb: 'delete', kind: 'ConfigMap' }, denied);
    at.put({
      ...leftover(at),
      metadata: { name: 'old', labels: { 'data.fluid.io/owner-uid': at.get('ExampleRuntime')?.metadata.uid ?? '' } },
    });
    await at.advance(5_000);
    at.controllers.unready.add('ml/demo-worker');
    await at.advance(60_000);
    expect(synced(at, 'ExampleRuntime')).toMatch(/^False DeleteFailed: .*DELETE .*configmaps\/old.*denied it/);
    expect(at.runtime('ExampleRuntime')).toMatchObject({ workerPhase: 'NotReady', workerNumberReady: 0 });
    expect(at.dataset().phase).toBe('Failed');
    expect(warnings(at)).toEqual(['ExampleRuntime ErrorProcessRuntime', 'Dataset ErrorProcessDataset']);
    rule.remove();
    at.controllers.unready.clear();
    await at.advance(120_000);
    expect(at.get('ConfigMap', 'old')).toBeUndefined();
    expect(synced(at, 'ExampleRuntime')).toMatch(/^True/);
  });
  test.each([denied, { status: 409, reason: 'Conflict', message: 'a backup runs' }])(
    'what is to go, each object by itself: %j',
    async (refusal) => {
      const at = await thin();
      for (const name of ['kept', 'old', 'other', 'stuck'])
        at.put({ ...leftover(at), metadata: { ...leftover(at).metadata, name } } as KubeObject);
      const rules = ['kept', 'stuck'].map((name) => at.server.rules.refuse({ verb: 'delete', kind: 'ConfigMap', name }, refusal));
      await at.advance(60_000);
      expect(['kept', 'old', 'other', 'stuck'].filter((name) => at.get('ConfigMap', name))).toEqual(['kept', 'stuck']);
      expect(synced(at)).toMatch(/^False .*configmaps\/kept: .* Also refused: ConfigMap\/stuck$/);
      for (const rule of rules) rule.remove();
      await at.advance(300_000);
      expect(['kept', 'stuck'].filter((name) => at.get('ConfigMap', name))).toEqual([]);
      expect(synced(at)).toMatch(/^True/);
    },
  );
  test('that a volume remembers another claim', async () => {
    const at = await thin();
    at.server.rules.refuse({ verb: 'patch', kind: 'PersistentVolume' }, denied);
    at.server.remove('PersistentVolumeClaim', 'ml', 'demo');
    await at.advance(30_000);
    expect(synced(at)).toMatch(/^False UpdateFailed: PersistentVolume\/ml-demo: PATCH .*denied it/);
  });
  test('that a claim is completed: nothing is promised until it is', async () => {
    const at = await harness();
    at.controllers.paused.add('claims');
    const rule = at.server.rules.refuse({ verb: 'patch', kind: 'PersistentVolumeClaim' }, denied);
    at.put(openDataset('demo'));
    at.put(thinRuntime('demo', { profileName: 'profile' }));
    at.start();
    await at.advance(20_000);
    expect(at.get('PersistentVolume', 'ml-demo')?.['status']).toEqual({ phase: 'Bound' });
    expect(synced(at)).toMatch(/^False UpdateFailed: PersistentVolumeClaim\/demo: PATCH .*denied it/);
    expect(at.dataset().phase).not.toBe('Bound');
    expect(at.conditions('Dataset')['NotReady']).toMatch(/PersistentVolumeClaim\/demo: PATCH .*denied it/);
    rule.remove();
    at.controllers.paused.delete('claims');
    await at.advance(120_000);
    expect(at.get('PersistentVolumeClaim')?.['status']).toMatchObject({ phase: 'Bound' });
    expect(synced(at)).toMatch(/^True/);
    expect(at.dataset().phase).toBe('Bound');
  });
  test('that a completed claim which is still not bound is nudged, for as long as it is refused', async () => {
    const at = await harness();
    at.controllers.paused.add('claims');
    at.put(openDataset('demo'));
    at.put(thinRuntime('demo', { profileName: 'profile' }));
    at.start();
    await at.advance(2_000);
    expect(synced(at)).toMatch(/^True/);
    const rule = at.server.rules.refuse({ verb: 'patch', kind: 'PersistentVolumeClaim' }, denied);
    await at.advance(2_000);
    expect(synced(at)).toMatch(/^False UpdateFailed: PersistentVolumeClaim\/demo: PATCH .*denied it/);
    await at.advance(600_000);
    expect(synced(at)).toMatch(/^False UpdateFailed/);
    rule.remove();
    await at.advance(300_000);
    expect(at.get('PersistentVolumeClaim')?.['status']).toMatchObject({ phase: 'Pending' });
    expect(synced(at)).toMatch(/^True/);
  });
  test('the annotation for a new configuration on fuse pods; it is written once the API server accepts it', async () => {
    const at = await thin();
    at.controllers.settle();
    at.put({ ...at.get('Node', 'node-1')!, metadata: { ...at.get('Node', 'node-1')!.metadata, labels: { 'fluid.io/f-ml-demo': 'true' } } });
    await at.quiet();
    const pods = () => at.server.all('Pod').filter(({ metadata }) => metadata.name.startsWith('demo-fuse'));
    const updates = () => pods().map(({ metadata }) => metadata.annotations?.['fluid.io/f-update-fuse-config']);
    expect(updates()).toEqual([undefined]);
    const rule = at.server.rules.refuse({ verb: 'patch', kind: 'Pod' }, denied);
    at.edit('Dataset', { mounts: [{ mountPoint: 's3://other', name: 'data' }] });
    await at.advance(20_000);
    expect(synced(at)).toMatch(/^False UpdateFailed: ThinRuntime\/demo: PATCH .*denied it/);
    rule.remove();
    await at.advance(60_000);
    expect(updates()).toEqual(['1']);
    expect(synced(at)).toMatch(/^True/);
  });
  test('without credentials, in conditions and events', async () => {
    const at = await thin();
    at.server.rules.refuse({ verb: ['apply', 'create'], kind: 'DaemonSet' }, denied);
    at.delete('DaemonSet', 'demo-fuse');
    await at.advance(20_000);
    expect(synced(at)).toContain('token=[redacted]');
    expect(at.events.some(({ note }) => note?.includes('token=[redacted]'))).toBe(true);
    expect(JSON.stringify([at.runtime(), at.dataset(), at.events])).not.toContain('hunter2');
  });
});

test('a rejected write for a Dataset without a runtime is reported on the Dataset', async () => {
  const at = await harness();
  at.server.rules.refuse({ verb: 'patch', kind: 'Dataset', subresource: '' }, denied);
  at.put(openDataset('demo'));
  at.start();
  await at.advance(10_000);
  expect(at.conditions('Dataset')['NotReady']).toMatch(/^True DatasetFailedToSetup: PATCH .*denied it/);
  expect(warnings(at)).toEqual(['Dataset ErrorProcessDataset']);
});

describe('a rejected write of a deletion is reported as an error of the deletion', () => {
  test('on the runtime', async () => {
    const at = await thin();
    const rule = at.server.rules.refuse({ verb: 'delete', kind: 'PersistentVolume' }, denied);
    at.delete('ThinRuntime');
    await at.advance(20_000);
    expect(synced(at)).toMatch(/^False DeleteFailed: DELETE .*denied it/);
    expect(warnings(at)).toContain('ThinRuntime ErrorDeleteRuntime');
    rule.remove();
    await at.advance(60_000);
    expect(at.get('ThinRuntime')).toBeUndefined();
  });
  test('on the runtime, when the list of pods is forbidden', async () => {
    const at = await thin();
    at.server.rules.refuse({ verb: 'list', kind: 'Pod' }, denied);
    at.delete('ThinRuntime');
    await at.advance(20_000);
    expect(synced(at)).toMatch(/^False LookupFailed: GET .*denied it/);
    expect(warnings(at)).toContain('ThinRuntime ErrorDeleteRuntime');
  });
  test('on the Dataset, whose runtime may not go', async () => {
    const at = await thin();
    at.server.rules.refuse({ verb: 'delete', kind: 'ThinRuntime' }, denied);
    at.delete('Dataset');
    await at.advance(20_000);
    expect(at.conditions('Dataset')['NotReady']).toMatch(/^True DeleteFailed: DELETE .*denied it/);
    expect(warnings(at)).toEqual(['Dataset ErrorDeleteDataset']);
  });
  test('on the Dataset, once while pods mount it', async () => {
    const at = await thin();
    at.put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'reader' },
      spec: { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'demo' } }], containers: [] },
      status: { phase: 'Running' },
    });
    at.delete('Dataset');
    await at.advance(30_000);
    expect(at.conditions('Dataset')['NotReady']).toBe('True StillMounted: waiting for pods that mount the dataset: reader');
    expect(at.events.filter(({ reason }) => reason === 'ErrorDeleteDataset')).toHaveLength(1);
  });
});

test('a runtime that cannot be deleted does not delay the report on another runtime of its name', async () => {
  const at = await thin();
  at.put(jfsRuntime('demo'));
  await at.quiet();
  at.server.rules.refuse({ verb: 'delete', kind: 'PersistentVolume' }, denied);
  at.delete('ThinRuntime');
  at.put(exampleRuntime('demo', { replicas: 1 }));
  await at.advance(20_000);
  expect(synced(at)).toMatch(/^False DeleteFailed/);
  expect(at.conditions('ExampleRuntime')['DatasetTaken']).toBe('True DatasetTaken: JuiceFSRuntime demo serves the dataset');
});

describe('a Secret that may not be read', () => {
  test('does not keep a runtime that is being deleted', async () => {
    const at = await harness();
    at.put(jfsSecret());
    at.put(jfsDataset('demo'));
    at.put(jfsRuntime('demo'));
    at.controllers.unready.add('ml/demo-worker');
    await at.quiet();
    expect(at.dataset().phase).toBe('NotBound');
    at.controllers.unready.clear();
    at.server.rules.refuse({ verb: 'get', kind: 'Secret' }, denied);
    await at.restart();
    at.delete('JuiceFSRuntime');
    await at.quiet();
    expect(at.get('JuiceFSRuntime')).toBeUndefined();
    expect(at.get('StatefulSet', 'demo-worker')).toBeUndefined();
  });
  test('does not keep a bound dataset from being repaired', async () => {
    const at = await boundHarness([jfsSecret(), jfsDataset('demo'), jfsRuntime('demo')]);
    at.server.rules.refuse({ verb: 'get', kind: 'Secret' }, denied);
    at.edit('JuiceFSRuntime', { fuse: { options: { verbose: '' } } });
    at.delete('DaemonSet', 'demo-fuse');
    await at.advance(30_000);
    expect(at.get('DaemonSet', 'demo-fuse')).toBeDefined();
  });
});

test('the error of a command is reported without the password in it', async () => {
  const text = 'sh in ml/demo-worker-0 failed: dial mysql://root:hunter2@(db:3306)/jfs: connection refused';
  const at = await boundHarness([jfsSecret(), jfsDataset('demo'), jfsRuntime('demo')], { exec: () => Promise.reject(new Error(text)) });
  at.delete('JuiceFSRuntime');
  at.controllers.paused.add('statefulsets');
  const reported: string[] = [];
  for (let i = 0; i < 20; i++) {
    await at.advance(500);
    reported.push(synced(at, 'JuiceFSRuntime'));
  }
  expect(reported.find((condition) => condition.includes('CleaningCache'))).toContain('mysql://[redacted]@(db:3306)/jfs');
  expect(JSON.stringify([reported, at.events])).not.toContain('hunter2');
});

describe('a status', () => {
  test('that may not be written is tried again, the other is written, and the log says so', async () => {
    const at = await harness();
    const rule = at.server.rules.refuse({ verb: 'patch', kind: 'ThinRuntime', subresource: 'status' }, denied);
    at.put(openDataset('demo'));
    at.put(thinRuntime('demo', { profileName: 'profile' }));
    at.start();
    await at.advance(20_000);
    expect(at.dataset().phase).toBe('Bound');
    expect(at.passes.some(({ error }) => error?.message.includes('denied it'))).toBe(true);
    expect(warnings(at)).toEqual(['ThinRuntime ErrorProcessRuntime']);
    expect(JSON.stringify(at.events)).not.toContain('hunter2');
    rule.remove();
    await at.advance(60_000);
    expect(synced(at)).toMatch(/^True/);
  });
  test('of a Dataset that the API server rejects is reported on the runtime, once, and in an event of the Dataset', async () => {
    const at = await harness();
    const rule = at.server.rules.refuse({ verb: 'patch', kind: 'Dataset', subresource: 'status' }, denied);
    at.put(openDataset('demo'));
    at.put(thinRuntime('demo', { profileName: 'profile' }));
    at.start();
    await at.advance(20_000);
    expect(synced(at)).toMatch(/^False UpdateFailed: Dataset\/demo: PATCH .*denied it/);
    expect(synced(at)).not.toContain('hunter2');
    expect(warnings(at)).toEqual(['Dataset ErrorProcessDataset']);
    at.forget();
    await at.advance(200_000);
    expect(at.written({ kind: 'ThinRuntime' })).toEqual([]);
    expect(rule.met).toBeLessThan(30);
    rule.remove();
    await at.advance(300_000);
    expect(synced(at)).toMatch(/^True/);
    expect(at.dataset().phase).toBe('Bound');
  });
  test('that was rejected once is reported nowhere', async () => {
    const at = await harness();
    at.server.rules.refuse({ verb: 'patch', kind: 'Dataset', subresource: 'status', times: 1 } as never, denied);
    at.put(openDataset('demo'));
    at.put(thinRuntime('demo', { profileName: 'profile' }));
    await at.quiet();
    expect(synced(at)).toMatch(/^True/);
    expect(warnings(at)).toEqual([]);
  });
  test('does not overwrite what another writer wrote since the observation: the next pass follows at once, without a report', async () => {
    const at = await thin();
    const held = at.server.rules.hold({ verb: 'patch', kind: 'ThinRuntime', subresource: 'status' });
    at.controllers.unready.add('ml/demo-fuse');
    at.delete('DaemonSet', 'demo-fuse');
    at.start();
    await at.advance(2_000);
    expect(held.waiting).toBe(1);
    at.edit('Dataset', { mounts: [{ mountPoint: 's3://other', name: 'data' }] });
    at.edit('ThinRuntime', { fuse: { options: { a: 'b' } } });
    held.release();
    await at.quiet();
    expect(at.server.requestsThat({ kind: 'ThinRuntime', subresource: 'status' }).map(({ status }) => status)).toContain(409);
    expect(at.passes.filter(({ error }) => error)).toEqual([]);
    expect(at.runtime().observedGeneration).toBe(2);
    expect(synced(at)).toMatch(/^True/);
  });
  test('is written although the watch hangs, once what is there was read', async () => {
    const at = await boundHarness([openDataset('demo'), exampleRuntime('demo', { replicas: 2 })]);
    at.server.hold('ExampleRuntime');
    const runtime = at.get('ExampleRuntime')!;
    at.put({ ...runtime, metadata: { ...runtime.metadata, labels: { ...runtime.metadata.labels, touched: 'yes' } } });
    at.controllers.unready.add('ml/demo-worker');
    await at.advance(2_000);
    expect(at.server.requestsThat({ kind: 'ExampleRuntime', subresource: 'status' }).map(({ status }) => status)).toEqual([409, 200]);
    expect(at.runtime('ExampleRuntime').workerNumberReady).toBe(0);
  });
});

describe('failures', () => {
  const api = (status: number) => new ApiError({ method: 'GET', path: '/x' }, status, 'no', { body: { reason: 'R' } });
  test.each<[string, unknown, string]>([
    ['what the API server refuses', api(403), 'DeleteFailed'],
    ['a race with another writer', api(409), 'Conflict'],
    ['no answer', new NoAnswer({ method: 'GET', path: '/x' }, 'refused', { mayHaveArrived: false }), 'DeleteFailed'],
    ['a defect', new TypeError('undefined is not a function'), 'InternalError'],
  ])('name %s', async (_, error, reason) =>
    expect(await attempt('DeleteFailed', 'Pod/p', () => Promise.reject(error))).toMatchObject([{ reason, object: 'Pod/p' }]),
  );
  test('keep nothing else from being done', async () => {
    const done: number[] = [];
    const work = (n: number, error?: Error) => async () => {
      done.push(n);
      if (error) throw error;
      return n;
    };
    await expect(each([work(1, new Error('one')), work(2), work(3, new Error('three'))])).rejects.toThrow('one; three');
    expect(done).toEqual([1, 2, 3]);
    expect(await each([work(4), work(5)])).toEqual([4, 5]);
  });
});
