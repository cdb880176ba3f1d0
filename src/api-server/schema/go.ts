/** Values as Go prints them, in messages that are Go's own. */
import { isMap, type Json } from '../json.ts';

/** The type that Go's JSON decoder gives a value. */
export function goType(value: Json): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (isMap(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** `%v` of fmt. */
export function goText(value: Json): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(goText).join(' ')}]`;
  return isMap(value) ? `map[${entries(value, goText).join(' ')}]` : String(value);
}

/** `%#v` of fmt. */
export function goSyntax(value: Json): string {
  if (value === null) return 'interface {}(nil)';
  if (Array.isArray(value)) return `[]interface {}{${(value as readonly Json[]).map(goSyntax).join(', ')}}`;
  if (!isMap(value)) return JSON.stringify(value);
  return `map[string]interface {}{${entries(value, goSyntax, JSON.stringify).join(', ')}}`;
}

const entries = (value: { readonly [name: string]: Json }, text: (value: Json) => string, key: (name: string) => string = String) =>
  Object.keys(value)
    .toSorted()
    .map((name) => `${key(name)}:${text(value[name] ?? null)}`);
