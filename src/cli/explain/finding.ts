/** The report of `explain` on one object, without credentials: texts of others are redacted piece by piece, so that no name is. */
export interface Explanation {
  /** `Dataset ml/demo`. */
  readonly object: string;
  /** The object's phase: `Bound`. */
  readonly phase: string;
  readonly healthy: boolean;
  /** Reasons why it waits or fails, the most important first. */
  readonly causes: readonly ExplainedCause[];
  /** The object's workloads, pods that are not ready, and the operations that it waits for. */
  readonly details: readonly string[];
}
export interface ExplainedCause {
  readonly reason: string;
  readonly message: string;
  /** RFC 3339; absent if it is not known. */
  readonly since?: string;
  readonly toDo: string;
}
