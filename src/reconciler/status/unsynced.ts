/** Why a runtime does not match its spec, in one place for its conditions, those of its Dataset, and the events of both. Pure. */
import { holdOf } from '../../planning/diff/mount-trouble.ts';
import { annotation } from '../../api/index.ts';
import { keptText } from './kept.ts';
import { some } from '../../planning/some.ts';
import type { Applied, Decision, Hold, World } from '../world.ts';

/** The obstacle to set-up: the objects that could not be written, else the hold of the lifecycle. */
export function troubleOf({ obstacle }: World, { hold }: Decision, { failed: [failure, ...others] }: Applied): Hold | undefined {
  if (!failure) return hold;
  const also = others.length > 0 ? `. Also refused: ${some(others.map(({ object }) => object))}` : '';
  const message = `${failure.object}: ${failure.message}${also}`;
  return { reason: failure.reason, message: obstacle ? `${message}. Besides: ${obstacle.message}` : message };
}

/** Lacks of a runtime although nothing keeps it from being set up, in the order in which they are reported. */
export const lacksOf = ({ mounts, nodesRefused }: World, applied: Applied): readonly Hold[] =>
  [goingOf(applied), unlabelled(nodesRefused), placementOf(applied), holdOf(mounts?.troubles ?? [])].filter((lack) => lack !== undefined);

/** Why `Synced` is False. */
export const unsyncedBy = (world: World, decision: Decision, applied: Applied): Hold | undefined =>
  troubleOf(world, decision, applied) ?? lacksOf(world, applied)[0];

/** Objects that somebody else deleted, or that are no longer wanted, and that do not go. */
function goingOf({ kept }: Applied): Hold | undefined {
  const message = keptText(kept);
  return message === undefined ? undefined : { reason: 'Deleting', message };
}

/** Fuse pods do not start there, or have left, and pods are not drawn to the cache. */
const unlabelled = (nodes: string | undefined): Hold | undefined =>
  nodes === undefined
    ? undefined
    : { reason: 'NodeNotLabelled', message: `labels of nodes were not written; the controller retries with back-off: ${nodes}` };

/** The nodes on which fuse pods stay, and the pods that read there. */
export function placementOf({ waiting }: Applied): Hold | undefined {
  const inUse = waiting.flatMap(({ nodes }) => nodes.map(({ name, pods }) => `${name} (${some(pods)})`));
  if (inUse.length === 0) return undefined;
  const message = `Fuse pods stay on nodes that the spec no longer selects until no pod mounts the dataset there: ${some(inUse)}. The annotation ${annotation.fusePlacement}: now removes them at once.`;
  return { reason: 'PlacementWaiting', message };
}
