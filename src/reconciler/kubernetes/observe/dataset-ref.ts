import { type Dataset, label, parseReference, referenceIn } from '../../../api/index.ts';
import { type Key, keyOf, keyText } from '../../world.ts';
import { isServed } from '../store/views.ts';
import type { Store } from '../store/store.ts';

/**
 * `status.datasetRef`: the Datasets that refer to this one, by their volumes. Nothing is recorded, so nothing has to be released. Null
 * if there are none.
 */
export function datasetRef(store: Pick<Store, 'referrersOf' | 'dataset' | 'live'>, dataset: Dataset): readonly string[] | null {
  const key = keyOf(dataset);
  const known = store.referrersOf(key).map(keyText);
  const before = (dataset.status?.datasetRef ?? []).filter((text) => !known.includes(text) && isFluids(store, text, key));
  const all = [...known, ...before].toSorted();
  return all.length > 0 ? all : null;
}

/** What Fluid recorded counts until the volume of that Dataset is Sluice's. */
function isFluids(store: Pick<Store, 'dataset' | 'live'>, text: string, to: Key): boolean {
  const [namespace = '', name = ''] = text.split('/');
  const dataset = store.dataset({ namespace, name });
  const reference = dataset && parseReference(referenceIn(dataset.spec) ?? '');
  if (!reference || 'expected' in reference || keyText(reference) !== keyText(to)) return false;
  return isServed(dataset) && !store.live('PersistentVolumeClaim', namespace, name)?.metadata.labels?.[label.owner];
}
