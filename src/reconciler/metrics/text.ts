import type { MetricRow, MetricRows } from '../../api/metrics/row.ts';

/** The text format of Prometheus. Whoever may write a status decides what a label says, and must not end a line, or make one without end. */

/** Names of Kubernetes, and reasons, are shorter. */
const LONGEST_VALUE = 128;
/** Nearly all values are names. */
const PLAIN = /^[\w.:/-]{0,128}$/;
/** Prometheus reads NUL as the end of the text. */
const CONTROLS = /[\p{Cc}\u2028\u2029]/gu;

/**
 * Labels without their braces.
 * @example
 * labelsText({ namespace: 'ml', reason: 'a "b"' }); // → 'namespace="ml",reason="a \\"b\\""'
 */
export const labelsText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${PLAIN.test(value) ? value : escaped(value)}"`)
    .join();

const escaped = (value: string): string => printable(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"');

/** As a label shows a text. Two texts that a label shows alike must be counted as one: a scrape has no series twice. */
export const printable = (value: string): string =>
  PLAIN.test(value) ? value : value.slice(0, LONGEST_VALUE).toWellFormed().replace(CONTROLS, '\ufffd');

/** One series of a metric: its labels as `labelsText` prints them, and its value. */
export type SeriesSample = readonly [labels: string, value: number];

/** The lines of one metric; none if it has no series. A value that is no number is left out. */
export function* linesOf<Rows extends MetricRows>(
  rows: Rows,
  name: keyof Rows & string,
  samples: Iterable<SeriesSample>,
): Generator<string> {
  // The cast: the type of the parameter names a row.
  const { help, type } = rows[name] as MetricRow;
  let head = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
  for (const [labels, value] of samples) {
    if (!Number.isFinite(value)) continue;
    yield `${head}${name}${labels === '' ? '' : `{${labels}}`} ${value}\n`;
    head = '';
  }
}
