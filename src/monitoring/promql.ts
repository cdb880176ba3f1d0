/**
 * Expressions of Prometheus. A vector has the labels of its series in its type, so that an alert or a board can only name metrics and labels
 * that are served: a typing error would make an alert that never fires.
 */
import type { CounterName, LabelOf, SeriesName, ValueOf } from './metrics.ts';

export interface Vector<Label extends string = string> {
  readonly text: string;
  /** Only in types: texts do not repeat it. */
  readonly labels?: readonly Label[];
}
/** Series as they are scraped, of which functions read a range. */
export interface Series<Label extends string = string, Name extends SeriesName = SeriesName> extends Vector<Label> {
  readonly name?: Name;
}

/** Demand on the value of a label. Texts of `any` and `none` are regular expressions. */
type Match<Value> = Value | { readonly any: readonly Value[] } | { readonly none: readonly Value[] } | Variable;
/** A variable of a board, `$dataset`, which stands for one value or several. */
export interface Variable {
  readonly variable: string;
}

/** The series of a metric: of a histogram by `_count`, `_sum` or `_bucket`. */
export function series<Name extends SeriesName>(
  name: Name,
  match: { readonly [Label in LabelOf<Name>]?: Match<ValueOf<Name, Label>> } = {},
): Series<LabelOf<Name>, Name> {
  // The cast: its values are what its type says.
  const matches = Object.entries(match as Readonly<Record<string, Match<string>>>).map(([label, value]) => `${label}${matcher(value)}`);
  return { text: matches.length === 0 ? name : `${name}{${matches.join(', ')}}` };
}

function matcher(value: Match<string>): string {
  if (typeof value === 'string') return `=${JSON.stringify(value)}`;
  if ('variable' in value) return `=~"$${value.variable}"`;
  return 'any' in value ? `=~${JSON.stringify(value.any.join('|'))}` : `!~${JSON.stringify(value.none.join('|'))}`;
}

/** A range: seconds, or one of Grafana that fits the board. */
export type Range = number | '$__rate_interval' | '$__range';
const rangeOf = (range: Range): string => `[${typeof range === 'number' ? durationText(range) : range}]`;

/** `90s`, `5m`, `1h`, as Prometheus and `for` of a rule take it. */
export function durationText(seconds: number): string {
  if (seconds >= 86_400 && seconds % 86_400 === 0) return `${seconds / 86_400}d`;
  if (seconds >= 3600 && seconds % 3600 === 0) return `${seconds / 3600}h`;
  if (seconds >= 60 && seconds % 60 === 0) return `${seconds / 60}m`;
  return seconds < 1 ? `${Math.round(seconds * 1000)}ms` : `${Math.round(seconds)}s`;
}

/** How much a counter grew in that time, or grows each second. */
export const grown = <L extends string, Name extends CounterName>(of: Series<L, Name>, range: Range): Vector<L> => ({
  text: `increase(${of.text}${rangeOf(range)})`,
});
export const rate = <L extends string, Name extends CounterName>(of: Series<L, Name>, range: Range): Vector<L> => ({
  text: `rate(${of.text}${rangeOf(range)})`,
});
/** Over the values that a gauge had in that time. */
export const over = <L extends string>(how: 'min' | 'max', of: Series<L>, range: Range): Vector<L> => ({
  text: `${how}_over_time(${of.text}${rangeOf(range)})`,
});
/** How often a gauge changed in that time. */
export const changes = <L extends string>(of: Series<L>, range: Range): Vector<L> => ({ text: `changes(${of.text}${rangeOf(range)})` });

type Aggregation = 'max' | 'min' | 'sum' | 'count';
/** One series for all that have the same values of these labels. */
export const by = <L extends string, const Kept extends L>(how: Aggregation, labels: readonly Kept[], of: Vector<L>): Vector<Kept> => ({
  text: labels.length === 0 ? `${how}(${of.text})` : `${how} by (${labels.join(', ')}) (${of.text})`,
});
/** The so many series of the highest values. */
export const highest = <L extends string>(count: number, of: Vector<L>): Vector<L> => ({ text: `topk(${count}, ${of.text})` });
/** Below this value are so many of all observations, 0 to 1. */
export const quantile = <L extends string, const Kept extends L>(
  share: number,
  labels: readonly Kept[],
  buckets: Vector<L | 'le'>,
): Vector<Kept> => ({ text: `histogram_quantile(${share}, sum by (${['le', ...labels].join(', ')}) (${buckets.text}))` });

/** Keeps the series whose values are so. */
export const where = <L extends string>(of: Vector<L>, comparison: '>' | '<' | '==', value: number): Vector<L> => ({
  text: `${of.text} ${comparison} ${value}`,
});
/** Seconds since the time that the values are, and until it. */
export const since = <L extends string>(times: Vector<L>): Vector<L> => ({ text: `time() - ${times.text}` });
export const until = <L extends string>(times: Vector<L>): Vector<L> => ({ text: `${times.text} - time()` });
export const minus = <L extends string>(a: Vector<L>, b: Vector<L>): Vector<L> => ({ text: `${a.text} - ${b.text}` });
export const per = <L extends string>(a: Vector<L>, b: Vector<L>): Vector<L> => ({ text: `${a.text} / ${b.text}` });

/** The series of the first for which the second has, or has not, one with the same values of these labels. */
export const and = <L extends string, M extends string>(a: Vector<L>, labels: readonly NoInfer<L & M>[], b: Vector<M>): Vector<L> => ({
  text: `${a.text} and on (${labels.join(', ')}) ${b.text}`,
});
export const unless = <L extends string, M extends string>(a: Vector<L>, labels: readonly NoInfer<L & M>[], b: Vector<M>): Vector<L> => ({
  text: `${a.text} unless on (${labels.join(', ')}) ${b.text}`,
});
/** The first, or if it has no series the second. */
export const orElse = <L extends string, M extends string>(a: Vector<L>, b: Vector<M>): Vector<L | M> => ({
  text: `${a.text} or on () ${b.text}`,
});
/** In a larger expression. */
export const grouped = <L extends string>(of: Vector<L>): Vector<L> => ({ text: `(${of.text})` });
/** 1 if there is no such series. */
export const absent = (of: Vector): Vector<never> => ({ text: `absent(${of.text})` });
