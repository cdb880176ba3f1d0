import { annotation, datasetId, datasetIdOf, type Identity, joinedName } from '../api/index.ts';
import { type Key, keyText } from './key.ts';

interface Named {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly creationTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly kind: string; readonly uid: string; readonly controller?: boolean | undefined }[];
  };
}

/** Everything that decides which names a dataset has. */
export interface Evidence {
  /** The runtime that serves it, or did. */
  readonly runtime?: Named | undefined;
  /** Absent: only the names with which the runtime was set up matter, not the state of its Dataset. */
  readonly dataset?: Named | undefined;
  /** Other Datasets that would have the same names or node labels. */
  readonly namesakes?: readonly Named[];
  /** The volume of its claim. */
  readonly claimed?: string | undefined;
  /** Key of the dataset that has the volume of the joined name. Users cannot create or change volumes. */
  readonly holder?: Key | undefined;
}

/**
 * Which names a dataset has. `a-b/c` and `a/b-c` want the same ones: the dataset that has them keeps them, else the older one gets them.
 * The decision is recorded on the Runtime and never changes. Runtimes that Fluid or an earlier version set up have only labels,
 * `fluid.io/dataset-id` on the Runtime and on the Dataset. These hold the UID of a dataset with a long name in any case; then the volume
 * of its claim decides.
 */
export function identityOf(key: Key, { runtime, dataset, namesakes = [], claimed, holder }: Evidence): Identity {
  const before = runtime && (recordOn(key, runtime) ?? labelledOn(key, runtime));
  if (!dataset) return before?.identity ?? { ...key, uid: '', collides: false };
  const uid = dataset.metadata.uid ?? '';
  return { ...key, uid, collides: givesWay() };

  function givesWay(): boolean {
    const own = before?.identity.uid === uid ? before : undefined;
    const isTaken = holder !== undefined && keyText(holder) !== keyText(key);
    if (own?.isRecord) return own.identity.collides || isTaken;
    if (holder || claimed === uid) return isTaken || claimed === uid;
    const isOlder = (other: Named) => comesFirst(other, dataset!);
    if (isLong({ ...key, uid })) return claimed === undefined && namesakes.some(isOlder);
    const id = datasetIdOf(dataset);
    if (own?.identity.collides || (id === uid && uid !== '')) return true;
    // Fluid lets two datasets have the same label. Datasets that share no more than a node label keep what they have.
    if (own || id === joinedName(key)) return namesakes.some((other) => holds(other, joinedName(key)) && isOlder(other));
    return namesakes.some((other) => holds(other) || isOlder(other));
  }
}

interface IdentityRecord {
  /** UID of the Runtime; of a Runtime that its Dataset controls, UID of that Dataset: the record is part of its creation. */
  readonly for: string;
  /** UID of the Dataset. */
  readonly dataset: string;
  readonly names: 'joined' | 'uid';
}
interface Before {
  readonly identity: Identity;
  readonly isRecord: boolean;
}

/** @param whose see `recordHolder` */
export const identityRecord = (whose: string, { uid, collides }: Identity): string =>
  JSON.stringify({ for: whose, dataset: uid, names: collides ? 'uid' : 'joined' } satisfies IdentityRecord);

/** The UID that a record on this runtime is for. threat-model: R-identity */
export const recordHolder = ({ uid = '', ownerReferences }: Pick<Named['metadata'], 'uid' | 'ownerReferences'>): string =>
  ownerReferences?.find(({ kind, controller }) => kind === 'Dataset' && controller)?.uid ?? uid;

/** A record that was copied from another runtime has another UID and does not count. threat-model: R-identity */
function recordOn(key: Key, { metadata }: Named): Before | undefined {
  const text = metadata.annotations?.[annotation.identity];
  if (!text) return undefined;
  try {
    const { for: whose, dataset, names } = JSON.parse(text) as Partial<IdentityRecord>;
    if ((whose !== metadata.uid && whose !== recordHolder(metadata)) || !isUid(dataset) || (names !== 'joined' && names !== 'uid'))
      return undefined;
    return { identity: { ...key, uid: dataset, collides: names === 'uid' }, isRecord: true };
  } catch {
    return undefined;
  }
}

/** Any other text that a user writes for a UID could be the joined name of another Dataset. */
const isUid = (text: unknown): text is string => typeof text === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

/**
 * The label is the joined name or the UID. Once the Dataset is gone for good, only the label may still hold the UID.
 * threat-model: R-identity
 */
function labelledOn(key: Key, { metadata }: Named): Before | undefined {
  const id = datasetIdOf({ metadata });
  const owner = metadata.ownerReferences?.find(({ kind, uid }) => kind === 'Dataset' && isUid(uid))?.uid;
  const uid = owner ?? (id !== undefined && id !== joinedName(key) && isUid(id) ? id : '');
  if (id === undefined) return owner === undefined ? undefined : { identity: { ...key, uid, collides: false }, isRecord: false };
  return { identity: { ...key, uid, collides: uid !== '' && id === uid && !isLong({ ...key, uid }) }, isRecord: false };
}

/** Whether the joined name is so long that Fluid's own rule replaces it by the UID. */
const isLong = (dataset: Key & { readonly uid: string }): boolean => datasetId({ ...dataset, collides: false }) !== joinedName(dataset);

const holds = (
  dataset: Named,
  joined = joinedName({ namespace: dataset.metadata.namespace ?? '', name: dataset.metadata.name }),
): boolean => datasetIdOf(dataset) === joined;

const comesFirst = (a: Named, b: Named): boolean => {
  const [at, bt] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  return at === bt ? (a.metadata.uid ?? '') < (b.metadata.uid ?? '') : at < bt;
};
