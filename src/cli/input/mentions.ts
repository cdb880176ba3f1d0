import type { Path } from './documents.ts';
import type { Item } from './read.ts';

/** Fields that refer to an object of this kind. */
const FIELD: Readonly<Record<string, RegExp>> = {
  Secret: /secret/i,
  PersistentVolumeClaim: /^mountPoint$/,
  Dataset: /^(?:dataset|mountPoint)$/,
};

/** The first field of the first item that refers to an object of this kind and name. */
export function mentionOf(items: readonly Item[], kind: string, name: string): { readonly item: Item; readonly path: Path } | undefined {
  const field = FIELD[kind];
  for (const item of items) {
    const path = pathTo(
      (item.object as { readonly spec?: unknown }).spec,
      (keys, value) => isName(value, name) && (!field || keys.some((key) => field.test(String(key)))),
    );
    if (path) return { item, path: ['spec', ...path] };
  }
  return undefined;
}

/** The address of a mount names a claim, `pvc://<claim>/<path>`, or another Dataset, `dataset://<namespace>/<name>/<path>`. */
const ADDRESS = /^(?:pvc:\/\/|dataset:\/\/[^/]*\/)([^/]*)/;
const isName = (value: unknown, name: string): boolean =>
  value === name || (typeof value === 'string' && ADDRESS.exec(value)?.[1] === name);

function pathTo(value: unknown, holds: (path: Path, value: unknown) => boolean, path: Path = []): Path | undefined {
  if (holds(path, value)) return path;
  if (typeof value !== 'object' || value === null) return undefined;
  const entries: (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((each: unknown, i) => [i, each] as const)
    : Object.entries(value);
  for (const [key, each] of entries) {
    const found = pathTo(each, holds, [...path, key]);
    if (found) return found;
  }
  return undefined;
}
