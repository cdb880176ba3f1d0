import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { MetricRow, MetricRows } from '../../api/metrics/row.ts';

type Registered<Row extends MetricRow> = Row['type'] extends 'counter'
  ? Counter<Row['labels'][number]>
  : Row['type'] extends 'gauge'
    ? Gauge<Row['labels'][number]>
    : Histogram<Row['labels'][number]>;

/**
 * The metrics of a table by their names, in a registry that a scrape prints.
 *
 * @param collect sets the values of all of them, once before each scrape
 */
export function registered<Rows extends MetricRows>(
  registry: Registry,
  rows: Rows,
  { collect }: { readonly collect?: () => void } = {},
): { readonly [Name in keyof Rows]: Registered<Rows[Name]> } {
  const made = Object.entries(rows).map(([name, row], i) => {
    const { type, help, labels, buckets } = row;
    const options = { name, help, labelNames: [...labels], registers: [registry], ...(collect && i === 0 && { collect }) };
    if (type === 'gauge') return [name, new Gauge(options)];
    const metric = type === 'counter' ? new Counter(options) : new Histogram({ ...options, ...(buckets && { buckets: [...buckets] }) });
    for (const values of knownSeries(row))
      if (metric instanceof Counter) metric.inc(values, 0);
      else metric.zero(values);
    return [name, metric];
  });
  // The cast: each row has become the metric of its type.
  return Object.fromEntries(made) as { readonly [Name in keyof Rows]: Registered<Rows[Name]> };
}

/** The labels of every series that the metric can have; none if a label has values that the row does not know. */
function knownSeries({ labels, values = {} }: MetricRow): readonly Readonly<Record<string, string>>[] {
  return labels.reduce<readonly Readonly<Record<string, string>>[]>(
    (series, label) => series.flatMap((each) => (values[label] ?? []).map((value) => ({ ...each, [label]: value }))),
    [{}],
  );
}
