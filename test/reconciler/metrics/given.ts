import juicefs from '../../../runtimes/juicefs/index.ts';
import type { Dataset, DatasetStatus, RuntimeStatus } from '../../../src/api/index.ts';
import { systemClock } from '../../../src/kube/clock.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import type { RuntimeCandidate } from '../../../src/planning/choose.ts';
import { exposition, type ExpositionOptions, type WatchedFleet } from '../../../src/reconciler/metrics/exposition.ts';
import { createPace } from '../../../src/kube/turns/pace.ts';
import type { OperationObject } from '../../../src/reconciler/operations/world.ts';
import type { LiveObject } from '../../../src/reconciler/world.ts';
import { type Series, seriesOf } from '../../support/exposition.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');

export const dataset = (name: string, status: Partial<DatasetStatus> = {}, more: Partial<Dataset> = {}, namespace = 'ml'): Dataset =>
  ({ metadata: { name, namespace }, spec: {}, status: { conditions: [], ...status }, ...more }) as unknown as Dataset;

/** A JuiceFSRuntime, whose UID is its name. */
export const runtime = (name: string, status: Partial<RuntimeStatus> = {}, namespace = 'ml'): RuntimeCandidate => ({
  definition: juicefs,
  // All of a runtime that metrics read.
  object: { kind: 'JuiceFSRuntime', metadata: { name, namespace, uid: name }, spec: {}, status } as unknown as RuntimeCandidate['object'],
});

export const operation = (kind: string, name: string, on: string, status: object, more: object = {}): OperationObject =>
  ({
    kind,
    metadata: { name, namespace: 'ml', creationTimestamp: '2026-01-02T03:00:00Z' },
    spec: { dataset: kind === 'DataBackup' ? on : { name: on, namespace: 'ml' }, ...more },
    status: { conditions: [], ...status },
  }) as unknown as OperationObject;

/** The fuse DaemonSet of that runtime, of the second generation of its template. */
export const fuse = (name: string, desired: number, ready: number): LiveObject =>
  ({
    kind: 'DaemonSet',
    metadata: {
      name: `${name}-fuse`,
      namespace: 'ml',
      uid: `${name}-fuse`,
      generation: 2,
      ownerReferences: [{ apiVersion: 'v1', kind: 'JuiceFSRuntime', name, uid: name, controller: true }],
      annotations: { 'deprecated.daemonset.template.generation': '2' },
    },
    status: { desiredNumberScheduled: desired, numberReady: ready, observedGeneration: 2 },
  }) as unknown as LiveObject;

export const fusePod = (name: string, generation: number): KubeObject =>
  ({
    kind: 'Pod',
    metadata: { name, namespace: 'ml', labels: { 'pod-template-generation': String(generation) } },
  }) as unknown as KubeObject;

export interface Given {
  readonly datasets?: Iterable<Dataset>;
  readonly runtimes?: Iterable<RuntimeCandidate>;
  readonly operations?: Iterable<OperationObject>;
  readonly fuses?: readonly LiveObject[];
  readonly pods?: readonly KubeObject[];
}

export const fleetOf = ({ datasets = [], runtimes = [], operations = [], fuses = [], pods = [] }: Given): WatchedFleet => ({
  datasets: () => datasets,
  allRuntimes: () => runtimes,
  operations: { values: () => operations },
  live: (_, namespace, name) => fuses.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
  pods: () => pods,
});

/** A scrape of this fleet, read as Prometheus does. */
export async function scraped(given: Given, options: Partial<ExpositionOptions> = {}): Promise<readonly Series[]> {
  let text = '';
  const all = { limit: 1000, pace: createPace(systemClock), now: NOW, ...options };
  for await (const chunk of exposition(fleetOf(given), all)) text += chunk;
  return seriesOf(text);
}

/** The series of the metrics whose names begin so, without that beginning: `cached_bytes{dataset="a"} 5`. */
export const shown = (series: readonly Series[], prefix: string): readonly string[] =>
  series
    .filter(({ name }) => name.startsWith(prefix))
    .map(({ name, labels, value }) => {
      const text = Object.entries(labels).map(([label, each]) => `${label}=${each}`);
      return `${name.slice(prefix.length)}{${text.join()}} ${value}`;
    });
