import { type Dataset, ownerUid, parseReference, referenceIn } from '../../../api/index.ts';
import { type Key, keyOf, keyText } from '../../world.ts';
import { isServed } from '../../../planning/views.ts';
import type { Store } from '../store/store.ts';

type Known = Pick<Store, 'referrersOf' | 'refers' | 'dataset' | 'live'>;

/**
 * `status.datasetRef`: the Datasets that refer to this one, by their volumes. Nothing is recorded, so nothing has to be released. Null
 * if there are none. Changes of those that have no volume in the watches wake this one from now on.
 */
export function datasetRef(store: Known, dataset: Dataset): readonly string[] | null {
  const key = keyOf(dataset);
  const known = store.referrersOf(key).map(keyText);
  const before = (dataset.status?.datasetRef ?? []).filter((text) => !known.includes(text) && isFluids(store, text, key));
  const all = [...known, ...before].toSorted();
  return all.length > 0 ? all : null;
}

/**
 * Fluid's record counts until the volume of that Dataset is Sluice's. So does, for a moment, a reference whose volume was just deleted:
 * only its Dataset shows that it has ended.
 */
function isFluids(store: Known, text: string, to: Key): boolean {
  const [namespace = '', name = ''] = text.split('/');
  store.refers(to, { namespace, name });
  const dataset = store.dataset({ namespace, name });
  const reference = dataset && parseReference(referenceIn(dataset.spec) ?? '');
  if (!reference || 'expected' in reference || keyText(reference) !== keyText(to)) return false;
  return isServed(dataset) && !ownerUid(store.live('PersistentVolumeClaim', namespace, name));
}
