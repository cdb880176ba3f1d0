import { allRows } from '../api/metrics/all.ts';
import type { MetricRows } from '../api/metrics/row.ts';

/** Metrics of others, about Sluice. */
const foreignRows = {
  up: {
    type: 'gauge',
    help: '1 if the last scrape of the target succeeded, 0 if not.',
    labels: [],
    from: 'Prometheus',
  },
  apiserver_admission_webhook_fail_open_count: {
    type: 'counter',
    help: 'Requests that were accepted although their webhook did not answer.',
    labels: ['name', 'type'],
    from: 'the API server',
  },
  process_resident_memory_bytes: { type: 'gauge', help: 'Resident memory of the process, in bytes.', labels: [], from: 'the process' },
  process_cpu_seconds_total: { type: 'counter', help: 'CPU time of the process, in seconds.', labels: [], from: 'the process' },
} as const satisfies MetricRows;

/** Every metric that an alert or a board may name. */
const knownRows = { ...allRows, ...foreignRows } as const satisfies MetricRows;
type Rows = typeof knownRows;

/** Labels of the scraped process, which scrape configuration and PodMonitors add. A label of the metric wins over one of these. */
export type TargetLabel = 'job' | 'instance' | 'namespace' | 'pod' | 'node';

/** The label `job` of each part, in scrape configuration and PodMonitors. */
export const jobs = { controller: 'sluice-controller', csi: 'sluice-csi', webhook: 'sluice-webhook' } as const;

type Of<Type extends string> = { [Name in keyof Rows]: Rows[Name]['type'] extends Type ? Name : never }[keyof Rows];
type Histogram = Of<'histogram'>;
/** The table's metric of a series: of a histogram those with a suffix. */
type MetricOf<Name extends string> =
  Name extends Exclude<keyof Rows, Histogram>
    ? Name
    : Name extends `${infer Base extends Histogram}_${'count' | 'sum' | 'bucket'}`
      ? Base
      : never;

export type SeriesName = Exclude<keyof Rows, Histogram> | `${Histogram}_${'count' | 'sum' | 'bucket'}`;
/** Series that only grow while their process lives. */
export type CounterName = Of<'counter'> | `${Histogram}_${'count' | 'sum' | 'bucket'}`;
/** Labels of the series, with those of its target. */
export type LabelOf<Name extends SeriesName> =
  | Rows[MetricOf<Name>]['labels'][number]
  | (Name extends `${string}_bucket` ? 'le' : never)
  | TargetLabel;
/** Values that the label can have, if the table knows them. */
export type ValueOf<Name extends SeriesName, Label extends string> = Rows[MetricOf<Name>] extends {
  readonly values: { readonly [L in Label]: readonly (infer Value)[] };
}
  ? Value
  : string;
