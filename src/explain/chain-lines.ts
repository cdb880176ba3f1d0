import { redactedText } from '../api/redact.ts';
import type { KubeObject } from '../kube/types.ts';
import { phaseText } from './finding.ts';
import type { ExplainInput } from './gather.ts';

interface Link {
  /** `DataLoad first`, of another namespace `DataLoad ml/first`. */
  readonly name: string;
  /** The operation's phase, or why it is unknown. */
  readonly state: string;
}

const LONGEST = 20;

/** The operations before this one, from the one that it waits for. */
export function chainLines(object: KubeObject, input: ExplainInput): readonly string[] {
  const chain = chainOf(object, input).map(({ name, state }) => `${name} (${state})`);
  return chain.length > 0 ? [`after ${chain.join(', after ')}`] : [];
}

/** Operations to retry before this one, after an earlier one failed: first the one that failed, then those after it. */
export function operationsToRetry(object: KubeObject, input: ExplainInput): readonly string[] {
  const [next, ...earlier] = chainOf(object, input);
  const failed = earlier.toReversed().filter(({ state }) => state === 'Failed');
  const those = [...failed, ...(next && next.state !== 'Complete' ? [next] : [])];
  return those.map(({ name }) => name);
}

function chainOf(object: KubeObject, { operations, isWhole = false }: Pick<ExplainInput, 'operations' | 'isWhole'>): readonly Link[] {
  const chain: Link[] = [];
  const seen = new Set([object]);
  for (let next = runAfterOf(object); next && chain.length < LONGEST; ) {
    const { kind, name, namespace: other = '' } = next;
    const isRead = isWhole || other === '' || other === object.metadata.namespace;
    const found = operations.find(
      ({ kind: is, metadata }) => is === kind && metadata.name === name && metadata.namespace === (other || object.metadata.namespace),
    );
    const unknown = isRead ? 'does not exist' : `of namespace ${redactedText(other)}, which was not read`;
    const state = found ? phaseText(found, 'not seen yet') : unknown;
    chain.push({ name: `${kind} ${redactedText(name)}`, state });
    next = found && !seen.has(found) ? runAfterOf(found) : undefined;
    if (found) seen.add(found);
  }
  return chain;
}
const runAfterOf = (object: KubeObject) =>
  (object['spec'] as { runAfter?: { kind: string; name: string; namespace?: string } } | undefined)?.runAfter;
