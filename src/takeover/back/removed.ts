import { webhookNames } from '../../api/webhook-names.ts';
import { removed } from '../steps/pieces.ts';
import type { PodView } from '../steps/pod-view.ts';
import type { Contribution } from '../steps/step.ts';
import type { PartName } from '../world/parts.ts';
import type { BackWorld } from './world.ts';

/** With these, what is in them or uses them would be deleted too. */
const KEPT: ReadonlySet<string> = new Set(['Namespace', 'CustomResourceDefinition', 'CSIDriver']);
/** Fluid's objects of these names are restored in place. */
const WEBHOOKS: ReadonlySet<string> = new Set([webhookNames.service, webhookNames.configuration, webhookNames.secret]);

/** Deletes the objects of a part, then waits for its pods. */
export const partRemoved = (world: BackWorld, part: PartName, pods: readonly PodView[]): Contribution | undefined =>
  removed(
    world,
    world.sluice.objects.filter((object) => object.part === part && isRemoved(world, object)),
    pods,
  );

/** Daemons of runtimes hold file systems that pods read. Once the record is gone, all that it names is Fluid's. */
const isRemoved = ({ record }: BackWorld, { part, type: { kind }, name }: BackWorld['sluice']['objects'][number]): boolean =>
  !KEPT.has(kind) &&
  !(WEBHOOKS.has(name) && (record.objects.service || record.uid === undefined)) &&
  (part !== 'rest' || kind === 'ClusterRole');
