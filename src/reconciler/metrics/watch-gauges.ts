import { Gauge, type Registry } from 'prom-client';
import type { ReflectorStatus } from '../../kube/watch/reflector.ts';
import { whyStale } from '../../kube/watch/staleness.ts';

/** By plural; of kinds that are installed. */
export type WatchStatuses = ReadonlyMap<string, { readonly status: ReflectorStatus }>;

/** `watches` is called at each scrape; without a scrape it costs nothing. */
export function addWatchGauges(registry: Registry, watches: () => WatchStatuses): void {
  const registers = [registry];
  watchGauge('sluice_watch_up', '1 while the resource is watched and the watch is not behind.', (status) => (whyStale(status) ? 0 : 1));
  watchGauge(
    'sluice_watch_age_seconds',
    'Seconds since the watch last received anything; up to 60 while nothing changes.',
    ({ silentMs }) => silentMs / 1000,
  );

  function watchGauge(name: string, help: string, pick: (status: ReflectorStatus) => number): void {
    new Gauge({
      name,
      help,
      labelNames: ['resource'],
      registers,
      collect() {
        this.reset();
        for (const [resource, { status }] of watches()) if (!status.unknownKind) this.set({ resource }, pick(status));
      },
    });
  }
}
