import { annotation } from '../../api/index.ts';
import type { Hold, OperationKey } from '../world.ts';
import { endOf, isOver } from './status.ts';
import type { OperationObject, Predecessor } from './world.ts';

/** Finds an operation, as a watch shows it. */
type Find = (key: OperationKey) => OperationObject | undefined;

/** The operation of `spec.runAfter`. */
function runAfterOf({ metadata, spec }: OperationObject): OperationKey | undefined {
  const { kind, name, namespace } = spec.runAfter ?? {};
  return kind && name ? { kind, name, namespace: namespace || (metadata.namespace ?? '') } : undefined;
}

/** Whether an operation still has to wait for the one of `spec.runAfter`. */
export function predecessorOf(operation: OperationObject, find: Find): Predecessor {
  const key = runAfterOf(operation);
  if (!key) return { is: 'done' };
  const found = find(key);
  const isComplete = found?.status?.phase === 'Complete' && isAllowed(operation, key, found);
  // Once it was complete, what becomes of it does not matter.
  if (operation.status?.waitingFor?.operationComplete === false) return { is: 'done', ...(isComplete && { at: endOf(found) }) };
  const awaited = (reason: Hold['reason'], message: string): Predecessor => ({ is: 'awaited', key, hold: { reason, message } });
  // Not even whether it exists is said of another namespace.
  if (!isAllowed(operation, key, found))
    return awaited(
      'ReferenceNotAllowed',
      `spec.runAfter.namespace: expected ${operation.metadata.namespace}, or a ${key.kind} whose annotation ${annotation.followers} lists that namespace, found ${key.namespace}`,
    );
  if (!found) return awaited('DataOperationNotFound', `spec.runAfter: no ${words(key)} exists`);
  if (found.status?.phase === 'Failed')
    return {
      is: 'failed',
      refusal: { reason: 'PredecessorFailed', event: 'PredecessorFailed', message: `${words(key)} failed, so this never runs` },
    };
  if (isComplete) return { is: 'done', at: endOf(found) };
  const cycle = cycleFrom(operation, find);
  if (cycle)
    return awaited(
      'RunAfterCycle',
      `spec.runAfter: expected an operation that does not wait for this one, found ${cycle.map(words).join(', which waits for ')}`,
    );
  return awaited('DataOperationWaiting', `waiting for ${words(key)} to complete`);
}

/** A namespace that others may wait for says so: when an operation ends is its own affair. */
function isAllowed({ metadata }: OperationObject, { namespace }: OperationKey, found: OperationObject | undefined): boolean {
  if (namespace === metadata.namespace) return true;
  const followers = found?.metadata.annotations?.[annotation.followers]?.split(',').map((each) => each.trim()) ?? [];
  return followers.includes('*') || followers.includes(metadata.namespace ?? '');
}

/** More than a user can mean. */
const LONGEST = 100;

/** The operations from the predecessor back to this one, if they wait for each other. */
function cycleFrom(operation: OperationObject, find: Find): readonly OperationKey[] | undefined {
  const path: OperationKey[] = [];
  for (let next = runAfterOf(operation); next && path.length < LONGEST; ) {
    path.push(next);
    const found = find(next);
    if (!found || isOver(found)) return undefined;
    if (found.metadata.uid === operation.metadata.uid) return path;
    next = runAfterOf(found);
  }
  return undefined;
}

const words = ({ kind, namespace, name }: OperationKey): string => `${kind} ${namespace}/${name}`;
