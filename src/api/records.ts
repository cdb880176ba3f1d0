/**
 * Records that an object carries about itself, which anybody could have written who may write such objects. docs/threat-model.md has a row
 * for each: what is believed, and why that is safe. A check fails if a record is read in a second file.
 */
import { annotation, label, listsNamespace } from './labels.ts';
import { datasetId, type Identity } from './names.ts';
import type { OwnerReference } from './resource.ts';

type Texts = Readonly<Record<string, string>>;
interface Labelled {
  readonly metadata: { readonly labels?: Texts };
}
interface Described {
  readonly metadata: { readonly labels?: Texts; readonly annotations?: Texts; readonly ownerReferences?: readonly OwnerReference[] };
}

/** UID of the runtime or the operation that an object was created for. threat-model: R-owner */
export const ownerUid = (object: Described | undefined): string | undefined => object?.metadata.labels?.[label.owner];

/** The owner that manages an object. threat-model: R-owner-reference */
export const controllerOf = ({ metadata }: Described): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller);

/** Whether the object of this UID is among the owners of another. threat-model: R-owner-reference */
export const isOwnedBy = (object: Described | undefined, uid: string | undefined): boolean =>
  object?.metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false;

/** All owners, as they are written. threat-model: R-owner-reference */
export const ownersOf = ({ metadata }: Described): readonly OwnerReference[] => metadata.ownerReferences ?? [];

/** Whether a pod has the label by which pods of runtimes are watched. threat-model: R-pods */
export const isWatchedPod = ({ metadata }: Labelled): boolean => metadata.labels?.[label.datasetId] !== undefined;

/** The wish of an operation's user for a pause: undefined or `false` for none. threat-model: R-operation-request */
export const pauseWish = ({ metadata }: Described): string | undefined => metadata.annotations?.[annotation.paused];

/** The label `fluid.io/dataset-id` of a Dataset or a runtime. threat-model: R-dataset-id */
export const datasetIdOf = (object: Labelled | undefined): string | undefined => object?.metadata.labels?.[label.datasetId];

/**
 * The identity of a Dataset for those that do not decide it: by the label, the controller has named it by its UID although its name is short.
 * threat-model: R-dataset-id
 */
export function labelledIdentity({ namespace, name, uid }: Omit<Identity, 'collides'>, labels: Texts | undefined): Identity {
  const plain = { namespace, name, uid, collides: false };
  return { ...plain, collides: uid !== '' && labels?.[label.datasetId] === uid && datasetId(plain) !== uid };
}

/** Whether an object without an owner was created by Fluid, or for a runtime that is gone. threat-model: R-created-by */
export const isFluids = (object: Described | undefined): boolean => object?.metadata.annotations?.[annotation.createdBy] === 'fluid';

/** The value of `fluid.io/managed-by`: `fluid`, or on a user's claim a Dataset. threat-model: R-managed-by */
export const managerOf = ({ metadata }: Described): string | undefined => metadata.labels?.[label.managedBy];

/** The generation of fuse pods that a claim was made for, or that a pod has. threat-model: R-fuse-generation */
export const fuseGenerationOf = (labels: Texts | undefined): string | undefined => labels?.[label.fuseGeneration];

/** Whether the owner of a Dataset lets those of this namespace refer to it. threat-model: R-grant */
export const isSharedWith = ({ metadata }: Described, namespace: string): boolean =>
  listsNamespace(metadata.annotations?.[annotation.sharedWith], namespace);

/** How a volume is published, if its author asks for a method in its labels. threat-model: R-request */
export const publishMethodOf = (labels: Texts): string | undefined => labels[label.nodePublishMethod];

/** Why the Dataset of a volume may use the one to which it leads. threat-model: R-consent */
export const consentOf = (volume: Described | undefined): string | undefined => volume?.metadata.annotations?.[annotation.consent];

/** The fuse DaemonSet that a volume records as verified, with the note on its pods, as they are written. threat-model: R-verified-fuse */
export const verifiedFuseOn = (
  volume: Described | undefined,
): { readonly fuse: string | undefined; readonly note: string | undefined } => ({
  fuse: volume?.metadata.annotations?.[annotation.verifiedFuse],
  note: volume?.metadata.annotations?.[annotation.sidecar],
});

/** The size of a Dataset's volume, if its author asks for one. threat-model: R-request */
export const storageRequestOf = (annotations: Texts): string | undefined => annotations[annotation.storageRequest];

/** Labels that the controller alone writes on workloads and volumes. threat-model: keeps */
export const RESERVED_LABELS: readonly string[] = [label.owner, label.referringName, label.referringNamespace];
/** Annotations that the controller alone writes on workloads and volumes. threat-model: keeps */
export const RESERVED_ANNOTATIONS: readonly string[] = [
  annotation.consent,
  annotation.fuseImage,
  annotation.lastValid,
  annotation.manifestHash,
  annotation.observedMounts,
  annotation.paused,
  annotation.progressFile,
  annotation.retry,
  annotation.sidecar,
  annotation.verifiedFuse,
];
/** How the keys begin by which Kubernetes' own volume controller knows what is bound to what. */
const OF_BINDING = 'pv.kubernetes.io/';

/** Whether a label or an annotation of volumes is believed. Users cannot write volumes, and may not have the controller write these. */
export const isReservedOnVolumes = (key: string): boolean =>
  RESERVED_LABELS.includes(key) || RESERVED_ANNOTATIONS.includes(key) || key.startsWith(OF_BINDING);
