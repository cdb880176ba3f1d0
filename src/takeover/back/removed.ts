import { some } from '../../planning/some.ts';
import type { PartName } from '../go/parts.ts';
import { deleted } from '../go/pieces.ts';
import type { Contribution } from '../go/step.ts';
import type { OwnObject, PodView } from '../go/world.ts';
import { ENDS_MS } from '../waits.ts';
import { webhookNames } from '../../api/webhook-names.ts';
import type { BackWorld } from './world.ts';

/** With these, what is in them or uses them would be deleted too. */
const KEPT: ReadonlySet<string> = new Set(['Namespace', 'CustomResourceDefinition', 'CSIDriver']);
/** Fluid's objects of these names are restored in place. */
const WEBHOOKS: ReadonlySet<string> = new Set([webhookNames.service, webhookNames.configuration, webhookNames.secret]);

/** Deletes the objects of a part, then waits for its pods. */
export function removed(world: BackWorld, part: PartName, pods: readonly PodView[]): Contribution | undefined {
  const own = world.sluice.objects.filter((object) => object.part === part && isRemoved(world, object));
  // In the reverse order of an installation, but workloads first: a pod without rights only fails.
  const order = own.toReversed().toSorted((a, b) => Number(isWorkload(b)) - Number(isWorkload(a)));
  const late = pods.length > 0 ? { waitsFor: `${some(pods.map(({ name }) => `pod ${name}`))} ends`, withinMs: ENDS_MS } : undefined;
  return deleted(world, order) ?? late;
}

const isWorkload = ({ type: { kind } }: OwnObject): boolean => kind === 'Deployment' || kind === 'DaemonSet';
/** Daemons of runtimes hold file systems that pods read. Once the record is gone, all that it names is Fluid's. */
const isRemoved = ({ record }: BackWorld, { part, type: { kind }, name }: OwnObject): boolean =>
  !KEPT.has(kind) &&
  !(WEBHOOKS.has(name) && (record.objects.service || record.uid === undefined)) &&
  (part !== 'rest' || kind === 'ClusterRole');
