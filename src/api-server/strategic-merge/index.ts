/**
 * Strategic merge patches, which kubectl sends for built-in kinds. Rule: apimachinery/pkg/util/strategicpatch, and
 * kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch.
 */
import type { ResourceType } from '../../kube/types.ts';
import { isMap, type Json, type JsonMap } from '../json.ts';
import { badRequest, Refusal } from '../refusals.ts';
import { BAD_RETAIN_KEYS, directivesOf, markOf, plain } from './directives.ts';
import { mergedLists } from './lists.ts';
import { mergedBy, type ValuePath } from './strategies.ts';

/**
 * The object after a patch of the type `application/strategic-merge-patch+json`. Defaults and validation are the caller's. @throws Refusal
 * with status 400 or 500, as in the API server, for a patch that contradicts itself or the object
 * @throws Refusal with status 400 or 500, as the API server has it, for a patch that contradicts itself or the object
 */
export function strategicMerge(type: ResourceType, current: object, patch: object): object {
  // Both are what came in as JSON.
  return mergedMaps(current as JsonMap, patch as JsonMap, { kind: type.kind, path: [] });
}

function mergedMaps(current: JsonMap, patch: JsonMap, place: ValuePath): JsonMap {
  const { marked, retained, orders, removals, fields } = directivesOf(patch);
  if (marked === 'replace') return plain(fields) as JsonMap;
  if (marked === 'delete') return {};
  if (marked !== undefined) throw unknownPatch(marked, patch);

  const result: Record<string, Json> = retained ? retain(current, fields, retained) : { ...current };
  for (const [field, values] of removals) {
    const list = result[field];
    if (Array.isArray(list)) result[field] = list.filter((entry) => !values.includes(entry as Json));
  }
  for (const field of new Set([...Object.keys(fields), ...orders.keys()])) {
    const merged = mergedField(result[field], fields[field], orders.get(field), { ...place, path: [...place.path, field] });
    if (merged === undefined) delete result[field];
    else result[field] = merged;
  }
  return result;
}

function retain(current: JsonMap, fields: JsonMap, retained: readonly Json[]): Record<string, Json> {
  const isRetained = (field: string) => retained.includes(field);
  if (!Object.keys(fields).every((field) => fields[field] === null || isRetained(field))) throw badRequest(BAD_RETAIN_KEYS);
  return Object.fromEntries(Object.entries(current).filter(([field]) => isRetained(field)));
}

/** `patch` is undefined if the patch has nothing but an order for the field; undefined is returned for a field that is removed. */
function mergedField(
  current: Json | undefined,
  patch: Json | undefined,
  order: readonly Json[] | undefined,
  place: ValuePath,
): Json | undefined {
  if (patch === null) return undefined;
  if (patch === undefined && !Array.isArray(current)) return current;
  const by = mergedBy(place);
  const isList = (Array.isArray(current) || order) && (patch === undefined || Array.isArray(patch));
  if (by && isList) {
    const lists = { current: listOf(current), patch: listOf(patch), order };
    return mergedLists(lists, by, (entry, change) => mergedMaps(entry, change, place));
  }
  if (patch === undefined) return current;
  if (isMap(current) && isMap(patch)) return mergedMaps(current, patch, place);
  return markOf(patch) === undefined ? plain(patch) : undefined;
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

const unknownPatch = (marked: Json, patch: JsonMap): Refusal =>
  new Refusal(500, '', `unknown patch type: ${String(marked)} in map: ${JSON.stringify(patch)}`);
