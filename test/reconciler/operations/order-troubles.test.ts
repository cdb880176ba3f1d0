/** The order of operations when specs are hostile, are edited late, or when objects disappear. */
import { describe, expect, test, vi } from 'vitest';
import type { DataLoadSpec } from '../../../src/api/index.ts';
import { NoAnswer } from '../../../src/kube/errors.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { jfsDataset, jfsRuntime } from '../../support/objects.ts';
import { bound, ended, load, ON_DEMO, reasonOf, running, statusOf } from './given.ts';

const after = (name: string, more: Partial<DataLoadSpec> = {}): DataLoadSpec => ({
  ...ON_DEMO,
  runAfter: { kind: 'DataLoad', name },
  ...more,
});
const near = (name: string, namespace = 'ml') => ({ policy: 'Require', dependOn: { kind: 'DataLoad', name, namespace } }) as const;

describe('where an operation ran', () => {
  test('is reported by labels of its node only, whatever names its annotation lists', async () => {
    const at = await bound();
    const annotations = { 'affinity.dataflow.fluid.io/labels': 'constructor,__proto__,toString' };
    at.put({ ...load(), metadata: { name: 'warm', annotations } });
    await at.quiet();
    await ended(at, 'Succeeded');
    const [term] = statusOf(at).nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
    expect(term?.matchExpressions?.map(({ key }) => key)).toEqual(['kubernetes.io/hostname']);
  });
  test('is not told to a namespace that it does not list, also after an edit', async () => {
    const at = await running();
    at.put(load(ON_DEMO, 'first'));
    await at.quiet();
    await ended(at, 'Succeeded');
    await ended(at, 'Succeeded', '', 'first');
    at.put({ ...(at.get('DataLoad', 'first') as KubeObject), metadata: { name: 'private', namespace: 'web' } });
    at.put(load(ON_DEMO, 'busy'));
    await at.quiet();
    at.put(load(after('first'), 'second'));
    await at.quiet();
    expect(statusOf(at, 'second').waitingFor).toEqual({ operationComplete: false });
    at.edit('DataLoad', { runAfter: { kind: 'DataLoad', name: 'first', affinityStrategy: near('private', 'web') } }, 'second');
    await at.quiet();
    await ended(at, 'Succeeded', '', 'busy');
    expect(statusOf(at, 'second').phase).toBe('Executing');
    expect(JSON.stringify(at.get('Job', 'second-loader-job'))).not.toContain('kubernetes.io/hostname');
  });
});

test('a circle through the operation near which one runs is reported on each', async () => {
  const at = await bound();
  at.put(load(after('warm', { runAfter: { kind: 'DataLoad', name: 'warm', affinityStrategy: near('b') } }), 'a'));
  at.put(load(after('a'), 'b'));
  at.put(load());
  await at.quiet();
  await ended(at, 'Succeeded');
  expect([reasonOf(at, 'a'), reasonOf(at, 'b')]).toEqual(['RunAfterCycle', 'RunAfterCycle']);
  expect(statusOf(at, 'a').conditions?.[0]?.message).toContain('DataLoad ml/b, which waits for DataLoad ml/a');
});

