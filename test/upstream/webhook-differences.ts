/** Intended differences from what Fluid's webhook makes of a pod. Any other difference fails the test, and so does an entry that matches none. */
export interface PodDifference {
  /** Names of cases; all of them when absent. */
  readonly cases?: RegExp;
  readonly path: RegExp;
  /** Fluid's value, as JSON; absent if Fluid has none. */
  readonly fluid?: RegExp;
  readonly ours?: RegExp;
  readonly reason: string;
}

export const podDifferences: readonly PodDifference[] = [];
