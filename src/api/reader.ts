import { type Fault, shown } from './errors.ts';
import type { Structural } from './resource.ts';
import { expectedOf, knownField, pathText } from './wording.ts';
import { isRecord } from './is-record.ts';

/** The results that a reading collects on its way. */
export interface Visit {
  /** Keys from the root to here. */
  readonly path: (string | number)[];
  readonly faults: Fault[];
  readonly unknownFields: 'error' | 'prune';
}

/** Reads a value as the API server would store it, and notes what is wrong with it. */
export type ValueReader = (value: unknown, visit: Visit) => unknown;

/** A structural schema compiled to closures: pruning, nulls, defaults and validation in one walk, in the API server's sense. */
export function readerOf(schema: Structural): ValueReader {
  const check = checksOf(schema);
  const inner = containerOf(schema);
  return (value, visit) => {
    if (!check(value)) {
      fault(visit, schema, value);
      return value;
    }
    return inner && value !== null ? inner(value, visit) : value;
  };
}

/** A user corrects no more at a time, and describing a fault costs more than finding it. */
const MOST_FAULTS = 100;

function note({ faults, path }: Visit, describe: () => Omit<Fault, 'path'>, below: readonly (string | number)[] = []): void {
  if (faults.length < MOST_FAULTS) faults.push({ path: pathText([...path, ...below]), ...describe() });
}

const fault = (visit: Visit, schema: Structural, value: unknown): void =>
  note(visit, () => ({ expected: expectedOf(schema), found: shown(value) }));

function containerOf(schema: Structural): ValueReader | undefined {
  if (schema.type === 'array') return listReader(schema);
  if (schema.type === 'object') return objectReader(schema);
  return undefined;
}

function listReader({ items = {}, 'x-kubernetes-list-map-keys': keys }: Structural): ValueReader {
  const item = readerOf(items);
  return (value, visit) => {
    const list = (value as readonly unknown[]).map((element, index) => {
      visit.path.push(index);
      const result = item(element, visit);
      visit.path.pop();
      return result;
    });
    if (keys) repeated(list, keys, visit);
    return list;
  };
}

/** A keyed list may not hold a key twice. */
function repeated(list: readonly unknown[], keys: readonly string[], visit: Visit): void {
  const seen = new Set<string>();
  for (const [index, element] of list.entries()) {
    const values = keys.map((name) => (element as Readonly<Record<string, unknown>> | null)?.[name]);
    const key = JSON.stringify(values);
    if (seen.has(key))
      note(visit, () => ({ expected: `each ${keys.join(', ')} once`, found: `${values.map(shown).join(', ')} again` }), [index, ...keys]);
    seen.add(key);
  }
}

interface Field {
  readonly read: ValueReader;
  readonly schema: Structural;
}

const fieldOf = (schema: Structural): Field => ({ read: readerOf(schema), schema });

function objectReader(schema: Structural): ValueReader {
  const fields = new Map(Object.entries(schema.properties ?? {}).map(([name, child]) => [name, fieldOf(child)]));
  const others = schema.additionalProperties ? fieldOf(schema.additionalProperties) : undefined;
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const defaults = [...fields]
    .filter(([, field]) => field.schema.default !== undefined)
    .map(([name, field]) => [name, field.schema.default] as const);
  const required = (schema.required ?? []).map((name) => [name, fields.get(name)?.schema ?? {}] as const);
  return (value, visit) => {
    const given = value as Record<string, unknown>;
    const result: Record<string, unknown> = {};
    for (const name of Object.keys(given)) {
      const field = fields.get(name) ?? others;
      if (!field) {
        if (keepsUnknown) set(result, name, given[name]);
        else if (visit.unknownFields === 'error') unknown(name, [...fields.keys()], visit);
        continue;
      }
      // The API server drops a null where the schema does not ask for one, before it fills in defaults.
      if (given[name] === null && !field.schema.nullable) continue;
      visit.path.push(name);
      set(result, name, field.read(given[name], visit));
      visit.path.pop();
    }
    for (const [name, preset] of defaults) if (!(name in result)) result[name] = structuredClone(preset);
    for (const [name, child] of required) if (!Object.hasOwn(result, name)) missing(name, child, visit);
    return result;
  };
}

/** JSON may hold a key `__proto__`, which an assignment would not store. */
function set(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

const unknown = (name: string, known: readonly string[], visit: Visit): void =>
  note(visit, () => ({ expected: knownField(name, known), found: shown(name) }), [name]);

const missing = (name: string, schema: Structural, visit: Visit): void =>
  note(visit, () => ({ expected: expectedOf(schema), found: shown(undefined) }), [name]);

type Check = (value: unknown) => boolean;

/** Everything about a value itself, without what it contains. */
function checksOf(schema: Structural): Check {
  const checks: readonly Check[] = [...typeChecks(schema), ...textChecks(schema), ...numberChecks(schema), ...sizeChecks(schema)];
  if (checks.length === 1) return checks[0] as Check;
  return (value) => checks.every((check) => check(value));
}

const TYPES: Readonly<Record<NonNullable<Structural['type']>, Check>> = {
  object: isRecord,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
};

function typeChecks({ type, enum: values, nullable, ...schema }: Structural): readonly Check[] {
  if (schema['x-kubernetes-int-or-string']) return [(value) => typeof value === 'string' || Number.isInteger(value)];
  const isType = type && TYPES[type];
  return [
    ...(isType ? [nullable ? (value: unknown) => value === null || isType(value) : isType] : []),
    ...(values ? [(value: unknown) => values.includes(value)] : []),
  ];
}

// The API server's definition of date-time.
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

const ofText =
  (check: (text: string) => boolean): Check =>
  (value) =>
    typeof value !== 'string' || check(value);

/** Constraints on text leave other types alone: a quantity may be a number. */
function textChecks({ pattern, format, minLength, maxLength }: Structural): readonly Check[] {
  const shape = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  return [
    ...(shape ? [ofText((text) => shape.test(text))] : []),
    ...(format === 'date-time' ? [ofText((text) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text)))] : []),
    ...(minLength ? [ofText((text) => [...text].length >= minLength)] : []),
    ...(maxLength === undefined ? [] : [ofText((text) => [...text].length <= maxLength)]),
  ];
}

function numberChecks({ minimum = -Infinity, maximum = Infinity, format }: Structural): readonly Check[] {
  // The API server does not look at int32, but the number ends up in a field of that size.
  const [low, high] = format === 'int32' ? [Math.max(minimum, -(2 ** 31)), Math.min(maximum, 2 ** 31 - 1)] : [minimum, maximum];
  if (low === -Infinity && high === Infinity) return [];
  return [(value) => typeof value !== 'number' || (value >= low && value <= high)];
}

function sizeChecks({ minItems = 0, maxItems = Infinity }: Structural): readonly Check[] {
  if (minItems === 0 && maxItems === Infinity) return [];
  return [(value) => !Array.isArray(value) || (value.length >= minItems && value.length <= maxItems)];
}
