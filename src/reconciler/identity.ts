import { datasetId, type Identity, joinedName, label } from '../api/index.ts';
import type { Key } from './world.ts';

interface Named {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly creationTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

/**
 * Which names a dataset goes by. `a-b/c` and `a/b-c` want the same ones: whoever has them keeps them, else the older gets them.
 * Once written, the label `fluid.io/dataset-id` is the record; where it is the UID anyway, as the names are long, the volume of the claim is.
 */
export function identityOf(key: Key, dataset: Named, namesakes: readonly Named[], claimed?: string): Identity {
  const plain: Identity = { ...key, uid: dataset.metadata.uid ?? '', collides: false };
  const recorded = dataset.metadata.labels?.[label.datasetId];
  if (recorded === plain.uid && recorded !== '') {
    const isLong = datasetId(plain) === plain.uid;
    return { ...plain, collides: !isLong || (claimed ? claimed === plain.uid : namesakes.some((other) => comesFirst(other, dataset))) };
  }
  // Fluid lets two datasets have the same one. Those that share no more than a node label keep what they have.
  if (recorded === joinedName(key))
    return { ...plain, collides: namesakes.some((other) => holds(other, recorded) && comesFirst(other, dataset)) };
  return { ...plain, collides: namesakes.some((other) => holds(other) || comesFirst(other, dataset)) };
}

/** The identity that a runtime was set up with, also when its Dataset is gone. */
export function identityOfRuntime(
  key: Key,
  runtime: Named & { readonly metadata: { readonly ownerReferences?: readonly { kind: string; uid: string }[] } },
): Identity {
  const uid = runtime.metadata.ownerReferences?.find(({ kind }) => kind === 'Dataset')?.uid ?? '';
  const plain: Identity = { ...key, uid, collides: false };
  const recorded = runtime.metadata.labels?.[label.datasetId];
  return { ...plain, collides: recorded !== undefined && recorded === uid && datasetId(plain) !== uid };
}

const holds = ({ metadata: { namespace = '', name, labels } }: Named, joined = joinedName({ namespace, name })): boolean =>
  labels?.[label.datasetId] === joined;

const comesFirst = (a: Named, b: Named): boolean => {
  const [at, bt] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  return at === bt ? (a.metadata.uid ?? '') < (b.metadata.uid ?? '') : at < bt;
};
