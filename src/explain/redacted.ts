import { REDACTED, redactedText } from '../api/redact.ts';
import type { KubeObject } from '../kube/types.ts';
import { LAST_APPLIED } from '../planning/kinds.ts';

/** An object as it may be passed on: without values that are secret by their names or forms, and without what only tools read. */
export function redactedObject({ metadata, ...rest }: KubeObject): object {
  const { managedFields: _, annotations, ...kept } = metadata;
  const { [LAST_APPLIED]: _applied, ...noted } = annotations ?? {};
  const { apiVersion, kind, ...fields } = rest;
  const named = { ...kept, ...(Object.keys(noted).length > 0 && { annotations: noted }) };
  return { apiVersion, kind, metadata: redacted(named), ...(redacted(fields) as object) };
}

function redacted(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return value !== '' && isSecret(name) ? REDACTED : redactedText(value);
  if (Array.isArray(value)) return value.map((each, i) => redactedItem(each, value[i - 1]));
  if (typeof value !== 'object' || value === null) return value;
  const { name: called, value: own } = value as { readonly name?: unknown; readonly value?: unknown };
  // A variable, or an option.
  const isPair = typeof called === 'string' && typeof own === 'string' && own !== '' && isSecret(called);
  const entries = Object.entries(value).map(([key, each]) => [key, redacted(each, key)]);
  return { ...Object.fromEntries(entries), ...(isPair && { value: REDACTED }) };
}

/** The value of an option of a command may be the next argument. */
function redactedItem(item: unknown, before: unknown): unknown {
  const isValue = typeof item === 'string' && typeof before === 'string' && /^--?[\w.-]+$/.test(before) && isSecret(before);
  return isValue ? REDACTED : redacted(item);
}

/** Whether a text would be redacted for its name alone. */
const isSecret = (name: string): boolean => name !== '' && redactedText(`${name}=x`) !== `${name}=x`;
