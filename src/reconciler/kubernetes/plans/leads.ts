import { label } from '../../../api/index.ts';
import type { Facts, VolumePlan } from '../../../constructs/index.ts';
import { type Hold, type Key, keyText } from '../../world.ts';
import type { Store } from '../store/store.ts';
import { directoryOf } from '../store/volume-directory.ts';

/** The Dataset to which a volume leads, if that is not its own. Only the controller writes this. */
export function leadsTo(store: Pick<Store, 'live'>, volume: string): Key | undefined {
  const { [label.referringNamespace]: namespace, [label.referringName]: name } =
    store.live('PersistentVolume', undefined, volume)?.metadata.labels ?? {};
  return namespace && name ? { namespace, name } : undefined;
}

/**
 * Why a plan has to wait: the volume leads to another Dataset than it asks for, which Kubernetes lets nobody change. What the volume says of
 * itself must stay true, since consent and deletion follow from it. So claim and volume are created again.
 */
export function astray(store: Pick<Store, 'live'>, volume: string, { reference }: Pick<Facts, 'reference'>): Hold | undefined {
  if (store.live('PersistentVolume', undefined, volume)?.metadata.labels?.[label.owner] === undefined) return undefined;
  const [found, wanted] = [leadsTo(store, volume), reference?.dataset.identity].map((key) => key && keyText(key));
  if (found === wanted) return undefined;
  return replacing(`the volume leads to ${found ? `Dataset ${found}` : 'its own Dataset'}`);
}

/**
 * Why a plan has to wait although its volume leads to the right Dataset: to another path of it, or to where an earlier runtime of another kind
 * had it. What Fluid had set up without a grant stays as it is: with the volume, its consent would be gone.
 */
export function displaced(
  store: Pick<Store, 'live'>,
  volume: string,
  { reference }: Pick<Facts, 'reference'>,
  attributes: () => VolumePlan['attributes'],
): Hold | undefined {
  const { leadsTo: directory } = (store.live('PersistentVolume', undefined, volume)?.['spec'] ?? {}) as { readonly leadsTo?: string };
  if (!reference || reference.consent === 'fluid' || directory === undefined || directory === directoryOf(attributes())) return undefined;
  return replacing('the volume leads to another directory than it should');
}

const replacing = (why: string): Hold => ({
  reason: 'VolumePending',
  message: `${why}; the controller creates claim and volume again once no pod mounts the claim. Until then no other pod can mount it`,
  revokes: true,
});
