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
  const made = Object.entries(rows).map(([name, { type, help, labels, buckets }], i) => {
    const options = { name, help, labelNames: [...labels], registers: [registry], ...(collect && i === 0 && { collect }) };
    if (type === 'counter') return [name, new Counter(options)];
    return [name, type === 'gauge' ? new Gauge(options) : new Histogram({ ...options, ...(buckets && { buckets: [...buckets] }) })];
  });
  // The cast: each row has become the metric of its type.
  return Object.fromEntries(made) as { readonly [Name in keyof Rows]: Registered<Rows[Name]> };
}
