import { applyPatch, type Operation } from 'rfc6902';
import type { KubeObject, ResourceType } from '../kube/types.ts';
import { isMap, type Json } from './json.ts';
import { isBuiltIn } from './kinds.ts';
import { badRequest, patchFailed, Refusal } from './refusals.ts';
import { strategicMerge } from './strategic-merge/index.ts';

/** The formats of a PATCH request's body, besides a configuration to apply. */
export type PatchType = 'json' | 'merge' | 'strategic';

/** The patched object. @throws Refusal when the patch does not fit the object or its type */
export function patchedBy(patchType: PatchType, type: ResourceType, live: KubeObject, patch: unknown): KubeObject {
  switch (patchType) {
    case 'json':
      return jsonPatched(live, patch) as unknown as KubeObject;
    case 'merge':
      return mergePatched(live as unknown as Json, patch as Json) as unknown as KubeObject;
    case 'strategic':
      // Only the types of Kubernetes' own kinds have merge keys.
      if (!isBuiltIn(type)) throw new Refusal(415, 'UnsupportedMediaType', UNKNOWN_FORMAT);
      if (!isMap(patch)) throw badRequest('expected a map as the body of the request');
      return strategicMerge(type, live, patch) as KubeObject;
  }
}
const UNKNOWN_FORMAT =
  'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml';

/** RFC 7386, section 2. */
export function mergePatched(target: Json | undefined, patch: Json): Json {
  if (!isMap(patch)) return patch;
  const result: Record<string, Json> = isMap(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatched(result[key], value);
  }
  return result;
}

/** As apiserver's. Each copy may double the object. */
const MOST_OPERATIONS = 10_000;
const MOST_COPIES = 10;

/** RFC 6902. @throws Refusal when it does not fit the object */
function jsonPatched(live: KubeObject, patch: unknown): Json {
  if (!Array.isArray(patch) || !patch.every((each) => typeof (each as { path?: unknown } | null)?.path === 'string'))
    throw badRequest('expected a list of operations with paths as a JSON Patch');
  if (patch.length > MOST_OPERATIONS || patch.filter((each) => (each as { op?: unknown }).op === 'copy').length > MOST_COPIES)
    throw new Refusal(
      413,
      'RequestEntityTooLarge',
      `expected at most ${MOST_OPERATIONS} operations, and ${MOST_COPIES} that copy, as a JSON Patch`,
    );
  const object = structuredClone(live);
  const failure = applyPatch(object, patch as Operation[]).find((result) => result !== null);
  if (failure) throw patchFailed('the server rejected our request due to an error in our request');
  return object as unknown as Json;
}
