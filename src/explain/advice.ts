import type { KubeObject } from '../kube/types.ts';
import { adviceOfCondition, adviceOfReason, isKnownReason, withoutLinks } from '../planning/advice.ts';
import { retryInOrder } from './chain-lines.ts';
import { isOperation, type ExplainInput } from './gather.ts';

const RENAME = 'delete it, and create it under a shorter name';

/** Reasons of a `Failed` operation for which a retry alone does not help. */
const OF_FAILURES: Readonly<Record<string, (object: KubeObject, input: ExplainInput) => string>> = {
  PredecessorFailed: (object, input) =>
    `correct the cause, then retry ${retryInOrder(object, input)}, each by a new text of its annotation data.fluid.io/retry`,
};

interface Said {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

/** Advice for a condition of an object. */
export function toDoAbout({ type, reason, message }: Said, object: KubeObject, input: ExplainInput): string {
  if (type === 'Failed' && message.includes('metadata.name: expected at most')) return RENAME;
  const ofFailure = type === 'Failed' && Object.hasOwn(OF_FAILURES, reason) ? OF_FAILURES[reason]?.(object, input) : undefined;
  return withoutLinks(ofFailure ?? adviceOfCondition(type) ?? adviceFor(causeIn({ type, reason, message }, object, input), object));
}

/** Fluid's reasons of a Dataset hide why its runtime is not as its spec says: the runtime's condition of the same message has the reason. */
export function causeIn({ reason, message }: Said, { kind, metadata }: KubeObject, { runtimes }: ExplainInput): string {
  if (kind !== 'Dataset' || isKnownReason(reason)) return reason;
  const conditions = runtimes
    .filter((each) => each.metadata.name === metadata.name && each.metadata.namespace === metadata.namespace)
    .flatMap(({ status }) => (status as { conditions?: readonly (Said & { readonly status: string })[] } | undefined)?.conditions ?? []);
  return conditions.find((each) => each.type === 'Synced' && each.status === 'False' && each.message === message)?.reason ?? reason;
}

// Fluid, and Jobs, have reasons of their own.
const adviceFor = (reason: string, object: KubeObject): string =>
  adviceOfReason(reason, isOperation(object) ? 'operation' : 'runtime') ?? 'see the message';
