import { datasetId, type Identity, joinedName, ownerUid } from '../../../api/index.ts';
import type { RuntimeCandidate } from '../../../planning/choose.ts';
import { type Evidence, identityOf } from '../../../planning/identity.ts';
import { type Key, keyText } from '../../world.ts';
import { allLabelIds } from '../nodes/cache-labels.ts';
import type { Store } from '../store/store.ts';

/** Adds to `known` what the watches show about a dataset's names. */
export function evidence(store: Store, key: Key, known: Evidence): Evidence {
  return { ...known, namesakes: store.namesakes(key), holder: holderOf(store, key, known.runtime?.metadata.uid) };
}

function holderOf(store: Store, key: Key, runtime: string | undefined): Key | undefined {
  const live = store.live('PersistentVolume', undefined, joinedName(key));
  const owner = ownerUid(live) ?? '';
  if (!store.isOwner(owner)) return undefined;
  // The runtime's own volume is its own, even with another claim in it.
  if (owner === runtime) return key;
  const { namespace, name } = (live?.['spec'] as { claimRef?: Partial<Key> } | undefined)?.claimRef ?? {};
  return namespace && name ? { namespace, name } : undefined;
}

/** Whether the runtime has objects, or a Dataset whose status names it. */
const lives = (store: Store, key: Key, { definition, object }: RuntimeCandidate): boolean =>
  store.inventory({ uid: object.metadata.uid ?? '', ...key }).length > 0 ||
  (store.dataset(key)?.status?.runtimes?.some(({ type }) => type === definition.type) ?? false);

/** Whether another runtime of the same name serves the dataset: the claim and the volume are its own. */
export const isServedByAnother = (store: Store, key: Key, uid: string): boolean =>
  store.runtimes(key).some((other) => other.object.metadata.uid !== uid && lives(store, key, other));

/**
 * The labels among those that go with a runtime which another living runtime needs: datasets want the same names, and users write UIDs into
 * the metadata of runtimes.
 */
export function labelIdsOfOthers(store: Store, key: Key, uid: string, { uid: datasetUid, ...names }: Identity): ReadonlySet<string> {
  const id = datasetId({ uid: datasetUid, ...names });
  const keys = [
    key,
    ...splitsOf(joinedName(key)),
    ...splitsOf(id),
    ...store.namesakes(key).map(({ metadata }) => metadata),
    ...keysOfUid(store, key, datasetUid),
  ];
  const unique = new Map(keys.map(({ namespace = '', name }) => [keyText({ namespace, name }), { namespace, name }]));
  const held = [...unique.values()].flatMap((each) =>
    store
      .runtimes(each)
      .filter((other) => other.object.metadata.uid !== uid && lives(store, each, other))
      .flatMap(({ definition, object }) =>
        allLabelIds(definition.engines, identityOf(each, evidence(store, each, { dataset: store.dataset(each), runtime: object }))),
      ),
  );
  return new Set(held);
}

/** `a-b-c` is `a/b-c` or `a-b/c`; their Datasets may be gone. */
const splitsOf = (joined: string): readonly Key[] =>
  [...joined.matchAll(/-/g)].map(({ index }) => ({ namespace: joined.slice(0, index), name: joined.slice(index + 1) }));

/** Other keys with this UID, which belongs to `key` alone. They are searched only when `key` has no Dataset, or one with another UID. */
function keysOfUid(store: Store, key: Key, uid: string): readonly Key[] {
  if (uid === '' || store.dataset(key)?.metadata.uid === uid) return [];
  const keys: Key[] = [];
  const add = (name: string, namespace = '') => keys.push({ namespace, name });
  for (const { metadata } of store.datasets()) if (metadata.uid === uid) add(metadata.name, metadata.namespace);
  for (const { object } of store.allRuntimes()) {
    const { metadata } = object;
    const of = { namespace: metadata.namespace ?? '', name: metadata.name };
    if (identityOf(of, { runtime: object }).uid === uid) add(of.name, of.namespace);
  }
  return keys;
}
