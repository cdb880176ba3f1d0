import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CAUSES, diagnose } from '../../../src/explain/slow/diagnose.ts';
import type { SampledPod, SlowEvidence } from '../../../src/explain/slow/evidence.ts';
import { client, evidence, GIB, MIB, option, worker } from './given.ts';

const reasons = (of: Partial<SlowEvidence>) => diagnose(evidence(of)).causes.map(({ reason }) => reason);
const inWorkers = { cache: { in: 'worker', field: 'spec.tieredstore.levels[0].quota' } } as const;
const fromStore = { bytes: { local: 100 * MIB, store: 300 * MIB } };
const full = { cache: { usedBytes: 1.95 * GIB } };

test('reads from the cache alone have no cause, and it says what was looked at', () => {
  const report = diagnose(evidence());
  expect(report).toMatchObject({ causes: [], basis: 'now', shares: { local: 1, remote: 0, store: 0 }, unknown: [] });
  expect(report.bytes).toEqual({ now: { local: GIB, remote: 0, store: 0 }, total: { local: 2 * GIB, remote: 0, store: 0 } });
  expect(report.lookedAt).toEqual([
    'counters of 1 of 1 fuse pods',
    'readiness of 1 worker, and the nodes of readers and workers',
    'media and sizes of the cache',
    'options of the client',
  ]);
});

describe('each evidence has its causes, the most important first', () => {
  const worker0 = worker({ bytes: { remote: 300 * MIB } }, { node: 'b' });
  const stopped = (throttled: number, more: Partial<SampledPod> = {}): SampledPod => ({
    ...evidence().pods[0]!,
    cpu: { before: { periods: 100, throttled: 7 }, after: { periods: 200, throttled: 7 + throttled } },
    limits: { cpu: 0.5 },
    ...more,
  });
  const cases: readonly (readonly [string, Partial<SlowEvidence>, readonly string[]])[] = [
    ['bytes from the store, and room in the cache', { pods: [client(fromStore)] }, ['Cold']],
    ['a few bytes from the store', { pods: [client({ bytes: { local: 100 * MIB, store: 5 * MIB } })] }, []],
    ['blocks that leave a full cache', { pods: [client({ ...fromStore, ...full, evictions: 12 })] }, ['CacheTooSmall']],
    ['a full cache that no block leaves', { pods: [client({ ...fromStore, ...full })] }, ['CacheTooSmall']],
    [
      'blocks that leave a full cache, without reads of the store',
      { pods: [client({ bytes: { local: GIB }, ...full, evictions: 12 })] },
      [],
    ],
    ['blocks that leave an empty cache', { pods: [client({ ...fromStore, evictions: 12 })] }, ['CacheDiskFull']],
    [
      'blocks that leave a worker',
      { ...inWorkers, pods: [worker({ ...fromStore, evictions: 3, cache: { usedBytes: 20, capacityBytes: 32 } })] },
      ['CacheTooSmall'],
    ],
    ['no cache at all', { pods: [client(fromStore)], options: [option('spec.fuse.options.cache-size', true)] }, ['CostlyOption']],
    [
      'an option that costs, beside cold reads',
      { pods: [client(fromStore)], options: [option('spec.fuse.options.x')] },
      ['Cold', 'CostlyOption'],
    ],
    ['nodes with readers and no worker', { ...inWorkers, pods: [client({}), worker0] }, ['RemoteWorkers']],
    ['a worker on the node of the reader', { ...inWorkers, pods: [client({}, { node: 'b' }), worker0] }, []],
    ['clients with caches of their own, and no worker', { pods: [...evidence().pods, worker({}, { node: 'b' })] }, []],
    ['no worker is ready', { ...inWorkers, workers: { ready: 0, wanted: 2 }, pods: [client({})] }, ['WorkersNotReady']],
    ['a client that its limit stops', { pods: [stopped(60)] }, ['CpuLimit']],
    ['a client that its limit stops now and then', { pods: [stopped(5)] }, []],
    ['a worker that its limit stops, which serves nobody', { pods: [...evidence().pods, stopped(60, { role: 'worker' })] }, []],
    ['HDD', { levels: [{ field: 'spec.tieredstore.levels[0]', medium: 'HDD' }] }, ['CacheDiskSlow']],
    ['slow reads of the cache', { pods: [client({ bytes: { local: GIB }, cacheReads: { count: 100, seconds: 2 } })] }, ['CacheDiskSlow']],
    ['blocks that the disk was too slow for', { pods: [client({ bytes: { local: GIB }, drops: 4 })] }, ['CacheDiskSlow']],
    [
      'more cache in memory than memory',
      { levels: [{ field: 'l', medium: 'MEM', quotaBytes: GIB }], pods: [{ ...evidence().pods[0]!, limits: { memory: 512 * MIB } }] },
      ['CacheMemory'],
    ],
    ['a slow store', { pods: [client({ ...fromStore, store: { count: 75, seconds: 30, bytes: 300 * MIB } })] }, ['Cold', 'StoreSlow']],
    ['a store that fails', { pods: [client({ ...fromStore, store: { count: 8, seconds: 0.1, errors: 8 } })] }, ['StoreFails', 'Cold']],
    [
      'many look-ups and few bytes',
      { pods: [client({ bytes: { local: MIB }, reads: { count: 1000, seconds: 1, bytes: MIB }, metadata: { count: 5000, seconds: 9 } })] },
      ['MetadataBound'],
    ],
    [
      'many look-ups and many bytes',
      { pods: [client({ bytes: { local: GIB }, reads: { count: 1000, seconds: 1, bytes: GIB }, metadata: { count: 5000, seconds: 9 } })] },
      [],
    ],
  ]; // prettier-ignore
  test.each(cases)('%s', (_, of, expected) => expect(reasons(of)).toEqual(expected));
  test('each cause of the table is among them, and has words for the page', () => {
    expect(new Set(cases.flatMap(([, , expected]) => expected))).toEqual(new Set(CAUSES.map(({ reason }) => reason)));
    for (const { when, remedy } of CAUSES) expect([when, remedy]).toEqual([expect.stringMatching(/.{15}/), expect.stringMatching(/.{15}/)]);
  });
});

