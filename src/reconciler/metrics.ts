import { collectDefaultMetrics, Registry } from 'prom-client';
import { processRows, watchRows } from '../api/metrics/controller.ts';
import { type Clock, systemClock } from '../kube/clock.ts';
import type { RequestInfo } from '../kube/contract.ts';
import { registered } from '../kube/metrics/registered.ts';
import type { BytesRead } from '../constructs/index.ts';
import type { Log } from '../kube/types.ts';
import type { ReflectorStatus } from '../kube/watch/reflector.ts';
import { whyStale } from '../kube/watch/staleness.ts';
import type { StopResult } from './applications/commands.ts';
import { exposition, type WatchedFleet } from './metrics/exposition.ts';
import { createPace } from '../kube/turns/pace.ts';
import { createReadCounters } from './metrics/reads.ts';
import { type WorkMetrics, workMetrics } from './metrics/work-metrics.ts';

/** The process's metrics for Prometheus, under the names of controller-runtime, so that its dashboards work, and of Fluid. */
export interface Metrics extends WorkMetrics {
  /** Metrics that change while the process works. */
  readonly registry: Registry;
  /** Metrics of Datasets, runtimes and operations as text, in chunks, read from the watches: it asks no API server and no pod. */
  fleet(): AsyncIterable<string>;
  requested(info: RequestInfo): void;
  led(isLeader: boolean): void;
  sidecarStopped(result: StopResult): void;
  setupFailed(type: string, runtime: string): void;
  /** Removes the series of this runtime. */
  forgotten(type: string, runtime: string): void;
  /** Readers of this Dataset got so many bytes, as its runtime with this UID counts them. */
  read(dataset: string, uid: string, read: readonly BytesRead[]): void;
  /** @param seconds from the creation of its Job to the Job's end */
  operationEnded(kind: string, result: 'Complete' | 'Failed', seconds: number): void;
}

/** By plural; of kinds that are installed. */
type WatchStatuses = ReadonlyMap<string, { readonly status: ReflectorStatus }>;

/** `fleet` and `watches` are called at each scrape; without a scrape they cost nothing. */
export interface MetricsOptions {
  /** The server of the API, as requests name it. */
  readonly host: string;
  /** Undefined until the watches have begun. */
  readonly fleet?: () => WatchedFleet | undefined;
  readonly watches?: () => WatchStatuses;
  /** Up to so many Datasets have series of their own. Default 0: none has. */
  readonly datasetLimit?: number;
  readonly log?: Pick<Log, 'warn' | 'info'>;
  /** Default: the system's. */
  readonly clock?: Pick<Clock, 'wall' | 'monotonic'>;
}

export function createMetrics(options: MetricsOptions): Metrics {
  const { host, fleet = () => undefined, watches = () => new Map(), datasetLimit: limit = 0, log, clock = systemClock } = options;
  const registry = new Registry();
  // At the default precision of 10 ms its timer alone takes 0.4 % of a core.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  const work = workMetrics(registry);
  const made = registered(registry, processRows);
  // From the start: without a series of it, an alert that no replica leads would not fire after all of them have restarted.
  made.leader_election_master_status.set({ name: 'sluice' }, 0);
  addWatchGauges(registry, watches);
  const reads = createReadCounters();
  let wasSummed = false;

  function warned(isSummed: boolean, datasets: number): void {
    if (isSummed && !wasSummed)
      log?.warn({ datasets, limit }, 'there are more Datasets than --dataset-metrics: /metrics has sums by namespace, kind and phase');
    if (!isSummed && wasSummed) log?.info({ datasets, limit }, '/metrics has series of each Dataset again');
    wasSummed = isSummed;
  }

  return {
    registry,
    ...work,
    async *fleet() {
      const seen = fleet();
      if (seen) yield* exposition(seen, { limit, pace: createPace(clock), now: clock.wall(), readsOf: reads.of, onExtent: warned });
    },
    requested: ({ method, status }) =>
      made.rest_client_requests_total.inc({
        code: status === 0 ? '<error>' : String(status),
        method: method === 'WATCH' ? 'GET' : method,
        host,
      }),
    led(isLeader) {
      made.leader_election_master_status.set({ name: 'sluice' }, isLeader ? 1 : 0);
      if (!isLeader) reads.clear();
    },
    sidecarStopped: (result) => made.sluice_sidecar_stops_total.inc({ result }),
    setupFailed: (type, runtime) => made.runtime_setup_error_total.inc({ runtime_type: type, runtime }),
    forgotten(type, runtime) {
      made.runtime_setup_error_total.remove({ runtime_type: type, runtime });
      reads.forget(runtime);
    },
    read: reads.seen,
    operationEnded: (kind, result, seconds) => made.sluice_operation_duration_seconds.observe({ kind, result }, seconds),
  };
}

/** `watches` is called at each scrape. */
function addWatchGauges(registry: Registry, watches: () => WatchStatuses): void {
  const { sluice_watch_up: up, sluice_watch_age_seconds: age } = registered(registry, watchRows, {
    collect() {
      up.reset();
      age.reset();
      for (const [resource, { status }] of watches()) {
        if (status.unknownKind) continue;
        up.set({ resource }, whyStale(status) ? 0 : 1);
        age.set({ resource }, status.silentMs / 1000);
      }
    },
  });
}
