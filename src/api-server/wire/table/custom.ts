/** Columns of custom resources. Rule: apiextensions-apiserver/pkg/registry/customresource/tableconvertor. */
import type { PrinterColumn } from '../../definition.ts';
import { isMap } from '../../json.ts';
import { ageOf, timeOf } from './ages.ts';
import { type Cell, column, type TableColumn } from './columns.ts';
import { jsonPath } from './json-path.ts';

/** The columns of a custom resource, up to the first whose path cannot be read. A cell is null where the object has no such field. */
export function customColumns(printed: readonly PrinterColumn[]): readonly TableColumn[] {
  const columns = printed.map(customColumn);
  const unreadable = columns.indexOf(undefined);
  return columns.slice(0, unreadable === -1 ? undefined : unreadable).filter((each) => each !== undefined);
}

function customColumn({ name, type, jsonPath: path, format, description, priority }: PrinterColumn): TableColumn | undefined {
  const find = jsonPath(path);
  if (!find) return undefined;
  const definition = {
    type,
    ...(format && { format }),
    description: description || `Custom resource definition column (in JSONPath format): ${path}`,
    ...(priority !== undefined && { priority }),
  };
  return column(name, (object, now) => cellOf(type, find(object), now), definition);
}

function cellOf(type: string, [value]: readonly unknown[], now: number): Cell {
  if (value === undefined) return null;
  if (type === 'string') return goText(value);
  if (type === 'integer' && typeof value === 'number') return Math.trunc(value);
  if (type === 'number' && typeof value === 'number') return value;
  if (type === 'boolean' && typeof value === 'boolean') return value;
  if (type === 'date' && typeof value === 'string') return dateText(value, now);
  return null;
}

function dateText(value: string, now: number): string {
  if (value === '' || value === 'null') return '<unknown>';
  return timeOf(value) === undefined ? '<invalid>' : ageOf(value, now);
}

/** As Go prints a value: a text as it is, a map or a list as JSON. */
function goText(value: unknown): string {
  if (value === null) return '<no value>';
  if (typeof value === 'object') return goJson(value);
  return typeof value === 'number' ? goNumber(value) : String(value);
}

/** From 21 digits on, and below four zeros behind the point, Go uses an exponent of two digits at least. */
function goNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  const size = Math.abs(value);
  const text = size !== 0 && (size < 1e-4 || size >= 1e21) ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

/** Go sorts the keys of maps, and escapes what HTML could read. */
const goJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isMap(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  ).replaceAll(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
