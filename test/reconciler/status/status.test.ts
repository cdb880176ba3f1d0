import { describe, expect, test } from 'vitest';
import thin from '../../../runtimes/thin/index.ts';
import type { DatasetStatus, RuntimeStatus } from '../../../src/api/index.ts';
import { decide } from '../../../src/reconciler/decide.ts';
import { phaseOf } from '../../../src/reconciler/status/pods.ts';
import { statusOf, type Statuses } from '../../../src/reconciler/status/status.ts';
import { type Applied, nothingApplied, type World } from '../../../src/reconciler/world.ts';
import { given } from '../../runtimes/thin/given.ts';
import { type Changes, claim, exampleInput, listed, now, pods, UNLISTED, volume, worldOf } from '../worlds.ts';
import { ownStatus } from '../../support/own-status.ts';

const well: Changes = {
  bound: true,
  workloads: { master: pods(1), worker: pods(1), fuse: pods(0) },
  volume: volume('Bound'),
  claim: claim(),
};
const exampleWorld = (changes: Changes = {}) => worldOf(undefined, exampleInput(), changes);
const reported = (world: World, applied: Partial<Applied> = {}) => statusOf(world, decide(world), { ...nothingApplied, ...applied });

/** The world in which a status was written. */
const after = (world: World, { runtime, dataset }: Statuses): World => ({
  ...world,
  now: world.now + 60_000,
  bound: dataset.phase !== 'NotBound',
  runtime: { ...world.runtime, status: runtime },
  dataset: { ...world.dataset, status: { ...world.dataset.status, ...dataset } as DatasetStatus },
});
const texts = (list: readonly { type: string; status: string; reason?: string; message?: string }[] | undefined) =>
  Object.fromEntries((list ?? []).map(({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`]));
const failed = [{ reason: 'NameTaken', object: 'ConfigMap/demo', message: 'it exists already' } as const];

test.each([
  [undefined, ''],
  [pods(0, 0), 'Ready'],
  [pods(0, 2), 'NotReady'],
  [pods(1, 2), 'PartialReady'],
  [pods(2, 2), 'Ready'],
  [pods(3, 2), 'Ready'],
])('the phase of %o is "%s"', (workload, phase) => expect(phaseOf(workload)).toBe(phase));

describe('the Dataset', () => {
  test.each<[string, Changes, Partial<Applied>, string, Record<string, string>]>([
    ['NotBound on the way', {}, {}, 'NotBound', { NotReady: 'True MasterNotReady: 0 of 1 master pods are ready' }],
    [
      'NotBound for a reason that lasts',
      { missingSecrets: [{ name: 's' }] },
      {},
      'NotBound',
      { NotReady: 'True DatasetFailedToSetup: waiting for Secret ml/s' },
    ],
    [
      'NotBound while an object is refused, though nothing else holds it',
      { ...well, bound: false },
      { failed },
      'NotBound',
      { NotReady: 'True DatasetFailedToSetup: ConfigMap/demo: it exists already' },
    ],
    ['Bound when nothing holds it', { ...well, bound: false }, {}, 'Bound', { Ready: 'True DatasetReady: The ddc runtime is ready.' }],
    [
      'Bound though an object is refused, once it serves',
      well,
      { failed },
      'Bound',
      { Ready: 'True NameTaken: The ddc runtime is ready. ConfigMap/demo: it exists already' },
    ],
    [
      'Bound while its volume is made again',
      { ...well, volume: volume('Pending') },
      {},
      'Bound',
      { Ready: 'True VolumePending: The ddc runtime is ready. the volume is Pending' },
    ],
    [
      'Bound while its claim is being deleted, and says what that keeps away',
      { ...well, claim: { ...claim(), metadata: { ...claim().metadata, deletionTimestamp: '2026-01-02T03:04:00Z' } } },
      {},
      'Bound',
      { Ready: expect.stringMatching(/^True VolumePending: The ddc runtime is ready\. the claim is being deleted; .* no other pod/) },
    ],
    [
      'Bound while nodes that the spec no longer selects are in use, and names them',
      well,
      { waiting: [{ object: 'DaemonSet/demo-fuse', nodes: [{ name: 'node-1', pods: ['app'] }] }] },
      'Bound',
      { Ready: expect.stringMatching(/^True PlacementWaiting: The ddc runtime is ready\. Fuse pods stay .* node-1 \(app\)/) },
    ],
    [
      'Failed without any worker',
      { ...well, workloads: { ...well.workloads, worker: pods(0, 2) } },
      {},
      'Failed',
      { Ready: 'False DatasetFailed: 0 of 2 worker pods are ready' },
    ],
    [
      'Failed when a workload is gone',
      { ...well, workloads: { master: pods(1), fuse: pods(0) } },
      {},
      'Failed',
      { Ready: 'False DatasetFailed: 0 of 1 worker pods are ready' },
    ],
    [
      'Bound with one worker of two',
      { ...well, workloads: { ...well.workloads, worker: pods(1, 2) } },
      {},
      'Bound',
      { Ready: 'True DatasetReady: The ddc runtime is ready.' },
    ],
    [
      'Updating while mounts change',
      { ...well, mounts: listed([]) },
      {},
      'Updating',
      { Updating: 'True DatasetUpdating: 1 mount to change' },
    ],
  ])('is %s', (_, changes, applied, phase, conditions) => {
    const { dataset } = reported(exampleWorld(changes), applied);
    expect(dataset.phase).toBe(phase);
    expect(texts(ownStatus<DatasetStatus>({ kind: 'Dataset', status: dataset }).conditions)).toEqual(conditions);
  });
  test('stays what it was while the masters are asked for their mounts after a restart', () => {
    const bound = exampleWorld({ ...well, dataset: { status: { phase: 'Bound', conditions: [] } } });
    expect(reported({ ...bound, mounts: UNLISTED }).dataset.phase).toBe('Bound');
  });
  test('says that it is ready again after a failure, with the time of the change', () => {
    const broken = exampleWorld({ ...well, workloads: { ...well.workloads, worker: pods(0, 1) } });
    const mended = after({ ...broken, workloads: well.workloads! }, reported(broken));
    expect(reported(mended).dataset.conditions).toEqual([
      {
        type: 'Ready',
        status: 'True',
        reason: 'DatasetReady',
        message: 'The ddc runtime is ready.',
        lastUpdateTime: '2026-01-02T03:05:05Z',
        lastTransitionTime: '2026-01-02T03:05:05Z',
      },
    ]);
  });
  test('takes back NotReady and Updating once it is bound', () => {
    const held = exampleWorld({ missingSecrets: [{ name: 's' }] });
    const bound = after({ ...exampleWorld(well) }, reported(held));
    const updating = after({ ...bound, mounts: listed([]) }, reported(bound));
    expect(texts(reported(after({ ...bound, runtime: updating.runtime }, reported(updating))).dataset.conditions)).toMatchObject({
      NotReady: 'False DatasetReady: The ddc runtime is ready.',
      Updating: 'False DatasetReady: The ddc runtime is ready.',
      Ready: 'True DatasetReady: The ddc runtime is ready.',
    });
  });
  test('takes back Updating while it is Failed, as Fluid may have left it', () => {
    const bound = exampleWorld(well);
    const updating = after({ ...bound, mounts: listed([]) }, reported(bound));
    const broken = after({ ...bound, runtime: updating.runtime, workloads: { ...well.workloads, worker: pods(0, 1) } }, reported(updating));
    expect(texts(reported(updating).dataset.conditions)).toMatchObject({ Updating: expect.stringMatching(/^True/) as string });
    expect(texts(reported(broken).dataset.conditions)).toMatchObject({ Updating: expect.stringMatching(/^False DatasetFailed/) as string });
  });
  test('has the mounts of its spec when they are in effect, and not before', () => {
    expect(reported(exampleWorld()).dataset.mounts).toBeUndefined();
    expect(reported(exampleWorld(well)).dataset.mounts).toEqual([{ mountPoint: 's3://bucket', name: 'data' }]);
    expect(reported(exampleWorld(well), { failed }).dataset.mounts).toBeUndefined();
  });
  test('says which runtime serves it', () =>
    expect(reported(exampleWorld(well)).dataset.runtimes).toEqual([
      { name: 'demo', namespace: 'ml', category: 'Accelerate', type: 'example', masterReplicas: 1 },
    ]));
  test('says nothing of a runtime before it is bound', () =>
    expect(Object.keys(reported(exampleWorld()).dataset).toSorted()).toEqual(['conditions', 'phase']));
});

describe('the size of the data', () => {
  const sized = (probes: World['probes'], status: Partial<DatasetStatus> = {}) =>
    reported(exampleWorld({ ...well, probes, dataset: { status: { phase: 'Bound', conditions: [], ...status } } })).dataset;
  test('is being calculated while it is asked for', () =>
    expect(sized({ ufsRunning: true })).toMatchObject({ ufsTotal: '[Calculating]', fileNum: '[Calculating]' }));
  test('is reported when it is known', () =>
    expect(sized({ ufs: { totalBytes: 4_100_096, files: 7 } })).toMatchObject({ ufsTotal: '3.91MiB', fileNum: '7' }));
  test('is left as it was while no pod is asked', () => expect(sized({}, { ufsTotal: '3.91MiB' })).not.toHaveProperty('ufsTotal'));
  test('is not calculated again once it is known', () =>
    expect(sized({ ufsRunning: true }, { ufsTotal: '3.91MiB' })).not.toHaveProperty('ufsTotal'));
});

describe('what is cached', () => {
  const before = { cached: '1.00KiB' };
  const states = (probes: World['probes']) => {
    const { runtime, dataset } = reported(
      exampleWorld({
        ...well,
        probes,
        dataset: { status: { phase: 'Bound', conditions: [], cacheStates: before } },
        runtime: { status: { cacheStates: before } as unknown as RuntimeStatus },
      }),
    );
    return [runtime.cacheStates, dataset.cacheStates];
  };
  test('is reported on both objects', () =>
    expect(states({ cache: { cachedBytes: 2048 } })).toEqual([{ cached: '2.00KiB' }, { cached: '2.00KiB' }]));
  test('stays as it was while it is asked for the first time', () => expect(states({ cacheRunning: true })).toEqual([before, before]));
  test('is nothing when no pod can be asked', () => expect(states({})).toEqual([{}, {}]));
});

describe('the runtime', () => {
  test('reports each component, in the words of Fluid', () => {
    const { runtime } = reported(exampleWorld({ ...well, workloads: { master: pods(1), worker: pods(1, 2), fuse: pods(0, 3) } }));
    expect(texts(runtime.conditions)).toEqual({
      MasterInitialized: 'True Master is initialized: The master is initialized.',
      MasterReady: 'True Master is ready: The master is ready.',
      WorkersInitialized: 'True Workers are initialized: The workers are initialized.',
      WorkersReady: 'True Workers are ready: The workers are partially ready.',
      FusesReady: 'False Fuses are ready: The fuses are not ready.',
      Synced: 'True Synced: Every object is as the spec says.',
    });
    expect(runtime).toMatchObject({
      masterPhase: 'Ready',
      workerPhase: 'PartialReady',
      fusePhase: 'NotReady',
      workerNumberAvailable: 1,
      workerNumberUnavailable: 1,
      desiredFuseNumberScheduled: 3,
    });
  });
  test('has no word of components that it does not have', () => {
    const { runtime } = reported(worldOf(thin, given(), { ...well, workloads: { fuse: pods(0) } }));
    expect(Object.keys(texts(runtime.conditions))).toEqual(['FusesInitialized', 'FusesReady', 'Synced']);
    expect(runtime).toMatchObject({
      masterPhase: '',
      workerPhase: '',
      fusePhase: 'Ready',
      valueFile: 'demo-thin-values',
      selector: 'app=thin,release=demo,role=thin-fuse',
    });
    expect(runtime).not.toHaveProperty('cacheAffinity');
  });
  test('says that a component is gone only if it was there', () => {
    const first = exampleWorld({ ...well, workloads: { master: pods(1) } });
    expect(texts(reported(first).runtime.conditions)).not.toHaveProperty('WorkersReady');
    const lost = after({ ...exampleWorld(well), workloads: { master: pods(1), fuse: pods(0) } }, reported(exampleWorld(well)));
    expect(texts(reported(lost).runtime.conditions)['WorkersReady']).toBe('False Workers are ready: The workers are gone.');
  });
  test('reports how long its first set-up took, once', () => {
    expect(reported(exampleWorld()).runtime.setupDuration).toBeUndefined();
    const bound = exampleWorld(well);
    const first = reported({ ...bound, bound: false });
    expect(first.runtime.setupDuration).toBe('3s');
    expect(reported(after(bound, first)).runtime.setupDuration).toBe('3s');
  });
  test('keeps the mounts and their time that Fluid reported', () => {
    const kept = { mounts: [{ mountPoint: 's3://bucket' }], mountTime: '2026-01-01T00:00:00Z' };
    const world = exampleWorld(well);
    const runtime = { ...world.runtime, status: { ...world.runtime.status, ...kept } as RuntimeStatus };
    expect(reported({ ...world, runtime }).runtime).toMatchObject(kept);
    expect(reported(world).runtime).not.toHaveProperty('mountTime');
  });
  test('is not set up while an object is refused', () =>
    expect(reported(exampleWorld({ ...well, bound: false }), { failed }).runtime.setupDuration).toBeUndefined());
  test('names what is refused before what is waited for', () =>
    expect(texts(reported(exampleWorld(), { failed }).runtime.conditions)['Synced']).toBe(
      'False NameTaken: ConfigMap/demo: it exists already',
    ));
  test('names pods that run an old template until they are gone', () => {
    const old = exampleWorld({ ...well, workloads: { ...well.workloads, worker: pods(1, 1, { outdated: ['demo-worker-0'] }) } });
    expect(texts(reported(old).runtime.conditions)['PodsOutdated']).toBe(
      'True PodsOutdated: These pods run an older template until they are deleted: demo-worker-0',
    );
    expect(texts(reported(after(exampleWorld(well), reported(old))).runtime.conditions)).not.toHaveProperty('PodsOutdated');
  });
  test('names what cannot change, with what is and what should be', () => {
    const immutable = [{ object: 'PersistentVolume/ml-demo', path: 'spec.csi.volumeHandle', live: 'a', desired: undefined }];
    expect(texts(reported(exampleWorld(well), { immutable }).runtime.conditions)['ImmutableFieldChanged']).toBe(
      'True ImmutableFieldChanged: Kubernetes does not allow a change of these fields. Delete the object and the controller creates it again; for a PersistentVolume, delete its claim once no pod mounts it: PersistentVolume/ml-demo spec.csi.volumeHandle: "a" → nothing',
    );
  });
  test('forgets that another runtime served its dataset', () => {
    const condition = { type: 'DatasetTaken', status: 'True', reason: 'DatasetTaken', message: 'x' };
    expect(
      texts(reported(exampleWorld({ ...well, runtime: { status: { conditions: [condition] } as RuntimeStatus } })).runtime.conditions),
    ).not.toHaveProperty('DatasetTaken');
  });
  test('keeps the counters that the schema requires when nothing runs', () =>
    expect(reported(exampleWorld()).runtime).toMatchObject({
      desiredMasterNumberScheduled: 0,
      workerNumberReady: 0,
      fuseNumberReady: 0,
      currentFuseNumberScheduled: 0,
    }));
});

describe('scaling', () => {
  const bound = exampleWorld(well);
  const scaled = (before: World, replicas: number) => ({
    ...after(before, reported(before)),
    workloads: { ...well.workloads, worker: pods(replicas) },
  });
  test.each([
    [2, 'WorkersScaledOut', 'True Workers scaled out: Workers scaled out from 1 replicas to 2 replicas.'],
    [0, 'WorkersScaledIn', 'True Workers scaled in: Workers scaled in from 1 replicas to 0 replicas.'],
  ])('to %i is a condition', (replicas, type, text) =>
    expect(texts(reported(scaled(bound, replicas)).runtime.conditions)[type]).toBe(text),
  );
  test('is reported once', () => {
    const out = scaled(bound, 2);
    const quiet = after(out, reported(out));
    expect(reported(quiet).runtime).toEqual(reported(out).runtime);
  });
  test('the same way once more is a new transition', () => {
    let world: World = scaled(bound, 2);
    const [first] = [reported(world)];
    for (const replicas of [1, 2]) world = scaled(world, replicas);
    const time = (status: RuntimeStatus) => status.conditions?.find(({ type }) => type === 'WorkersScaledOut')?.lastTransitionTime;
    expect(time(reported(world).runtime)).not.toBe(time(first.runtime));
  });
  test('of a first set-up is none', () =>
    expect(texts(reported({ ...scaled(bound, 2), bound: false }).runtime.conditions)).not.toHaveProperty('WorkersScaledOut'));
});

describe('where cache can be', () => {
  test('is the affinity of the workers, with an empty demand where there is none', () =>
    expect(reported(exampleWorld(well)).runtime.cacheAffinity).toMatchObject({
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100 }],
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] },
    }));
  test('is nowhere in particular without workers', () =>
    expect(reported(worldOf(undefined, exampleInput({ replicas: 0 }), well)).runtime.cacheAffinity).toEqual({
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] },
    }));
});

test.each<[string, Changes]>([
  ['set-up', {}],
  ['bound', well],
  ['failed', { ...well, workloads: { ...well.workloads, worker: pods(0, 1) } }],
  ['updating', { ...well, mounts: listed([{ path: '/other' }]) }],
])('the same report a minute later changes nothing: %s', (_, changes) => {
  const world = exampleWorld(changes);
  const first = reported(world);
  const again = reported({ ...after(world, first), bound: world.bound });
  expect(again).toEqual(first);
  expect(world.now).toBe(now);
});
