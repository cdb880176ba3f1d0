import type { KubeClient } from '../../../kube/contract.ts';
import { ignoreNotFound } from '../../../kube/errors.ts';
import type { KubeObject } from '../../../kube/types.ts';
import { attempt } from '../../failures.ts';
import type { Failure, DesiredObject, Pruned } from '../../world.ts';
import { keptOf } from '../../status/kept.ts';
import { ownedType } from '../../../planning/kinds.ts';
import type { Owned } from '../../../planning/owner.ts';
import type { Store } from '../store/store.ts';
import type { Confirmed } from './fresh.ts';
import { refOf } from './obstacles.ts';

/**
 * Deletes what carries the owner's label and is not among `keep`. `confirmed` is called before the first deletion. Invariants A5,
 * A7 and A13 of apply.ts hold here.
 *
 * @throws ApiError 409 if the owner is not as it was seen
 */
export type Prune = (owner: Owned, keep: readonly Pick<DesiredObject, 'kind' | 'name'>[], confirmed: Confirmed) => Promise<Pruned>;

export function pruner(client: KubeClient, store: Pick<Store, 'inventory'>): Prune {
  return async (owner, keep, confirmed) => {
    const wanted = new Set(keep.map(refOf));
    const unwanted = store.inventory(owner).filter((object) => !wanted.has(refOf(nameOf(object))));
    const extra = unwanted.filter(({ metadata }) => !metadata.deletionTimestamp);
    if (extra.length > 0) await confirmed();
    const pruned: string[] = [];
    const failed: Failure[] = [];
    for (const object of extra) {
      const { kind, metadata } = object;
      const name = refOf(nameOf(object));
      const remove = () => client.delete(ownedType(kind), metadata, { uid: metadata.uid, propagation: 'Background' }).catch(ignoreNotFound);
      const refused = await attempt('DeleteFailed', name, remove);
      if (refused.length > 0) failed.push(...refused);
      else pruned.push(name);
    }
    return { pruned, failed, kept: unwanted.flatMap(keptOf) };
  };
}

const nameOf = ({ kind, metadata: { name } }: KubeObject) => ({ kind, name });
