import { type JsonObject, isRecord } from '../shapes.ts';

/** One operation of a JSON Patch: rfc-editor.org/rfc/rfc6902. */
export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

/**
 * The operations that turn one JSON value into another. Parts that are the same object are not looked into, so the cost is that of what
 * changed. Elements of lists are the same element if they have the same `name`.
 */
export function patchOf(before: unknown, after: unknown, path = ''): readonly PatchOperation[] {
  if (before === after) return [];
  if (Array.isArray(before) && Array.isArray(after)) return ofLists(before, after, path);
  if (isRecord(before) && isRecord(after)) return ofMaps(before, after, path);
  return [{ op: 'replace', path, value: after }];
}

const has = (map: JsonObject, key: string): boolean => Object.hasOwn(map, key) && map[key] !== undefined;
const pointer = (path: string, key: string): string => `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

function ofMaps(before: JsonObject, after: JsonObject, path: string): readonly PatchOperation[] {
  const removed = Object.keys(before).filter((key) => has(before, key) && !has(after, key));
  return [
    ...removed.map((key) => ({ op: 'remove' as const, path: pointer(path, key) })),
    ...Object.keys(after).flatMap((key) => {
      if (!has(after, key)) return [];
      const at = pointer(path, key);
      return has(before, key) ? patchOf(before[key], after[key], at) : [{ op: 'add' as const, path: at, value: after[key] }];
    }),
  ];
}

/** Each operation counts on those before it: `at` is the index in the list as they leave it. */
function ofLists(before: readonly unknown[], after: readonly unknown[], path: string): readonly PatchOperation[] {
  const operations: PatchOperation[] = [];
  const kept = new Set(after.map(identityOf));
  let next = 0;
  let at = 0;
  for (const element of after) {
    for (; next < before.length && !kept.has(identityOf(before[next])); next++) operations.push({ op: 'remove', path: `${path}/${at}` });
    if (next < before.length && identityOf(before[next]) === identityOf(element)) {
      // Not spread: a list may have more elements than a call may have arguments.
      for (const operation of patchOf(before[next], element, `${path}/${at}`)) operations.push(operation);
      next++;
    } else operations.push({ op: 'add', path: `${path}/${at}`, value: element });
    at++;
  }
  for (; next < before.length; next++) operations.push({ op: 'remove', path: `${path}/${at}` });
  return operations;
}

const identityOf = (element: unknown): unknown => (isRecord(element) && typeof element['name'] === 'string' ? element['name'] : element);
