/** Values of JSON, which is what all objects here are. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [field: string]: Json };
export type JsonMap = { readonly [field: string]: Json };

export const isMap = (value: unknown): value is JsonMap => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether two values are equal; the order of keys does not count. */
export function same(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((entry, i) => same(entry, b[i]));
  if (!isMap(a) || !isMap(b)) return false;
  return Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((key) => key in b && same(a[key], b[key]));
}
