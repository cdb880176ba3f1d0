import {
  compare,
  fieldOf,
  type FieldSet,
  fieldText,
  fromFieldsV1,
  type FieldsV1,
  isBelow,
  ownable,
  partsOf,
  segmentsOf,
  setOf,
  toFieldsV1,
} from './fields.ts';
import { isMap, type Json, type JsonMap } from './json.ts';
import { applyConflict } from './refusals.ts';

/** An entry of `metadata.managedFields`, its paths as a set. */
export interface Manager {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource?: string;
  readonly time: string;
  readonly fields: FieldSet;
}
/** The writer, and the way of writing. */
export type Writer = Omit<Manager, 'fields'>;

const isEntryOf = (writer: Writer) => (entry: Writer) =>
  entry.manager === writer.manager && entry.operation === writer.operation && entry.subresource === writer.subresource;

export function readManagers(value: unknown): readonly Manager[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly (Writer & { readonly fieldsV1?: FieldsV1 })[])
    .filter(({ manager, operation }) => manager !== undefined && operation !== undefined)
    .map(({ manager, operation, apiVersion, subresource, time, fieldsV1 = {} }) => ({
      manager,
      operation,
      apiVersion,
      time,
      ...(subresource && { subresource }),
      fields: fromFieldsV1(fieldsV1),
    }));
}

export const writeManagers = (managers: readonly Manager[]): readonly JsonMap[] =>
  managers.map(({ fields, ...entry }) => ({ ...entry, fieldsType: 'FieldsV1', fieldsV1: toFieldsV1(fields) as JsonMap }) as JsonMap);

/** Whether the same fields are the same writers', whenever these wrote, and in whichever order their entries are. */
export const haveSameFields = (a: readonly Manager[], b: readonly Manager[]): boolean =>
  a.length === b.length &&
  a.every((entry) => {
    const other = b.find(isEntryOf(entry));
    return other !== undefined && entry.apiVersion === other.apiVersion && areSame(entry.fields, other.fields);
  });
const areSame = (a: FieldSet, b: FieldSet): boolean => a === b || (a.size === b.size && isWithin(a, b));

/** After an update or patch: the writer alone owns the fields that it changed; fields that it removed have no owner. */
export function afterUpdate(
  before: JsonMap,
  after: JsonMap,
  managers: readonly Manager[],
  writer: Writer,
  hasStatus: boolean,
): readonly Manager[] {
  // An update does not start tracking an object without managers.
  if (managers.length === 0 && Object.keys(before).length > 0) return managers;
  const { changed, removed } = compare(ownable(before, writer.subresource, hasStatus), ownable(after, writer.subresource, hasStatus));
  if (changed.size === 0 && removed.size === 0) return managers;
  const mine = isEntryOf(writer);
  const old = managers.find(mine);
  const fields = union(old?.fields ?? new Set(), changed);
  const others = managers.filter((entry) => !mine(entry)).map((entry) => ({ ...entry, fields: minus(entry.fields, changed) }));
  return cleaned(changed.size === 0 && !old ? others : [...others, { ...writer, fields }], removed);
}

export interface Merged {
  readonly object: JsonMap;
  readonly managers: readonly Manager[];
}

/** Server-side apply: structured-merge-diff's `Apply`. */
export function applied(
  live: JsonMap,
  config: JsonMap,
  managers: readonly Manager[],
  writer: Writer,
  force: boolean,
  hasStatus: boolean,
): Merged {
  const mine = isEntryOf(writer);
  const fields = setOf(ownable(config, writer.subresource, hasStatus));
  const before = managers.find(mine);
  const others = managers.filter((entry) => !mine(entry));
  const owned = [...others.map((entry) => entry.fields), fields];
  // Containers come before their fields: without its key, an entry would be another.
  const gone = [...(before?.fields ?? [])]
    .filter((path) => !owned.some((set) => set.has(path) || anyBelow(set, path)))
    .toSorted((a, b) => a.length - b.length);
  const object = without(merge(live, config) as JsonMap, gone);

  const { changed, removed } = compare(ownable(live, writer.subresource, hasStatus), ownable(object, writer.subresource, hasStatus));
  const conflicts = others
    .map(({ manager, fields: theirs }) => ({
      manager,
      fields: [...theirs]
        .filter((path) => changed.has(path))
        .map(fieldText)
        .toSorted(),
    }))
    .filter((conflict) => conflict.fields.length > 0);
  if (conflicts.length > 0 && !force) throw applyConflict(conflicts);
  const rest = others.map((entry) => ({ ...entry, fields: minus(entry.fields, changed) }));
  return { object, managers: cleaned([...rest, { ...writer, fields }], removed) };
}

// A set that stays as it was stays the same set: what was made of it is known.
const union = (a: FieldSet, b: FieldSet): FieldSet => (isWithin(b, a) ? a : new Set([...a, ...b]));
const minus = (a: FieldSet, b: FieldSet): FieldSet => {
  const kept = [...a].filter((path) => !b.has(path));
  return kept.length === a.size ? a : new Set(kept);
};
const isWithin = (a: FieldSet, b: FieldSet): boolean => [...a].every((path) => b.has(path));
const anyBelow = (set: FieldSet, path: string): boolean => [...set].some((each) => isBelow(each, path));

const cleaned = (managers: readonly Manager[], removed: FieldSet): readonly Manager[] =>
  managers
    .map((entry) => ({ ...entry, fields: minus(entry.fields, removed) }))
    .filter(({ fields, operation }) => fields.size > 0 || operation === 'Apply');

/** The applied object merged into the stored one: list entries by key, all other fields from the applied one. */
function merge(live: Json | undefined, config: Json, field = ''): Json {
  const [theirs, ours] = [partsOf(field, live), partsOf(field, config)];
  if (!theirs || !ours || Array.isArray(live) !== Array.isArray(config)) return config;
  const entries = [...new Set([...theirs.keys(), ...ours.keys()])].map((segment) => {
    const mine = ours.get(segment);
    return [segment, mine === undefined ? theirs.get(segment)! : merge(theirs.get(segment), mine, fieldOf(segment, field))] as const;
  });
  return Array.isArray(config)
    ? entries.map(([, value]) => value)
    : (Object.fromEntries(entries.map(([segment, value]) => [segment.slice(2), value])) as JsonMap);
}

/** A value without some of its fields; a container that becomes empty is removed too. */
function without(object: JsonMap, paths: readonly string[]): JsonMap {
  return paths.reduce<Json>((value, path) => removed(value, segmentsOf(path), '') ?? {}, object) as JsonMap;
}
function removed(value: Json, [segment, ...rest]: readonly string[], field: string): Json | undefined {
  const parts = partsOf(field, value);
  if (segment === undefined || !parts?.has(segment)) return value;
  const inner = rest.length === 0 ? undefined : removed(parts.get(segment)!, rest, fieldOf(segment, field));
  const kept = [...parts].flatMap(([key, each]) =>
    key !== segment ? [[key, each] as const] : inner === undefined ? [] : [[key, inner] as const],
  );
  if (kept.length === 0) return undefined;
  return isMap(value) ? (Object.fromEntries(kept.map(([key, each]) => [key.slice(2), each])) as JsonMap) : kept.map(([, each]) => each);
}
