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
