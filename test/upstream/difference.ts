/** Intended differences from the objects that Fluid creates. Any other difference fails the test, and so does an entry that matches none. */
export interface Difference {
  /** `runtime/case`; all of them when absent. */
  readonly cases?: RegExp;
  /** `Kind/name`. */
  readonly object: RegExp;
  /** Empty for an object that only Fluid or only Sluice creates. */
  readonly path: RegExp;
  /** Fluid's value, as JSON; absent if Fluid has none. */
  readonly fluid?: RegExp;
  readonly ours?: RegExp;
  readonly reason: string;
}
