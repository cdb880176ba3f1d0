import { ownerUid } from '../../../api/index.ts';
import type { Facts, VolumePlan } from '../../../constructs/index.ts';
import { type Hold, type Key, keyText } from '../../world.ts';
import type { Store } from '../store/store.ts';
import { directoryOf, servedBy, targetOf, targetsOf } from '../../../planning/volumes.ts';

/** Every Dataset other than its own to which a volume leads: at once, and in the end. */
export function leadsTo(store: Pick<Store, 'live'>, volume: string): readonly Key[] {
  const live = store.live('PersistentVolume', undefined, volume);
  return live ? targetsOf(live) : [];
}

/** The same of a volume that a plan renders. */
export const plannedTo = ({ reference }: Pick<Facts, 'reference'>): readonly Key[] =>
  reference ? [reference.dataset.identity, servedBy(reference.volume.csi?.volumeAttributes ?? {}) ?? reference.dataset.identity] : [];

/**
 * Why a plan of a reference, or of what was one, has to wait: its volume leads to another directory of the nodes, which Kubernetes lets nobody
 * change. So claim and volume are created again. The directory tells: a label that another writer took from the volume is repaired.
 *
 * What Fluid had set up without a grant stays as it is, also for another path: with the volume its consent would be gone.
 */
export function astray(
  store: Pick<Store, 'live'>,
  volume: string,
  { reference }: Pick<Facts, 'reference'>,
  attributes: () => VolumePlan['attributes'],
): Hold | undefined {
  const live = store.live('PersistentVolume', undefined, volume);
  if (!live || ownerUid(live) === undefined) return undefined;
  const [found, wanted] = [targetOf(live), reference?.dataset.identity].map((key) => key && keyText(key));
  if ((!found && !wanted) || (found === wanted && reference?.consent === 'fluid')) return undefined;
  // The cast: what the store keeps of a volume.
  if ((live['spec'] as { readonly directory?: string }).directory === directoryOf(attributes())) return undefined;
  const where = found === wanted ? 'another directory than it should' : found ? `Dataset ${found}` : 'its own Dataset';
  const message = `the volume leads to ${where}; the controller creates claim and volume again once no pod mounts the claim. Until then no other pod can mount it`;
  return { reason: 'VolumePending', message, revokes: true };
}