test('a cause says its figures, the field to change, and a value for it', () => {
  const [cause] = diagnose(evidence({ dataBytes: 10 * GIB, pods: [client({ ...fromStore, ...full, evictions: 12 })] })).causes;
  expect(cause).toMatchObject({ field: 'spec.tieredstore.levels[0].quota', value: '11Gi', weight: 0.75 });
  expect(cause?.message).toBe('75.0% of what readers got in 10 s came from the store: 300.00MiB; what is read does not fit into the cache');
  expect(cause?.restsOn).toEqual([
    '12 blocks left the cache in 10 s',
    'the cache of 1 pod holds 1.95GiB of 2.00GiB',
    'the Dataset has 10.00GiB',
  ]);
  expect(cause?.toDo).toMatch(/^raise spec\.tieredstore\.levels\[0\]\.quota from 2\.00GiB to 11Gi,/);
});

test('a cold read names the Dataset for a load, and the loads that are complete', () => {
  const [cause] = diagnose(evidence({ pods: [client(fromStore)], loaded: ['DataLoad ml/warm'] })).causes;
  expect(cause?.toDo).toContain('spec.dataset.name images');
  expect(cause?.toDo).toContain('DataLoad ml/warm is complete');
});

test('while nothing is read, the shares are those since the start, and it says so', () => {
  const [pod] = [client(fromStore)];
  const still = { ...pod, counters: { before: pod.counters!.after, after: pod.counters!.after } };
  const report = diagnose(evidence({ pods: [still] }));
  expect(report).toMatchObject({ basis: 'total', shares: { store: 0.75 }, causes: [{ reason: 'Cold' }] });
  expect(report.causes[0]?.message).toContain('since the processes started');
  expect(report.unknown).toEqual([expect.stringMatching(/^nothing was read in these 10 s: .*--for 60s/)]);
});

test('counters of a process that was started again count from nothing', () => {
  const { counters, ...pod } = client(fromStore);
  const { after } = counters!;
  const others = { before: after, after: { ...after, process: 'b', bytes: { local: 5, store: 0 } } };
  expect(diagnose(evidence({ pods: [{ ...pod, counters: others }] })).bytes?.now).toEqual({ local: 5, remote: 0, store: 0 });
  const { process: _, ...nameless } = after;
  const fallen = { before: nameless, after: { ...nameless, bytes: { local: 5, store: 0 } } };
  expect(diagnose(evidence({ pods: [{ ...pod, counters: fallen }] })).bytes?.now).toEqual({ local: 5, remote: 0, store: 0 });
});

test('without counters it says what pods and specs show, and no shares', () => {
  const { counters: _, ...silent } = client({});
  const report = diagnose(
    evidence({ ...inWorkers, pods: [silent, { ...worker({}), node: 'b', counters: undefined } as never], notes: ['no right: token=abc'] }),
  );
  expect(report).not.toHaveProperty('shares');
  expect(report).not.toHaveProperty('bytes');
  expect(report.causes.map(({ reason }) => reason)).toEqual(['RemoteWorkers']);
  expect(report.unknown).toEqual(['no right: token=[redacted]']);
});

test('texts of users are redacted', () => {
  const text = JSON.stringify(diagnose(evidence({ options: [option('spec.fuse.options["password=hunter2"]')] })).causes);
  expect(text).not.toContain('hunter2');
});

const amount = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100 }), fc.double({ min: 0, max: 1e15, noNaN: true }));
const requests = fc.record({ count: amount, seconds: amount, bytes: amount, errors: amount });
const counters = fc.record(
  {
    process: fc.constantFrom('a', 'b'),
    bytes: fc.record({ local: amount, remote: amount, store: amount }),
    evictions: amount,
    drops: amount,
    cache: fc.record({ usedBytes: amount, capacityBytes: amount }),
    store: requests,
    cacheReads: requests,
    reads: requests,
    metadata: requests,
  },
  { requiredKeys: [] },
);
const pods = fc.array(
  fc.record({
    name: fc.constant('p'),
    role: fc.constantFrom('fuse', 'worker', 'master'),
    node: fc.constantFrom('a', 'b', 'c'),
    isReady: fc.boolean(),
    counters: fc.record({ before: counters, after: counters }),
    limits: fc.record({ cpu: amount, memory: amount }),
  }),
  { maxLength: 5 },
);
test('for any counters: shares are together 1, and no cause is without evidence', () => {
  fc.assert(
    fc.property(pods, fc.constantFrom('fuse', 'worker'), fc.option(amount, { nil: undefined }), (some, place, bytes) => {
      const cache = { in: place as 'fuse' | 'worker', field: 'f', ...(bytes !== undefined && { bytes }) };
      const report = diagnose(evidence({ pods: some as readonly SampledPod[], cache }));
      if (report.shares) {
        const { local, remote, store } = report.shares;
        expect(local + remote + store).toBeCloseTo(1, 9);
        expect(Math.min(local, remote, store)).toBeGreaterThanOrEqual(0);
      }
      for (const { restsOn, message, toDo, weight } of report.causes) {
        expect(restsOn.length).toBeGreaterThan(0);
        expect(message + restsOn.join('') + toDo).not.toMatch(/NaN|undefined|Infinity|-\d/);
        expect(weight).toBeGreaterThanOrEqual(0);
        expect(weight).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: 500, seed: 7 },
  );
});
