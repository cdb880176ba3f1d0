import {
  consentOf,
  Dataset,
  faultsOf,
  InvalidSpec,
  isSharedWith,
  joinedName,
  type Manifest,
  parse,
  type PersistentVolumeSpec,
  referenceIn,
  shown,
} from '../../api/index.ts';
import type { ReferenceFact, ReferenceNeed, Runtime } from '../../constructs/index.ts';
import { claimedBy, isFluidsReference } from '../../planning/volumes.ts';
import { type Key, keyOf, keyText } from '../../planning/key.ts';
import type { RuntimeObject } from '../../planning/objects.ts';
import { referenceRuntime } from '../../planning/reference-runtime.ts';
import type { InputObjects, Item, RuntimeItem } from '../input/read.ts';
import type { Lookup } from './lookup.ts';

/** The input with the runtimes that the controller creates: of Datasets that refer to others, and have none in the input. */
export function withReferences(input: InputObjects, runtimes: readonly Runtime[]): InputObjects {
  const definition = runtimes.find(({ forReferences }) => forReferences);
  if (!definition) return input;
  const served = new Set(input.written.map(({ object }) => keyText(keyOf(object))));
  const created = input.datasets
    .filter(({ object }) => referenceIn(object.spec) !== undefined && !served.has(keyText(keyOf(object))))
    .map((item) => createdFor(item, definition));
  return { ...input, runtimes: [...input.runtimes, ...created], written: [...input.written, ...created] };
}

function createdFor({ object: { metadata }, source }: Item<Dataset>, definition: Runtime): RuntimeItem {
  const { name, namespace = '' } = metadata;
  const { apiVersion, kind, spec } = referenceRuntime(definition, { namespace, name, uid: '', collides: false });
  // The cast: it was parsed as its kind. Its names follow from the Dataset.
  const object = parse(definition.resource, { apiVersion, kind, metadata: { name, namespace }, spec }) as unknown as RuntimeObject;
  return { object: { ...object, apiVersion, kind }, source, definition };
}

/**
 * The target of a reference: the volume that the other Dataset has in the cluster, else the one that would be rendered from the input.
 * Undefined if neither has that Dataset.
 * @throws InvalidSpec when it is the Dataset itself, or one that refers to a third
 */
export async function referenceFrom(
  user: Key,
  need: ReferenceNeed,
  { elsewhere, lookup }: { readonly elsewhere: Lookup; readonly lookup: Lookup },
  rendered: () => Promise<{ readonly manifests: readonly Manifest[] } | undefined>,
): Promise<ReferenceFact | undefined> {
  const dataset = await lookup.find('Dataset', need.namespace, need.name);
  if (!dataset) return undefined;
  const called = `Dataset ${keyText(need)}`;
  if (keyText(need) === keyText(user)) throw notReferable(user, 'a reference to another Dataset', `${called} itself`);
  const further = faultsOf(Dataset, dataset).length === 0 ? referenceIn(parse(Dataset, dataset).spec) : undefined;
  if (further !== undefined)
    throw notReferable(user, 'a Dataset that refers to no other one', `${called}, which refers to ${shown(further)}`);
  const live = await elsewhere.find('PersistentVolume', undefined, joinedName(need));
  const isOwn = live !== undefined && keyText(claimedBy(live)) === keyText(need);
  const other = isOwn ? undefined : await rendered();
  const volume = (isOwn ? live : other?.manifests.find(({ kind }) => kind === 'PersistentVolume'))?.['spec'] as
    | PersistentVolumeSpec
    | undefined;
  if (!volume) return undefined;
  const { claimRef: _, ...spec } = volume;
  const consent = await consentTo(user, dataset, elsewhere);
  return {
    ...(need.namespace !== user.namespace && consent && { consent }),
    dataset: { identity: { ...need, uid: dataset.metadata.uid ?? '', collides: false }, mounts: [], status: {} },
    // The cast: no object of a reference depends on the status of the other one.
    runtime: { kind: '', type: '', engine: '', status: {} as ReferenceFact['runtime']['status'] },
    volume: spec,
  };
}

const notReferable = (user: Key, expected: string, found: string) =>
  new InvalidSpec({ path: 'spec.mounts[0].mountPoint', expected, found }, { object: `Dataset ${keyText(user)}` });

/** As the controller has recorded it on the volume, or will. */
async function consentTo(user: Key, dataset: Pick<Dataset, 'metadata'>, elsewhere: Lookup): Promise<ReferenceFact['consent']> {
  if (isSharedWith(dataset, user.namespace)) return 'grant';
  const own = await elsewhere.find('PersistentVolume', undefined, joinedName(user));
  if (own && isFluidsReference(own, user, keyOf(dataset))) return 'fluid';
  // The cast: the controller has written it.
  return consentOf(own) as ReferenceFact['consent'];
}
