/** The value below which `share` (0 to 1) of the values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
export const median = (values: readonly number[]): number => quantile(values, 0.5);
export const largest = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);

/** Spearman's: 1 when the second list is in the order of the first. Times in both, of the same things; ties are as good as none here. */
export function rankCorrelation(first: readonly number[], second: readonly number[]): number {
  const [a, b] = [ranks(first), ranks(second)];
  const squares = a.reduce((sum, rank, i) => sum + (rank - (b[i] ?? 0)) ** 2, 0);
  const n = first.length;
  return 1 - (6 * squares) / (n * (n ** 2 - 1));
}

function ranks(values: readonly number[]): readonly number[] {
  const order = values.map((value, i) => ({ value, i })).toSorted((a, b) => a.value - b.value);
  const result = values.map(() => 0);
  order.forEach(({ i }, rank) => {
    result[i] = rank;
  });
  return result;
}

/** How often each comes, the most frequent first. */
export function counted(names: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([, a], [, b]) => b - a));
}

/** The same, for each of `n`. */
export const each = (counts: Readonly<Record<string, number>>, n: number): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Math.round((count / n) * 100) / 100]));

/**
 * The median of independent values, and the interval in which the median of their distribution lies with 95 % probability or more. The ranks
 * come from the binomial distribution, so nothing is assumed of the values' own. With fewer than six values the interval is as wide as they are.
 */
export function medianInterval(values: readonly number[]): { readonly low: number; readonly median: number; readonly high: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const n = sorted.length;
  const at = (rank: number) => sorted[rank] ?? Number.NaN;
  // The chance that fewer than `rank` values, and one, lie below the true median.
  let rank = 0;
  for (let chance = 0.5 ** n, sum = chance; sum <= 0.025 && rank < n / 2; rank++) {
    chance *= (n - rank) / (rank + 1);
    sum += chance;
  }
  const outer = Math.max(0, rank - 1);
  return { low: at(outer), median: (at(Math.floor((n - 1) / 2)) + at(Math.floor(n / 2))) / 2, high: at(n - 1 - outer) };
}

/** Three digits that count. */
export const rounded = (value: number): number => (Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3)));
