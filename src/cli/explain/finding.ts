/** What `explain` reports of one object, without credentials: what others wrote is redacted, piece by piece, so that no name is. */
export interface Finding {
  /** `Dataset ml/demo`. */
  readonly object: string;
  /** Its phase: `Bound`. */
  readonly phase: string;
  readonly healthy: boolean;
  /** What it waits for, or what is wrong, first what matters most. */
  readonly causes: readonly Cause[];
  /** Its workloads, pods that are not ready, and the operations that it waits for. */
  readonly details: readonly string[];
}
export interface Cause {
  readonly reason: string;
  readonly message: string;
  /** RFC 3339; absent if it is not known. */
  readonly since?: string;
  readonly toDo: string;
}
