import { Gauge, type GaugeConfiguration, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client';
import { oncePerScrape } from './once-per-scrape.ts';

export interface DatasetCounts {
  readonly byPhase: ReadonlyMap<string, number>;
  /** Runtimes whose `Synced` is False. */
  readonly notSynced: readonly { readonly kind: string; readonly reason: string; readonly count: number }[];
  /** Datasets whose `DataUnavailable` is True. */
  readonly unavailable: readonly { readonly reason: string; readonly count: number }[];
  readonly ufs: readonly { readonly dataset: string; readonly bytes?: number; readonly files?: number }[];
}

/** `counts` is called once a scrape; without a scrape it costs nothing. */
export function addDatasetGauges(registry: Registry, counts: () => DatasetCounts): void {
  const registers = [registry];
  const countsNow = oncePerScrape(counts);
  new Gauge({
    name: 'sluice_datasets',
    help: 'Datasets by phase.',
    labelNames: ['phase'],
    registers,
    collect() {
      this.reset();
      for (const [phase, count] of countsNow().byPhase) this.set({ phase: phase || 'None' }, count);
    },
  });
  new Gauge({
    name: 'sluice_runtimes_not_synced',
    help: 'Runtimes whose condition Synced is False, by its reason.',
    labelNames: ['kind', 'reason'],
    registers,
    collect() {
      this.reset();
      for (const { count, ...labels } of countsNow().notSynced) this.set(labels, count);
    },
  });
  new Gauge({
    name: 'sluice_datasets_unavailable',
    help: 'Datasets whose condition DataUnavailable is True, by its reason.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const { reason, count } of countsNow().unavailable) this.set({ reason }, count);
    },
  });
  ufsGauge('dataset_ufs_total_size', 'Size of the data, bytes.', ({ bytes }) => bytes);
  ufsGauge('dataset_ufs_file_num', 'Number of files.', ({ files }) => files);

  function ufsGauge(name: string, help: string, pick: (entry: DatasetCounts['ufs'][number]) => number | undefined): void {
    const values = () =>
      countsNow().ufs.flatMap((entry) => {
        const value = pick(entry);
        return value === undefined ? [] : [{ labels: { dataset: entry.dataset }, value }];
      });
    new OnDemandGauge({ name, help, labelNames: ['dataset'], registers }, values);
  }
}

/** A gauge with a series for each of thousands of datasets, computed at each scrape. A plain gauge would keep and sort all labels. */
class OnDemandGauge extends Gauge<'dataset'> {
  readonly #values: () => MetricObjectWithValues<MetricValue<'dataset'>>['values'];

  constructor(options: GaugeConfiguration<'dataset'>, values: () => MetricObjectWithValues<MetricValue<'dataset'>>['values']) {
    super(options);
    this.#values = values;
  }
  override async get(): Promise<MetricObjectWithValues<MetricValue<'dataset'>>> {
    return { ...(await super.get()), values: this.#values() };
  }
}
