import { ownerUid } from '../../../api/index.ts';
import type { KubeObject } from '../../../kube/types.ts';
import type { LiveObject } from '../../world.ts';
import type { Inventories } from './inventories.ts';
import { isIn } from '../../../planning/owner.ts';
import type { Watches } from './watches.ts';

/**
 * All that an owner has: as the watches show it, with what the controller wrote or found since. The event of the controller's own write wakes
 * no key. So the next pass must find what a pass created and the next one no longer wants, though no watch shows it yet.
 */
export function newestInventory(watches: Pick<Watches, 'newest' | 'ownWrites'>, { of }: Pick<Inventories, 'of'>): Inventories['of'] {
  return (owner) => {
    const shown = of(owner);
    const own = watches.ownWrites(owner.uid);
    if (!own) return shown;
    const belongs = (object: KubeObject): boolean => ownerUid(object) === owner.uid && isIn(object, owner);
    const newest = [...shown, ...own].flatMap(({ kind, metadata: { namespace, name } }) => watches.newest(kind, namespace, name) ?? []);
    // The cast: what carries the label of an owner is kept with UID and version.
    return [...new Set(newest.filter(belongs))] as unknown as readonly LiveObject[];
  };
}
