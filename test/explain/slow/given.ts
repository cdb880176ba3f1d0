/** Evidence of a diagnosis: a Dataset that is read from its cache alone, and what differs. */
import type { PodCounters } from '../../../src/constructs/index.ts';
import type { CostlyOption, SampledPod, SlowEvidence } from '../../../src/explain/slow/evidence.ts';

export const MIB = 2 ** 20;
export const GIB = 2 ** 30;

const zero: PodCounters = {
  process: 'a',
  bytes: { local: 0, remote: 0, store: 0 },
  evictions: 0,
  drops: 0,
  cache: { usedBytes: GIB },
  store: { count: 0, seconds: 0, bytes: 0, errors: 0 },
  cacheReads: { count: 0, seconds: 0, bytes: 0 },
  reads: { count: 0, seconds: 0, bytes: 0 },
  metadata: { count: 0, seconds: 0 },
};

/** A fuse pod that counted this between the readings, and before them as much again. */
export const client = (now: PodCounters, more: Partial<SampledPod> = {}): SampledPod => {
  const before = { ...zero, ...now };
  const twice = (of: object | undefined): object | undefined =>
    of && Object.fromEntries(Object.entries(of).map(([key, value]) => [key, 2 * Number(value)]));
  const after: PodCounters = {
    ...before,
    ...(Object.fromEntries(
      Object.entries(before).map(([key, value]) => [
        key,
        key === 'process' || key === 'cache' ? value : typeof value === 'number' ? 2 * value : twice(value as object),
      ]),
    ) as PodCounters),
  };
  return { name: 'images-fuse-a', role: 'fuse', node: 'a', isReady: true, counters: { before, after }, limits: {}, ...more };
};
export const worker = (now: PodCounters, more: Partial<SampledPod> = {}): SampledPod =>
  client(now, { name: 'images-worker-0', role: 'worker', ...more });

export const evidence = (more: Partial<SlowEvidence> = {}): SlowEvidence => ({
  object: 'Dataset ml/images',
  runtime: 'JuiceFSRuntime ml/images',
  seconds: 10,
  cache: { in: 'fuse', bytes: 2 * GIB, field: 'spec.tieredstore.levels[0].quota' },
  pods: [
    client({ bytes: { local: GIB, store: 0 }, cacheReads: { count: 1000, seconds: 1 }, reads: { count: 8192, seconds: 1, bytes: GIB } }),
  ],
  workers: { ready: 1, wanted: 1 },
  levels: [{ field: 'spec.tieredstore.levels[0]', medium: 'SSD', quotaBytes: 2 * GIB }],
  options: [],
  dataBytes: GIB,
  loaded: [],
  knowsOptions: true,
  notes: [],
  ...more,
});

export const option = (field: string, turnsCacheOff?: true): CostlyOption => ({
  field,
  value: '0',
  cost: {
    client: 'JuiceFS',
    name: 'cache-size',
    values: '0',
    isCostly: () => true,
    costs: 'nothing is cached',
    instead: 'leave it out',
    source: 'help',
    ...(turnsCacheOff && { turnsCacheOff }),
  },
});
