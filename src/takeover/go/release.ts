import type { Step } from '../steps/step.ts';
import { HIDDEN, relabelled } from '../world/releases.ts';
import type { World } from '../world/world.ts';

/**
 * `helm uninstall` deletes what the records of a release list, and four of these objects are Sluice's now. helm finds records by the label
 * `owner=helm`: without it, the release does not exist for helm, and the records stay for the way back.
 */
export const recordsHidden: Step<World> = {
  title: "helm no longer finds Fluid's release",
  does: "Remove helm's label `owner` from the records of Fluid's release, so that `helm uninstall` deletes nothing that serves.",
  of: ({ fluid: { release } }) => relabelled(release, release?.records ?? [], HIDDEN),
};
