/** A fleet of Datasets as the controller's watches keep it, each with every figure that a scrape shows. */
import alluxio from '../../runtimes/alluxio/index.ts';
import type { Dataset } from '../../src/api/index.ts';
import type { RuntimeCandidate } from '../../src/planning/choose.ts';
import type { WatchedFleet } from '../../src/reconciler/metrics/exposition.ts';
import type { OperationObject } from '../../src/reconciler/operations/world.ts';
import type { LiveObject } from '../../src/reconciler/world.ts';

const NAMESPACES = 200;
const TIME = '2026-01-02T03:04:05Z';
/** Sizes that no two Datasets have in common, so that they compress as little as real ones. */
const amount = (i: number, salt: number): number => ((i * 2_654_435_761 + salt * 40_503) % 1_000_003) / 1000;
const gib = (i: number, salt: number): string => `${amount(i, salt).toFixed(2)}GiB`;
const percent = (i: number, salt: number): string => `${(amount(i, salt) / 10.1).toFixed(1)}%`;

/** Bytes that no two Datasets have in common. */
export const bytesOf = (name: string, salt: number): number => Math.round(amount(Number(name.split('-').at(-1)), salt) * 1e9);

const namespaceOf = (i: number): string => `team-${String(i % NAMESPACES).padStart(3, '0')}`;
const nameOf = (i: number): string => `images-${String(i).padStart(5, '0')}`;

export function fleetOf(count: number): WatchedFleet {
  const all = Array.from({ length: count }, (_, i) => i);
  const fuses = new Map(all.map((i) => [`${namespaceOf(i)}/${nameOf(i)}-fuse`, fuse(i)]));
  const [datasets, runtimes, operations] = [all.map(dataset), all.map(runtime), all.map(operation)];
  return {
    datasets: () => datasets,
    allRuntimes: () => runtimes,
    operations: { values: () => operations },
    live: (_, namespace, name) => fuses.get(`${namespace}/${name}`),
    pods: () => [],
  };
}

// The casts: of each object there is what a scrape reads.
const dataset = (i: number): Dataset =>
  ({
    metadata: { namespace: namespaceOf(i), name: nameOf(i) },
    spec: { mounts: [{ mountPoint: 's3://bucket', name: 'data' }] },
    status: {
      phase: 'Bound',
      ufsTotal: gib(i, 1),
      fileNum: String(Math.round(amount(i, 2) * 1000)),
      conditions: [{ type: 'Ready', status: 'True', reason: 'DatasetReady', lastTransitionTime: TIME }],
      cacheStates: {
        cached: gib(i, 3),
        cacheCapacity: gib(i, 4),
        cacheHitRatio: percent(i, 5),
        localHitRatio: percent(i, 6),
        remoteHitRatio: percent(i, 7),
        cachedPercentage: percent(i, 8),
      },
    },
  }) as unknown as Dataset;

const runtime = (i: number): RuntimeCandidate => ({
  definition: alluxio,
  object: {
    kind: 'AlluxioRuntime',
    metadata: { namespace: namespaceOf(i), name: nameOf(i), uid: `uid-${i}` },
    spec: {},
    status: { conditions: [{ type: 'Synced', status: 'False', reason: 'WorkersNotReady', lastTransitionTime: TIME }] },
  } as unknown as RuntimeCandidate['object'],
});

const operation = (i: number): OperationObject =>
  ({
    kind: 'DataLoad',
    metadata: { namespace: namespaceOf(i), name: `load-${i}`, creationTimestamp: TIME },
    spec: { dataset: { name: nameOf(i), namespace: namespaceOf(i) } },
    status: { phase: 'Executing', conditions: [], infos: { Progress: percent(i, 9) } },
  }) as unknown as OperationObject;

const fuse = (i: number): LiveObject =>
  ({
    kind: 'DaemonSet',
    metadata: {
      namespace: namespaceOf(i),
      name: `${nameOf(i)}-fuse`,
      uid: `fuse-${i}`,
      generation: 1,
      ownerReferences: [{ apiVersion: 'v1', kind: 'AlluxioRuntime', name: nameOf(i), uid: `uid-${i}`, controller: true }],
    },
    status: { desiredNumberScheduled: i % 40, numberReady: i % 39, observedGeneration: 1 },
  }) as unknown as LiveObject;
