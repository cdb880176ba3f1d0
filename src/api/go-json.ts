/** The fields of an object of JSON, and the names that are no field. */
export interface GoFields<N extends string> {
  readonly fields: Readonly<Partial<Record<N, unknown>>>;
  readonly unknown: readonly string[];
}

/**
 * The fields of an object as Go's `encoding/json` finds them, and so Fluid: names in any case, and the last of several counts.
 * @example
 * goFields({ Labels: {}, more: 1 }, ['labels']); // → { fields: { labels: {} }, unknown: ['more'] }
 */
export function goFields<N extends string>(object: Readonly<Record<string, unknown>>, names: readonly N[]): GoFields<N> {
  const known = new Map(names.map((name) => [name.toLowerCase(), name]));
  const found = Object.entries(object).map(([key, value]) => ({ key, value, name: known.get(key.toLowerCase()) }));
  return {
    fields: Object.fromEntries(found.flatMap(({ name, value }) => (name === undefined ? [] : [[name, value]]))) as GoFields<N>['fields'],
    unknown: found.flatMap(({ key, name }) => (name === undefined ? [key] : [])),
  };
}
