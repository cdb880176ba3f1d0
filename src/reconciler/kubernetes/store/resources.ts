import { isDeepStrictEqual } from 'node:util';
import { type CustomResource, InvalidSpec, parse } from '../../../api/index.ts';
import type { KubeObject } from '../../../kube/types.ts';
import { LAST_APPLIED } from '../../../planning/kinds.ts';
import { fieldsOr, sameOr, type Sharing } from '../../../planning/sharing.ts';

const faults = new WeakMap<object, InvalidSpec>();
/** The fault of a custom resource that does not parse. */
export const faultOf = (object: object): InvalidSpec | undefined => faults.get(object);

/**
 * A custom resource as the store keeps it: parsed, so that unknown fields are removed as the API server would prune them; of its metadata
 * what a pass may read. What is as in `before`, the version that was kept last, is the same JavaScript object.
 */
export function readResource(resource: CustomResource, object: KubeObject, { piece }: Sharing, before?: KubeObject): KubeObject {
  const { spec, fault } = specOf(resource, object, before);
  const { status } = object as { status?: object };
  const read = {
    apiVersion: piece(object.apiVersion),
    kind: piece(object.kind),
    metadata: metadataOf(object, piece, before),
    spec: spec === before?.['spec'] ? spec : piece(spec),
    status: status && fieldsOr(before?.['status'] as object | undefined, status, piece),
  };
  if (fault) faults.set(read, fault);
  return read as KubeObject;
}

function specOf(
  resource: CustomResource,
  object: KubeObject,
  before: KubeObject | undefined,
): { spec: unknown; fault?: InvalidSpec | undefined } {
  const { generation } = object.metadata;
  // The API server counts edits of the spec: this one has been parsed already.
  if (before && generation !== undefined && generation === before.metadata.generation)
    return { spec: before['spec'], fault: faults.get(before) };
  try {
    return { spec: (parse(resource, object) as { spec: object }).spec };
  } catch (error) {
    if (!(error instanceof InvalidSpec)) throw error;
    return { spec: object['spec'] ?? {}, fault: error };
  }
}

/** Each object has every field, `undefined` where absent: objects of one shape take the least memory. threat-model: keeps */
function metadataOf({ metadata }: KubeObject, piece: Sharing['piece'], before?: KubeObject): KubeObject['metadata'] {
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, annotations } = metadata;
  const { [LAST_APPLIED]: _, ...noted } = annotations ?? {};
  const old = before?.metadata;
  return {
    name: old?.name ?? name,
    namespace: piece(namespace),
    uid: old?.uid ?? uid,
    resourceVersion,
    generation,
    creationTimestamp: piece(creationTimestamp),
    deletionTimestamp,
    labels: sameOr(old?.labels, metadata.labels, piece),
    // Empty rather than absent: a JSON Patch must know whether the object has annotations.
    annotations: sameOr(old?.annotations, annotations && noted, piece),
    ownerReferences: sameOr(old?.ownerReferences, metadata.ownerReferences, piece),
    finalizers: sameOr(old?.finalizers, metadata.finalizers, piece),
  } as KubeObject['metadata'];
}

/** Whether two versions of a resource differ in nothing that a pass reads. */
export const isNoNews = (old: KubeObject, now: KubeObject): boolean =>
  old['spec'] === now['spec'] &&
  old['status'] === now['status'] &&
  isDeepStrictEqual({ ...old.metadata, resourceVersion: '' }, { ...now.metadata, resourceVersion: '' });

/** Everything of a profile that a plan may depend on; not its resourceVersion. */
export const whatMatters = ({ apiVersion, kind, metadata: { name, labels, annotations }, spec }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(labels && { labels }), ...(annotations && { annotations }) },
  spec,
});
export const isSame = (a: KubeObject, b: KubeObject): boolean => JSON.stringify(whatMatters(a)) === JSON.stringify(whatMatters(b));
