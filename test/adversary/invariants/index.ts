import type { Grants, Invariant } from './invariant.ts';
import { clientsStayPlaced, clientsWereNeverUnplaced } from './placement.ts';
import { bindsAreOfOneDataset, sidecarsHaveGrants, victimsReadTheirOwn, volumesHaveGrants } from './reach.ts';
import { admissionsAreBounded, victimsPodsAreTheirs } from './sidecars.ts';
import { messagesAreShort, nothingPrivateLeaks, victimsTemplatesAreTheirs } from './texts.ts';

/** The same answer for as long as no object of these kinds changes, and no watch begins or ceases to stand still. */
function onceFor(kinds: readonly string[], invariant: Invariant): Invariant {
  let last: readonly unknown[] = [];
  let by: Grants | undefined;
  let answer: readonly string[] = [];
  return (world, isGranted) => {
    // The server makes another list when an object changes.
    const lists = kinds.map((kind) => world.server.all(kind));
    if (by !== isGranted || lists.some((list, i) => list !== last[i])) answer = invariant(world, isGranted);
    [last, by] = [lists, isGranted];
    return answer;
  };
}

/** A report shows the first five: those that name the cause come first. */
export const invariants: readonly Invariant[] = [
  clientsWereNeverUnplaced,
  clientsStayPlaced,
  volumesHaveGrants,
  victimsReadTheirOwn,
  bindsAreOfOneDataset,
  nothingPrivateLeaks,
  onceFor(['Dataset', 'DaemonSet', 'PersistentVolume', 'PersistentVolumeClaim'], victimsPodsAreTheirs),
  onceFor(['Dataset', 'DaemonSet', 'PersistentVolume', 'PersistentVolumeClaim'], sidecarsHaveGrants),
  onceFor(['Dataset', 'DaemonSet', 'PersistentVolume', 'PersistentVolumeClaim', 'Pod'], admissionsAreBounded),
  victimsTemplatesAreTheirs,
  messagesAreShort,
];
