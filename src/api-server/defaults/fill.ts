/** Fills in what an object leaves out. */
import { isMap, type Json, type JsonMap } from '../json.ts';

/** Defaults of a map, or of each map in a list. */
export interface Defaults {
  /** Values of fields that are absent or null. Where both are maps, the fields of the map are filled in. */
  readonly values?: JsonMap;
  /** Values that follow from other fields. */
  readonly computed?: (value: JsonMap) => JsonMap;
  /** Fields that are removed if they are an empty text or list, as Go's `omitempty` does. */
  readonly emptied?: readonly string[];
  /** Defaults of what these fields contain, if they exist. */
  readonly below?: Readonly<Record<string, Defaults>>;
}

/** A value with its defaults; the same one, if it lacks none. */
export function filled(defaults: Defaults, value: Json): Json {
  if (Array.isArray(value)) return eachOf(value as readonly Json[], (entry) => filled(defaults, entry));
  if (!isMap(value)) return value;
  const { values, computed, emptied = [], below = {} } = defaults;
  let made: JsonMap = value;
  if (emptied.some((field) => isEmpty(value[field])))
    made = Object.fromEntries(Object.entries(value).filter(([field, each]) => !isEmpty(each) || !emptied.includes(field)));
  for (const more of [values, computed?.(value)]) if (more) made = added(made, more);
  for (const [field, of] of Object.entries(below)) {
    const before = made[field];
    const after = before === undefined ? undefined : filled(of, before);
    if (after !== undefined && after !== before) made = { ...made, [field]: after };
  }
  return made;
}

function added(value: JsonMap, more: JsonMap): JsonMap {
  let made = value;
  for (const [field, of] of Object.entries(more)) {
    const before = made[field];
    const after = before === undefined || before === null ? of : isMap(before) && isMap(of) ? added(before, of) : before;
    if (after !== before) made = { ...made, [field]: after };
  }
  return made;
}

const isEmpty = (value: Json | undefined): boolean => value === '' || (Array.isArray(value) && value.length === 0);

function eachOf(list: readonly Json[], change: (entry: Json) => Json): readonly Json[] {
  const made = list.map(change);
  return made.some((entry, index) => entry !== list[index]) ? made : list;
}
