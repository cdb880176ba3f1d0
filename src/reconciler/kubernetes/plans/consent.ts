import { consentOf, type Dataset, isSharedWith, ownerUid } from '../../../api/index.ts';
import type { ReferenceFact } from '../../../constructs/index.ts';
import { ignoreNotFound } from '../../../kube/errors.ts';
import type { KubeObject } from '../../../kube/types.ts';
import { type Key, keyText } from '../../world.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { ownedKinds } from '../../../planning/kinds.ts';
import { isServed } from '../../../planning/views.ts';
import { claimedBy, isFluidsReference, targetOf } from '../../../planning/volumes.ts';
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
  if (dataset && isSharedWith(dataset, user.namespace)) return 'grant';
  if (openReferences) return 'open';
  if (!dataset) return 'none';
  const live = store.live('PersistentVolume', undefined, user.volume);
  if (live && ownerUid(live) !== undefined) return isOnRecord(live, user, to) ? 'fluid' : 'none';
  // Fluid has set up nothing for a Dataset that was never bound: one that waits for consent costs no request.
  const own = store.dataset(user);
  if (!own || !isServed(own)) return 'none';
  const found = await client.get(ownedKinds.PersistentVolume, { name: user.volume }).catch(ignoreNotFound);
  return found && isFluidsReference(found, user, to) ? 'fluid' : 'none';
}

/**
 * Whether the owner of a Dataset to which a volume leads, at once or in the end, no longer allows it; the newest spec does not count. A
 * Dataset that is gone withdraws nothing.
 *
 * @param planned where the last valid plan leads: it must not create again what was deleted
 */
export async function isWithdrawn(context: Context, user: User, planned: readonly Key[]): Promise<boolean> {
  const { store } = context;
  for (const to of [...leadsTo(store, user.volume), ...planned]) {
    if (to.namespace === user.namespace) continue;
    store.refers(user, to);
    const dataset = store.dataset(to);
    if (dataset !== undefined && (await consentTo(context, user, to, dataset)) === 'none') return true;
  }
  return false;
}

/** Sluice's own volume, which was Fluid's. */
function isOnRecord(volume: KubeObject, user: Key, to: Key): boolean {
  const target = targetOf(volume);
  return isSame(claimedBy(volume), user) && !!target && isSame(target, to) && consentOf(volume) === 'fluid';
}

const isSame = (a: Key, b: Key): boolean => keyText(a) === keyText(b);
