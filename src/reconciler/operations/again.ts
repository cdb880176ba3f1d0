import { annotation } from '../../api/index.ts';
import type { Hold } from '../world.ts';
import { isDone, isRetried, retryOf } from './state.ts';
import type { OperationWorld } from './world.ts';

/** When an operation that has ended runs once more. */

/** How long mounts have to stay as they are before an operation with policy OnEvent runs again. */
const SETTLED_MS = 30_000;

/** Why an operation that has ended runs once more. Its Job says best which run it was. */
export function anotherRun(world: OperationWorld): Hold | undefined {
  const { operation, run, mounts } = world;
  if (!isDone(operation)) return undefined;
  if (isRetried(operation) && !(run && run.retry === retryOf(operation)))
    return { reason: 'Retried', message: `the annotation ${annotation.retry} asks for another run` };
  if (!mounts || mounts.digest === operation.status?.observedMounts || mounts.digest === run?.mounts) return undefined;
  return changed(world);
}

/** Why an operation with policy OnEvent does not run again yet. Its first run waits for nothing, nor does one without mounts. */
export function unsettled(world: OperationWorld): Hold | undefined {
  const { operation, mounts } = world;
  if (!mounts?.digest || operation.status?.observedMounts === undefined) return undefined;
  const leftMs = SETTLED_MS - mounts.unchangedMs;
  return leftMs > 0 ? { ...changed(world), afterMs: leftMs } : undefined;
}

const changed = ({ target, other }: OperationWorld): Hold => ({
  reason: 'MountsChanged',
  message: `mounts of ${other ? `Datasets ${target.name} and ${other.key.name}` : `Dataset ${target.name}`} have changed: it runs again ${SETTLED_MS / 1000} s after the last change`,
});
