import { describe, expect, test } from 'vitest';
import { schemaOf } from '../../../src/api/crd.ts';
import { type RuntimeStatus, ThinRuntime } from '../../../src/api/index.ts';
import { readerOf } from '../../../src/api/reader.ts';
import { decide } from '../../../src/reconciler/decide.ts';
import { noticesOf, reportOnDataset, reportOnRuntime } from '../../../src/reconciler/status/report.ts';
import { nothingApplied, type World } from '../../../src/reconciler/world.ts';
import * as write from '../../support/objects.ts';
import { demo, harness } from '../harness.ts';
import { type Changes, claim, pods, volume, worldOf } from '../worlds.ts';

const hold = { reason: 'InvalidSpec', message: 'spec.x: expected y' } as const;

describe('a report', () => {
  async function reporting(status?: object) {
    const at = await harness();
    at.put({ ...write.thinRuntime('demo', { profileName: 'profile' }), ...(status && { status }) });
    at.put({ ...write.openDataset('demo'), ...(status && { status }) });
    await at.settle();
    at.forget();
    const runtime = () => at.store.runtimes(demo)[0]!.object;
    const dataset = () => at.store.dataset(demo)!;
    return { at, cluster: at.cluster, runtime, dataset };
  }

  test.each([undefined, {}, { workerPhase: 'Ready', desiredWorkerNumberScheduled: 3 }])(
    'a runtime whose status is %j writes one that the schema admits',
    async (status) => {
      const { at, cluster, runtime } = await reporting(status);
      await reportOnRuntime(cluster, runtime(), hold);
      const visit = { path: [], faults: [], unknownFields: 'error' as const };
      readerOf(schemaOf(ThinRuntime).properties?.['status'] ?? {})(at.runtime(), visit);
      expect(visit.faults).toEqual([]);
      expect(at.runtime()).toMatchObject({ ...status, observedGeneration: 1 });
    },
  );
  test('is a condition and an event, once', async () => {
    const { at, cluster, runtime } = await reporting();
    await reportOnRuntime(cluster, runtime(), hold);
    await reportOnRuntime(cluster, runtime(), hold);
    expect(at.written()).toEqual(['patch ThinRuntime/demo/status']);
    expect(at.events).toMatchObject([
      { type: 'Warning', reason: 'ErrorProcessRuntime', note: hold.message, regarding: { kind: 'ThinRuntime', name: 'demo' } },
    ]);
  });
  test('of what passes is no event', async () => {
    const { at, cluster, runtime, dataset } = await reporting();
    await reportOnRuntime(cluster, runtime(), { ...hold, reason: 'Deleting' });
    await reportOnDataset(cluster, dataset(), { ...hold, reason: 'Deleting' });
    expect(at.events).toEqual([]);
  });
  test('of a Dataset without a status says that it is not bound', async () => {
    const { at, cluster, dataset } = await reporting();
    await reportOnDataset(cluster, dataset(), hold);
    expect(at.dataset()).toMatchObject({
      phase: 'NotBound',
      conditions: [{ type: 'NotReady', status: 'True', reason: 'DatasetFailedToSetup', message: hold.message }],
    });
  });
  test('of a Dataset that is bound leaves it so', async () => {
    const { at, cluster, dataset } = await reporting({ phase: 'Bound', conditions: [{ type: 'Ready', status: 'True' }] });
    await reportOnDataset(cluster, dataset(), hold);
    expect(at.get('Dataset')?.['status']).toMatchObject({
      phase: 'Bound',
      conditions: [
        { type: 'Ready', status: 'False' },
        { type: 'NotReady', status: 'True' },
        { type: 'Stalled', status: 'True', reason: 'InvalidSpec' },
      ],
    });
  });
});

describe('events', () => {
  const well: Changes = { workloads: { master: pods(1), worker: pods(1), fuse: pods(0) }, volume: volume('Bound'), claim: claim() };
  const warnings = [{ reason: 'RuntimeDeprecated', message: 'write it in another way' }];
  const world = (changes: Changes = {}): World => {
    const plain = worldOf(undefined, undefined, { ...well, ...changes });
    return { ...plain, plan: { ...plain.plan, base: { ...plain.plan.base, warnings } } };
  };
  const bound = (status: Partial<RuntimeStatus>, more: Changes = {}): World =>
    world({
      bound: true,
      dataset: { status: { phase: 'Bound', conditions: [] } },
      runtime: {
        status: {
          observedGeneration: 1,
          desiredWorkerNumberScheduled: 1,
          conditions: [{ type: 'SpecWarning', status: 'True', message: 'write it in another way' }],
          ...status,
        } as RuntimeStatus,
      },
      ...more,
    });
  const notices = (of: World, failed: (typeof nothingApplied)['failed'] = []) =>
    noticesOf(of, decide(of), { ...nothingApplied, failed }).map(({ about, reason, note }) => `${about} ${reason}: ${note}`);
  const deprecated = 'runtime RuntimeDeprecated: write it in another way';

  test.each<[string, World, readonly string[]]>([
    ['a dataset that is bound at last what its spec says, as its phase shows the rest', world(), [deprecated]],
    ['nothing, when nothing happened', bound({}), []],
    ['an edit that should be written in another way', bound({ observedGeneration: 0 }), [deprecated]],
    ['what an edit of another object brought', bound({ conditions: [] }), [deprecated]],
    ['more workers', bound({ desiredWorkerNumberScheduled: 0 }), ['runtime Succeed: Runtime scaled out from 0 to 1 workers']],
    ['fewer workers', bound({ desiredWorkerNumberScheduled: 3 }), ['runtime Succeed: Runtime scaled in from 3 to 1 workers']],
    [
      'what is waited for and will last, on both',
      world({ missingSecrets: [{ name: 's' }] }),
      ['runtime ErrorProcessRuntime: waiting for Secret ml/s', 'dataset ErrorProcessDataset: waiting for Secret ml/s'],
    ],
    ['nothing of what passes', world({ workloads: {} }), []],
  ])('report %s', (_, of, expected) => expect(notices(of)).toEqual(expected));
  test('report each object that was rejected, on both, and nothing else', () =>
    expect(
      notices(world(), [
        { reason: 'NameTaken', object: 'ConfigMap/a', message: 'taken' },
        { reason: 'ApplyFailed', object: 'Service/b', message: 'no' },
      ]),
    ).toEqual([
      'runtime ErrorProcessRuntime: ConfigMap/a: taken',
      'dataset ErrorProcessDataset: ConfigMap/a: taken',
      'runtime ErrorProcessRuntime: Service/b: no',
      'dataset ErrorProcessDataset: Service/b: no',
    ]));
  test('report once, on both, nodes that the spec no longer selects and that are in use', () => {
    const waiting = [{ object: 'DaemonSet/demo-fuse', nodes: [{ name: 'node-1', pods: ['app'] }] }];
    const noticed = (of: World) => noticesOf(of, decide(of), { ...nothingApplied, waiting });
    const first = noticed(bound({}));
    expect(first.map(({ about, reason }) => `${about} ${reason}`)).toEqual(['runtime PlacementWaiting', 'dataset PlacementWaiting']);
    const { note: message } = first[0]!;
    const conditions = [{ type: 'PlacementWaiting', status: 'True' as const, message }];
    expect(noticed(bound({ conditions })).map(({ reason }) => reason)).not.toContain('PlacementWaiting');
  });
});
