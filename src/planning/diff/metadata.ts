import {
  annotation,
  datasetFinalizer,
  datasetId,
  GROUP,
  type Identity,
  label,
  type ObjectMeta,
  type OwnerReference,
  ownersOf,
  runtimeFinalizer,
  VERSION,
} from '../../api/index.ts';
import { identityRecord } from '../identity.ts';

/** The controller's own fields in the metadata of a user's object. */
export interface Marks {
  readonly finalizer: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly owners?: readonly OwnerReference[];
}
type Op = { readonly op: 'add' | 'replace' | 'remove' | 'test'; readonly path: string; readonly value?: unknown };

export const datasetMarks = (identity: Identity, owners: readonly OwnerReference[]): Marks => ({
  finalizer: datasetFinalizer,
  labels: { [label.datasetId]: datasetId(identity) },
  owners,
});

export const runtimeMarks = (type: string, uid: string, identity: Identity, annotations: Readonly<Record<string, string>>): Marks => ({
  finalizer: runtimeFinalizer(type),
  labels: { [label.datasetId]: datasetId(identity) },
  annotations: { ...annotations, [annotation.identity]: identityRecord(uid, identity) },
  owners: [{ apiVersion: `${GROUP}/${VERSION}`, kind: 'Dataset', name: identity.name, uid: identity.uid }],
});

/**
 * The JSON Patch that puts our marks on a user's object; undefined when it has them. Users' objects are never applied: apply would create
 * a deleted one again, and could not remove a finalizer that another field manager has set.
 */
export function markPatch(metadata: ObjectMeta, { finalizer, labels, annotations = {}, owners = [] }: Marks): readonly Op[] | undefined {
  const ops = [
    ...(metadata.finalizers?.includes(finalizer) ? [] : [appended('/metadata/finalizers', metadata.finalizers, finalizer)]),
    ...entries('/metadata/labels', metadata.labels, labels),
    ...entries('/metadata/annotations', metadata.annotations, annotations),
    ...ownerOps(ownersOf({ metadata }), owners),
  ];
  return ops.length > 0 ? [...preconditions(metadata), ...ops] : undefined;
}

/** The JSON Patch that removes our finalizer and no other; undefined when the object does not have it. */
export function unmarkPatch(metadata: ObjectMeta, finalizer: string): readonly Op[] | undefined {
  const finalizers = metadata.finalizers ?? [];
  if (!finalizers.includes(finalizer)) return undefined;
  return [
    ...preconditions(metadata),
    { op: 'replace', path: '/metadata/finalizers', value: finalizers.filter((entry) => entry !== finalizer) },
  ];
}

const preconditions = ({ uid, resourceVersion }: ObjectMeta): readonly Op[] => [
  { op: 'test', path: '/metadata/uid', value: uid },
  { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
];

const appended = (path: string, list: readonly unknown[] | undefined, value: unknown): Op =>
  list?.length ? { op: 'add', path: `${path}/-`, value } : { op: 'add', path, value: [value] };

function entries(path: string, map: Readonly<Record<string, string>> | undefined, wanted: Readonly<Record<string, string>>): readonly Op[] {
  const missing = Object.entries(wanted).filter(([key, value]) => map?.[key] !== value);
  if (missing.length === 0) return [];
  if (!map) return [{ op: 'add', path, value: Object.fromEntries(missing) }];
  return missing.map(([key, value]) => ({ op: 'add', path: `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, value }));
}

/** An owner of the same kind and name with another UID no longer exists; garbage collection would delete the object for it. */
function ownerOps(list: readonly OwnerReference[] | undefined, wanted: readonly OwnerReference[]): readonly Op[] {
  const missing = wanted.filter(({ uid }) => !list?.some((owner) => owner.uid === uid));
  if (missing.length === 0) return [];
  const kept = (list ?? []).filter((owner) => !missing.some(({ kind, name }) => kind === owner.kind && name === owner.name));
  return [{ op: 'add', path: '/metadata/ownerReferences', value: [...kept, ...missing] }];
}
