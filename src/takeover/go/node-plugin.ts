import { ownedKinds, Pod } from '../../planning/kinds.ts';
import { some } from '../../planning/some.ts';
import { STARTS_MS } from '../steps/waits.ts';
import { waitingFor } from '../steps/pieces.ts';
import { undoers } from '../world/fluid-deployments.ts';
import { answering, applied } from '../world/pieces.ts';
import type { Contribution, Step } from '../steps/step.ts';
import type { PluginNode, World } from '../world/world.ts';

/** The longest time until another plugin serves on a node that has the image. */
const NODE_MS = 60_000;

export const nodePluginWaits: Step<World> = {
  title: "Sluice's node plugin waits on every node beside Fluid's",
  does: "Apply Sluice's node plugin, whose pods wait while Fluid's plugin serves, and wait until they run.",
  of(world) {
    const late = answering(world.nodes).filter(({ fluid, sluice }) => fluid && !sluice?.isRunning);
    const refused = world.refused.get('nodePlugin');
    const waits = refused === undefined ? pluginRuns(late, STARTS_MS) : { refusal: [refused] };
    return applied(world, 'nodePlugin') ?? (late.length > 0 ? waits : undefined);
  },
};

const pluginRuns = (nodes: readonly PluginNode[], withinMs: number): Contribution =>
  waitingFor(
    `a pod of sluice-csi runs on ${some(nodes.map(({ name }) => name))}`,
    withinMs,
    nodes.flatMap(({ sluice }) => sluice ?? []),
  );

/**
 * One node after the other. Without its DaemonSet a pod that is deleted is not created again, and the others serve on. Nodes that do not
 * answer come last: their pod ends when they return, and Sluice's is there.
 */
export const nodesHandedOver: Step<World> = {
  title: "Sluice's node plugin serves on every node",
  does: "Delete Fluid's DaemonSet and leave its pods; then, node by node, delete Fluid's pod and wait until Sluice's serves.",
  of: (world) => applied(world, 'driver') ?? orphaned(world) ?? handedOver(world),
  undoneBy: (world) => undoers(world, []),
};

function orphaned({ fluid, run }: World): Contribution | undefined {
  const set = fluid.nodePlugin?.object;
  if (!set) return undefined;
  const { namespace, name, uid = '' } = set.metadata;
  if (run.deleted.has(uid)) return { waitsFor: `DaemonSet ${namespace}/${name} is deleted`, withinMs: NODE_MS };
  return { actions: [{ do: 'delete', object: { type: ownedKinds.DaemonSet, namespace, name, uid }, leavesPods: true }] };
}

function handedOver(world: World): Contribution | undefined {
  const { nodes, run } = world;
  const here = answering(nodes);
  const ending = here.find(({ fluid }) => fluid && run.deleted.has(fluid.uid));
  if (ending) return { waitsFor: `Fluid's plugin ends on ${ending.name}`, withinMs: NODE_MS };
  const late = here.find(({ fluid, sluice, hasDriver }) => !fluid && sluice && !(sluice.isReady && hasDriver !== false));
  if (late) return waitingFor(`Sluice's plugin serves on ${late.name}`, NODE_MS, late.sluice ? [late.sluice] : []);
  const next = here.find(({ fluid }) => fluid);
  if (next && !next.sluice?.isRunning) return pluginRuns([next], NODE_MS);
  if (next) return pluginDeleted(world, next);
  // No other node is held up by those that do not answer.
  const away = nodes.find(({ fluid, isReady }) => fluid && !isReady && !run.deleted.has(fluid.uid));
  return away && pluginDeleted(world, away);
}

/**
 * The shell that is the first process of Fluid's container does not end at SIGTERM, but the sidecar that registers it does. With the pod's own
 * 30 s, the node would be without a plugin for as long. A call that is cut off is repeated by the kubelet.
 */
const GRACE_S = 1;

const pluginDeleted = ({ fluid: { namespace } }: World, { fluid }: PluginNode): Contribution | undefined =>
  fluid && { actions: [{ do: 'delete', object: { type: Pod, namespace, ...fluid }, gracePeriodSeconds: GRACE_S }] };
