import { redactedText } from '../api/redact.ts';
import type { KubeObject } from '../kube/types.ts';
import { phaseOf } from '../planning/views.ts';

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

/** The phase of an object, or, while it has none, another word. */
export const phaseText = (object: KubeObject, otherwise = ''): string => redactedText(String(phaseOf(object) ?? '')) || otherwise;
