/** Two lists of a strategic merge patch become one. */
import { isMap, type Json, type JsonMap } from '../json.ts';
import { Refusal } from '../refusals.ts';
import { markOf, plain } from './directives.ts';
import type { mergedBy } from './strategies.ts';

type By = NonNullable<ReturnType<typeof mergedBy>>;
type Identity = (entry: Json) => Json;

export interface Lists {
  readonly current: readonly Json[];
  readonly patch: readonly Json[];
  /** In which order what the patch names shall be: entries that have nothing but their key, or values. */
  readonly order: readonly Json[] | undefined;
}

/** @throws Refusal with status 500, as the API server has it, for entries without their key and for orders that contradict the patch */
export function mergedLists(
  { current, patch, order }: Lists,
  by: By,
  merge: (entry: JsonMap, change: JsonMap) => JsonMap,
): readonly Json[] {
  const identity: Identity = by === 'set' ? valueOf : (entry) => keyOf(entry, by.key);
  const changes = patch.filter((entry) => markOf(entry) === undefined);
  if (order) agree(changes, order, identity);
  if (patch.some((entry) => markOf(entry) === 'replace')) return ordered(changes.map(plain), order ?? [], current, identity);

  const removed = new Set(patch.filter((entry) => isRemoval(entry)).map(identity));
  const kept = current.filter((entry) => !removed.has(identity(entry)));
  const merged = [...kept];
  for (const change of changes) {
    const at = merged.findIndex((entry) => identity(entry) === identity(change));
    const found = merged[at];
    if (at === -1) merged.push(plain(change));
    else if (isMap(found) && isMap(change)) merged[at] = merge(found, change);
  }
  return ordered(merged, order ?? changes, current, identity);
}

function isRemoval(entry: Json): boolean {
  const mark = markOf(entry);
  if (mark === undefined || mark === 'replace' || mark === 'delete') return mark === 'delete';
  if (mark === 'merge') throw failed('merging lists cannot yet be specified in the patch');
  throw failed(`unknown patch type: ${String(mark)} in map: ${JSON.stringify(entry)}`);
}

const failed = (why: string): Refusal => new Refusal(500, '', why);

function valueOf(entry: Json): Json {
  if (typeof entry === 'object' && entry !== null) throw failed(`list element types are not identical: ${JSON.stringify(entry)}`);
  return entry;
}

function keyOf(entry: Json, key: string): Json {
  if (!isMap(entry)) throw failed(`expected a map, but received ${JSON.stringify(entry)}`);
  const value = entry[key];
  if (value === undefined) throw failed(`map: ${JSON.stringify(entry)} does not contain declared merge key: ${key}`);
  return value;
}

/** The entries of a patch are in the order that it asks for. */
function agree(changes: readonly Json[], order: readonly Json[], identity: Identity): void {
  if (order.length === 0) return;
  const places = changes.map((entry) => order.findIndex((each) => identity(each) === identity(entry)));
  if (places.some((place, i) => place === -1 || place < (places[i - 1] ?? 0)))
    throw failed(`The order in patch list:\n${JSON.stringify(changes)}\n doesn't match $setElementOrder list:\n${JSON.stringify(order)}\n`);
}

/** Entries that the patch names are in its order; every other entry comes before the first of these that it preceded in the old list. */
function ordered(entries: readonly Json[], order: readonly Json[], before: readonly Json[], identity: Identity): readonly Json[] {
  const placeIn = (list: readonly Json[]) => {
    const places = new Map<Json, number>();
    for (const [i, entry] of list.entries()) if (!places.has(identity(entry))) places.set(identity(entry), i);
    return (entry: Json) => places.get(identity(entry));
  };
  const [wanted, was] = [placeIn(order), placeIn(before)];
  const named = entries.filter((entry) => wanted(entry) !== undefined).toSorted((a, b) => wanted(a)! - wanted(b)!);
  const others = entries.filter((entry) => wanted(entry) === undefined);
  const result: Json[] = [];
  for (const entry of named) {
    const place = was(entry);
    while (others.length > 0 && place !== undefined && (was(others[0]!) ?? Infinity) < place) result.push(others.shift()!);
    result.push(entry);
  }
  return [...result, ...others];
}
