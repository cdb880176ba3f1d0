import type { KubeObject } from '../kube/types.ts';
import { adviceOfCondition, adviceOfReason, isKnownReason, withoutLinks } from '../planning/advice.ts';
import { operationsToRetry } from './chain-lines.ts';
import { isOperation, type ExplainInput } from './gather.ts';
import { textsIn } from './texts/texts.ts';

/** Reasons of a `Failed` operation for which a retry alone does not help. */
const OF_FAILURES: Readonly<Record<string, (object: KubeObject, input: ExplainInput) => string>> = {
  PredecessorFailed: (object, input) => textsIn(input.language).retryInOrder(operationsToRetry(object, input)),
};

interface Said {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

/** Advice for a condition of an object. */
export function toDoAbout({ type, reason, message }: Said, object: KubeObject, input: ExplainInput): string {
  if (type === 'Failed' && message.includes('metadata.name: expected at most')) return textsIn(input.language).shorterName;
  const ofFailure = type === 'Failed' && Object.hasOwn(OF_FAILURES, reason) ? OF_FAILURES[reason]?.(object, input) : undefined;
  return withoutLinks(
    ofFailure ?? adviceOfCondition(type, input.language) ?? adviceFor(causeIn({ type, reason, message }, object, input), object, input),
  );
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
const adviceFor = (reason: string, object: KubeObject, { language }: ExplainInput): string =>
  adviceOfReason(reason, isOperation(object) ? 'operation' : 'runtime', language) ?? textsIn(language).seeMessage;
