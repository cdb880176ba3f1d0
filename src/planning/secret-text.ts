import { some } from './some.ts';
import type { MissingSecret } from './objects.ts';

/**
 * The part of a message that names what is missing: the Secret with its namespace, or its missing keys, and the fields that name them.
 *
 * @param specs by the kind whose spec it is
 */
export function missingText({ name, keys }: MissingSecret, namespace: string, specs: Readonly<Record<string, unknown>>): string {
  if (!keys) return `Secret ${secretText(name, namespace, specs)}`;
  return some(keys, (key) => `key ${key} of Secret ${secretText(name, namespace, specs, key)}`);
}

function secretText(name: string, namespace: string, specs: Readonly<Record<string, unknown>>, key?: string): string {
  // References of a spec are to its own namespace.
  if (name.includes('/')) return name;
  for (const [kind, spec] of Object.entries(specs)) {
    const path = fieldOf({ name, ...(key !== undefined && { key }) }, spec, 'spec');
    if (path !== undefined) return `${namespace}/${name} of ${path} in the ${kind}`;
  }
  return `${namespace}/${name}`;
}

/** The path of the field with this reference to a Secret; undefined when no field of the spec has it, since profiles name Secrets too. */
function fieldOf(wanted: Readonly<Record<string, string>>, value: unknown, path: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [field, inner] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${field}]` : `${path}.${field}`;
    const found = field === 'secretKeyRef' && names(inner, wanted) ? at : fieldOf(wanted, inner, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

const names = (reference: unknown, wanted: Readonly<Record<string, string>>): boolean =>
  typeof reference === 'object' &&
  reference !== null &&
  Object.entries(wanted).every(([field, value]) => (reference as Record<string, unknown>)[field] === value);
