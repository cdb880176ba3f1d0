/** One metric: what a scrape says of it, and where its figure comes from. Programs, documentation and alerts read the same rows. */
export interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** The meaning, with the unit, as a scrape prints it. */
  readonly help: string;
  readonly labels: readonly string[];
  /**
   * Values of labels that have no others. A counter of which all labels are known here begins at 0 for each of them: Prometheus sees no growth
   * in the first value of a series.
   */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** Upper bounds of the buckets of a histogram. */
  readonly buckets?: readonly number[];
  /** The source of the figure. */
  readonly from: string;
}
/** Rows by the name of their metric. */
export type MetricRows = Readonly<Record<string, MetricRow>>;
