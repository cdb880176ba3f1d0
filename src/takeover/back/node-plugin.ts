import { isSluices } from '../world/pieces.ts';
import type { Step } from '../steps/step.ts';
import { STARTS_MS } from '../steps/waits.ts';
import { CSIDriver } from '../fluid/names.ts';
import { ownedKinds } from '../../planning/kinds.ts';
import { partRemoved } from './removed.ts';
import type { BackWorld } from './world.ts';

/** Fluid's plugin removes the socket of another one when it starts, so none of Sluice's may serve then. Mounts stay. */
export const sluicePluginGone: Step<BackWorld> = {
  title: "Sluice's node plugin is gone from every node",
  does: "Delete Sluice's node plugin, and wait until its pods are gone. Pods that start or end meanwhile wait.",
  // Kubernetes deletes no pod of a node that does not answer before it returns.
  of: (world) =>
    partRemoved(
      world,
      'nodePlugin',
      world.sluice.nodePlugin.filter(({ node }) => world.nodes.every(({ name, isReady }) => name !== node || isReady)),
    ),
};

export const driverRestored: Step<BackWorld> = {
  title: 'The CSIDriver is as it was',
  does: 'Restore the recorded CSIDriver.',
  of({ record: { objects }, fluid: { driver } }) {
    const isSame = !driver || !isSluices(driver);
    return !objects.driver || isSame ? undefined : { actions: [{ do: 'restore', type: CSIDriver, object: objects.driver }] };
  },
};

export const fluidPluginServes: Step<BackWorld> = {
  title: "Fluid's node plugin serves on every node",
  does: "Restore Fluid's DaemonSet, and wait until its pods are ready.",
  of({ record: { objects }, fluid, pluginCounts }) {
    if (!objects.nodePlugin) return undefined;
    if (!fluid.nodePlugin?.object) return { actions: [{ do: 'restore', type: ownedKinds.DaemonSet, object: objects.nodePlugin }] };
    const isReady = pluginCounts?.isSeen === true && pluginCounts.ready >= pluginCounts.wanted;
    return isReady ? undefined : { waitsFor: "Fluid's node plugin is ready on every node", withinMs: STARTS_MS };
  },
};
