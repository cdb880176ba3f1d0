import { annotation, listsNamespace } from '../../api/index.ts';
import { type Hold, keyText, type OperationKey } from '../world.ts';
import { affinityLike } from './affinity.ts';
import { nearOf, runAfterOf, runAfterText, words } from './references.ts';
import { endOf, hasNoPods, isComplete, isDone, isOver, isRetried, isRunning, LACKS_PODS, repeats } from './state.ts';
import type { OperationObject, Predecessor } from './world.ts';

/** Finds an operation, as a watch shows it. */
type Find = (key: OperationKey) => OperationObject | undefined;

/** Whether an operation still has to wait for the one of `spec.runAfter`, and for the one near which it runs. */
export function predecessorOf(operation: OperationObject, find: Find): Predecessor {
  const key = runAfterOf(operation);
  if (!key) return { is: 'done' };
  const near = nearOf(operation);
  const strategy = operation.spec.runAfter?.affinityStrategy;
  const affinity = near && strategy && affinityLike(visible(operation, near, find)?.status?.nodeAffinity, strategy);
  const done = { is: 'done', at: endOf(visible(operation, key, find)), ...(affinity && { near: affinity }) } as const;
  // Once its completion was seen, its later state does not count. A retried operation checks it again, if it exists.
  if (hasSeenEnd(operation) && !(isDone(operation) && isRetried(operation) && visible(operation, key, find))) return done;
  return waitFor(operation, key, 'spec.runAfter', find) ?? (near && waitFor(operation, near, NEAR, find)) ?? done;
}

/** When the predecessor was complete, in milliseconds since the epoch, 0 if there is none; undefined while the operation waits for it. */
export function readySince(operation: OperationObject, find: Find): number | undefined {
  const key = runAfterOf(operation);
  if (!key) return 0;
  const hasEnded = (each: OperationKey) => {
    const found = visible(operation, each, find);
    return found !== undefined && isComplete(found);
  };
  if (!hasSeenEnd(operation) && !followedBy(operation).every(hasEnded)) return undefined;
  return Date.parse(endOf(visible(operation, key, find)) ?? '') || 0;
}

/** An edit may name an operation that this one was never allowed to see. */
const visible = (operation: OperationObject, key: OperationKey, find: Find): OperationObject | undefined =>
  isAllowed(operation, key, find) ? find(key) : undefined;
/** An edit names another operation to wait for, unless this one has started. One without a name was seen by Fluid. */
function hasSeenEnd(operation: OperationObject): boolean {
  const { waitingFor, observedRunAfter: seen } = operation.status ?? {};
  if (waitingFor?.operationComplete !== false) return false;
  return repeats(operation) || isRunning(operation) || seen === undefined || seen === runAfterText(operation);
}
const NEAR = 'spec.runAfter.affinityStrategy.dependOn';

/** undefined once it is complete. */
function waitFor(operation: OperationObject, key: OperationKey, field: string, find: Find): Predecessor | undefined {
  const awaited = (reason: Hold['reason'], message: string): Predecessor => ({ is: 'awaited', key, hold: { reason, message } });
  const found = find(key);
  const { namespace } = operation.metadata;
  // Not even whether it exists is said of another namespace.
  if (!isAllowed(operation, key, find))
    return awaited(
      'ReferenceNotAllowed',
      `${field}.namespace: expected ${namespace}, or a ${key.kind} whose annotation ${annotation.followers} lists that namespace, found ${key.namespace}`,
    );
  if (!found) return awaited('DataOperationNotFound', `${field}: no ${words(key)} exists`);
  if (isComplete(found)) return undefined;
  if (found.status?.phase === 'Failed' && isOver(found)) {
    const message = `${words(key)} failed, so this never runs`;
    return { is: 'failed', refusal: { reason: 'PredecessorFailed', message } };
  }
  const cycle = cycleFrom(operation, find);
  if (cycle) {
    const path = cycle.map(words).join(', which waits for ');
    return awaited('RunAfterCycle', `spec.runAfter: expected an operation that does not wait for this one, found ${path}`);
  }
  const lack = isRunning(found) && hasNoPods(found) ? `: it ${LACKS_PODS}` : '';
  return awaited('DataOperationWaiting', `waiting for ${words(key)} to complete${lack}`);
}

/**
 * An operation that those of other namespaces may wait for says so: when it ends is the affair of its own namespace.
 * threat-model: R-follow
 */
function isAllowed({ metadata: { namespace = '' } }: OperationObject, key: OperationKey, find: Find): boolean {
  if (key.namespace === namespace) return true;
  return listsNamespace(find(key)?.metadata.annotations?.[annotation.followers], namespace);
}

/** More than a user can mean. */
const MOST = 100;

/** The operations from the predecessor back to this one, if they wait for each other. */
function cycleFrom(operation: OperationObject, find: Find): readonly OperationKey[] | undefined {
  const seen = new Set<string>();
  function pathFrom(waiting: OperationObject): readonly OperationKey[] | undefined {
    for (const key of awaitedBy(waiting, find)) {
      const text = keyText(key);
      if (seen.has(text) || seen.size >= MOST) continue;
      seen.add(text);
      const found = find(key);
      if (!found || isOver(found)) continue;
      if (found.metadata.uid === operation.metadata.uid) return [key];
      const rest = pathFrom(found);
      if (rest) return [key, ...rest];
    }
    return undefined;
  }
  return pathFrom(operation);
}

/** The operations that its spec names. */
export const followedBy = (operation: OperationObject): readonly OperationKey[] =>
  [runAfterOf(operation), nearOf(operation)].filter((key) => key !== undefined);

/** The operations that this one waits for, if it may. */
const awaitedBy = (operation: OperationObject, find: Find): readonly OperationKey[] =>
  hasSeenEnd(operation) ? [] : followedBy(operation).filter((key) => isAllowed(operation, key, find));

/** Whether an operation has still to see that this one, which its spec names, is complete, or where it ran. */
export function mustSee(operation: OperationObject, key: OperationKey, find: Find): boolean {
  if (isOver(operation) || operation.metadata.deletionTimestamp || !isAllowed(operation, key, find)) return false;
  const near = nearOf(operation);
  // One that runs again and again does so near it each time.
  const isNear = near !== undefined && keyText(near) === keyText(key) && (repeats(operation) || !isRunning(operation));
  return isNear || !hasSeenEnd(operation);
}
