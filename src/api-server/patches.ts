import { applyPatch, type Operation } from 'rfc6902';
import type { KubeObject } from '../kube/types.ts';
import { isMap, type Json } from './fields.ts';
import { patchFailed } from './refusals.ts';

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

/** RFC 6902. @throws Refusal when it does not fit the object */
export function jsonPatched(live: KubeObject, patch: unknown): Json {
  const object = structuredClone(live);
  const failure = applyPatch(object, patch as Operation[]).find((result) => result !== null);
  if (failure) throw patchFailed('the server rejected our request due to an error in our request');
  return object as unknown as Json;
}
