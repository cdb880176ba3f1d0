import { annotation, csiDriver, type Dataset, label, listsNamespace } from '../../../api/index.ts';
import type { ReferenceFact } from '../../../constructs/index.ts';
import { ignoreNotFound } from '../../../kube/errors.ts';
import type { Key } from '../../world.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { ownedKinds } from '../kinds.ts';
import { isServed } from '../store/views.ts';
import { leadsTo } from './leads.ts';

type Context = Pick<ClusterContext, 'client' | 'store' | 'openReferences'>;
/** The Dataset that refers, and the name of its volume. */
type User = Key & { readonly volume: string };
type Consent = NonNullable<ReferenceFact['consent']>;

/**
 * Why a Dataset may use one of another namespace. The owner of that one decides, in its annotation; what Fluid had set up before the
 * take-over stays. That follows from the volume, which no user can write, and is recorded there.
 */
export async function consentTo(
  { client, store, openReferences }: Context,
  user: User,
  to: Key,
  dataset: Dataset | undefined,
): Promise<Consent | 'none'> {
  if (dataset && listsNamespace(dataset.metadata.annotations?.[annotation.sharedWith], user.namespace)) return 'grant';
  if (openReferences) return 'open';
  if (!dataset) return 'none';
  const live = store.live('PersistentVolume', undefined, user.volume);
  if (live?.metadata.labels?.[label.owner] !== undefined) {
    const isOurs = claims(live['spec'], user) && live.metadata.labels[label.referringName] === to.name;
    const isSame = isOurs && live.metadata.labels[label.referringNamespace] === to.namespace;
    return isSame && live.metadata.annotations?.[annotation.consent] === 'fluid' ? 'fluid' : 'none';
  }
  // Fluid has set up nothing for a Dataset that was never bound: one that waits for consent costs no request.
  const own = store.dataset(user);
  if (!own || !isServed(own)) return 'none';
  const found = await client.get(ownedKinds.PersistentVolume, { name: user.volume }).catch(ignoreNotFound);
  const { csi } = (found?.['spec'] ?? {}) as { csi?: { driver?: string; volumeAttributes?: Readonly<Record<string, string>> } };
  const { runtime_namespace: namespace, runtime_name: name } = csi?.volumeAttributes ?? {};
  const isFluids = found && found.metadata.labels?.[label.owner] === undefined && csi?.driver === csiDriver && claims(found['spec'], user);
  return isFluids && namespace === to.namespace && name === to.name ? 'fluid' : 'none';
}

/**
 * Whether the owner of the Dataset to which a volume leads no longer allows it, whatever the newest spec says. A Dataset that is gone
 * withdraws nothing.
 *
 * @param planned where the last valid plan leads: it must not create again what was deleted
 */
export async function isWithdrawn(context: Context, user: User, planned: Key | undefined): Promise<boolean> {
  const { store } = context;
  const to = leadsTo(store, user.volume) ?? planned;
  if (!to || to.namespace === user.namespace) return false;
  store.refers(user, to);
  const dataset = store.dataset(to);
  return dataset !== undefined && (await consentTo(context, user, to, dataset)) === 'none';
}

const claims = (spec: unknown, { namespace, name }: Key): boolean => {
  const { claimRef } = (spec ?? {}) as { readonly claimRef?: Partial<Key> };
  return claimRef?.namespace === namespace && claimRef.name === name;
};