describe('an operation that expires', () => {
  const ttl = (spec: Partial<DataLoadSpec> = {}): DataLoadSpec => ({ ...ON_DEMO, ttlSecondsAfterFinished: 1, ...spec });
  test('does so whatever operations of other namespaces name it, if they may not wait for it', async () => {
    const at = await bound();
    at.put(load(ttl()));
    at.put({ ...jfsDataset('demo'), metadata: { name: 'demo', namespace: 'web' } });
    at.put({
      ...load(after('warm', { runAfter: { kind: 'DataLoad', name: 'warm', namespace: 'ml' } })),
      metadata: { name: 'x', namespace: 'web' },
    });
    await at.quiet();
    await ended(at, 'Succeeded');
    await at.quiet(60_000);
    expect(at.get('DataLoad', 'warm')).toBeUndefined();
  });
  test('stays until one has seen its end that waits for a Dataset too', async () => {
    const at = await bound();
    at.put(load(ttl()));
    at.put(load(after('warm', { dataset: { name: 'late' } }), 'second'));
    await at.quiet();
    await ended(at, 'Succeeded');
    await at.quiet();
    expect([at.get('DataLoad', 'warm'), statusOf(at, 'second').waitingFor?.operationComplete]).toEqual([undefined, false]);
    at.put(jfsDataset('late'));
    at.put(jfsRuntime('late'));
    await at.quiet();
    expect(statusOf(at, 'second').phase).toBe('Executing');
  });
  test('stays until all have seen its end, also when a controller starts that has much to do', async () => {
    const at = await bound();
    at.put(load(ttl(), 'a'));
    await at.quiet();
    for (let i = 0; i < 40; i++) at.put(load(ON_DEMO, `b${i}`));
    at.put(load(after('a'), 'z'));
    await at.quiet();
    at.kill();
    const lastTransitionTime = '2026-01-02T03:04:06Z';
    const conditions = [{ type: 'Complete', status: 'True', lastTransitionTime }];
    at.put({ ...(at.get('DataLoad', 'a') as KubeObject), status: { phase: 'Complete', duration: '1s', conditions } } as KubeObject);
    await at.advance(5000);
    await at.restart();
    await at.quiet();
    expect([at.get('DataLoad', 'a'), reasonOf(at, 'z')]).toEqual([undefined, 'WaitingForTurn']);
  });
  test('does so once the one that waited for it is deleted', async () => {
    const at = await bound();
    at.put(load(ttl()));
    at.put(load(after('warm', { dataset: { name: 'late' } }), 'second'));
    await at.quiet();
    at.server.rules.refuse({ verb: 'patch', kind: 'DataLoad', name: 'second' }, { status: 403, reason: 'Forbidden' });
    await ended(at, 'Succeeded');
    await at.quiet();
    expect(at.get('DataLoad', 'warm')).toBeDefined();
    at.delete('DataLoad', 'second');
    await at.quiet();
    expect(at.get('DataLoad', 'warm')).toBeUndefined();
  });
});

describe('the line', () => {
  test('moves at once when the one that runs is edited to be about another Dataset', async () => {
    const at = await running();
    at.put(load(ON_DEMO, 'next'));
    await at.quiet();
    at.edit('DataLoad', { dataset: { name: 'other' } }, 'warm');
    await at.settle();
    expect(statusOf(at, 'next').phase).toBe('Executing');
  });
  test('is not held up by one that is deleted and keeps a finalizer of others', async () => {
    const at = await bound();
    at.put({ ...load(), metadata: { name: 'warm', finalizers: ['example.com/archive'] } });
    at.put(load(ON_DEMO, 'next'));
    await at.quiet();
    at.delete('DataLoad', 'warm');
    await at.quiet(60_000);
    expect([at.get('DataLoad', 'warm')?.metadata.finalizers, statusOf(at, 'next').phase]).toEqual([['example.com/archive'], 'Executing']);
  });
  test('waits for a Job whose creation was not answered, though no watch shows it', async () => {
    const at = await bound();
    at.server.hold('Job');
    const lost = {
      after: () => Promise.reject(new NoAnswer({ method: 'POST', path: '/jobs' }, new Error('reset'), { mayHaveArrived: true })),
    };
    at.server.rules.add({ verb: 'create', kind: 'Job', name: 'a-loader-job', times: 1 }, lost);
    at.put(load(ON_DEMO, 'a'));
    at.put(load(ON_DEMO, 'b'));
    await at.quiet();
    expect(at.server.all('Job').map(({ metadata }) => metadata.name)).toEqual(['a-loader-job']);
    expect(statusOf(at, 'a').phase).toBe('Executing');
  });
  test('is computed once for all who wait, while it does not move', async () => {
    const at = await running();
    for (let i = 0; i < 30; i++) at.put(load(i % 2 ? after('absent') : ON_DEMO, `b${i}`));
    await at.quiet(120_000);
    const computed = vi.spyOn(at.store.operations, 'unfinished');
    at.forget();
    await at.advance(120_000);
    expect(at.passes.length).toBeGreaterThan(30);
    // Without a kind, their Dataset asks which of them run.
    expect(computed.mock.calls.filter(([, kind]) => kind !== undefined).length).toBeLessThan(2);
    expect(at.written()).toEqual([]);
  });
});
