/**
 * Which fields of an object are merged by key, which are replaced as a whole, and the sets of paths by which the API server remembers
 * whose field is whose. Rule: kubernetes.io/docs/reference/using-api/server-side-apply, and the `+listType` marks of the API's types.
 */
import { isMap, type Json, type JsonMap, same } from './json.ts';
import { LIST_KEYS, SETS } from './list-keys.ts';
import { createRecent } from './recent.ts';

/** `f:` and `k:` keys down to the leaves; format: kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta. */
export interface FieldsV1 {
  readonly [key: string]: FieldsV1;
}
/** Paths whose segments are those of FieldsV1. */
export type FieldSet = ReadonlySet<string>;

const SEPARATOR = '\n';
/** Lists whose entries have one owner each; below them, a field has this name. */
const ATOMIC_ENTRIES = new Set(['ownerReferences', 'imagePullSecrets', 'secrets', 'variables']);
const WHOLE = '[]';
/** Limit for all sets that are kept. */
const MOST_PATHS = 200_000;
const ATOMIC = new Set([
  WHOLE,
  'selector',
  'nodeSelector',
  'matchLabels',
  'labelSelector',
  'namespaceSelector',
  'objectSelector',
  'podSelector',
  'scopeSelector',
  'required',
  'requiredDuringSchedulingIgnoredDuringExecution',
  'matchConstraints',
  'matchResources',
  'nodeSelectorTerms',
  'secretKeyRef',
  'configMapKeyRef',
  'fieldRef',
  'resourceFieldRef',
  'roleRef',
  'nodePublishSecretRef',
  'secretRef',
]);

/** How a field is merged: by these keys, as a set, or as a whole. */
function mergedBy(field: string, entry: Json | undefined): readonly string[] | 'set' | 'atomic' {
  if (SETS.has(field)) return 'set';
  if (field === 'ports' && isMap(entry)) return 'containerPort' in entry ? ['containerPort', 'protocol'] : ['port', 'protocol'];
  const keys = LIST_KEYS[field];
  // A custom resource may have a list of that name with other entries.
  const fits = entry === undefined || (isMap(entry) && keys?.some((key) => key in entry));
  return keys && fits ? keys : 'atomic';
}
const DEFAULTS: Readonly<Record<string, Json>> = { protocol: 'TCP' };

/** The parts of a value that have owners of their own, by segment; undefined for a leaf. */
export function partsOf(field: string, value: Json | undefined): ReadonlyMap<string, Json> | undefined {
  if (isMap(value)) {
    if (ATOMIC.has(field)) return undefined;
    return new Map(Object.entries(value).map(([key, each]) => [`f:${key}`, each]));
  }
  if (!Array.isArray(value)) return undefined;
  const by = mergedBy(field, value[0]);
  if (by === 'atomic') return undefined;
  return new Map((value as readonly Json[]).map((entry) => [segmentOf(by, entry), entry]));
}

function segmentOf(by: readonly string[] | 'set', entry: Json): string {
  if (by === 'set') return `v:${JSON.stringify(entry)}`;
  const fields = entry as JsonMap;
  const keys = [...by].toSorted().map((key) => [key, fields[key] ?? DEFAULTS[key]] as const);
  return `k:${JSON.stringify(Object.fromEntries(keys.filter(([, value]) => value !== undefined)))}`;
}

/** The name of the field that a segment leads to, within a field. */
export const fieldOf = (segment: string, within = ''): string =>
  segment.startsWith('f:') ? segment.slice(2) : ATOMIC_ENTRIES.has(within) ? WHOLE : '';
const within = (path: string, segment: string): string => (path === '' ? segment : path + SEPARATOR + segment);
export const isBelow = (path: string, above: string): boolean => path.startsWith(above + SEPARATOR);
export const segmentsOf = (path: string): readonly string[] => path.split(SEPARATOR);

/** Every path of a value: with those of the containers, where they have more than what is in them. */
function pathsOf(value: Json, path: string, containers: 'all' | 'items', field = fieldOf(path)): readonly string[] {
  const parts = partsOf(field, value);
  if (parts === undefined || parts.size === 0) return [path];
  const segment = path.slice(path.lastIndexOf(SEPARATOR) + 1);
  const own = containers === 'all' || segment.startsWith('k:') ? [path] : [];
  return [...own, ...[...parts].flatMap(([each, inner]) => pathsOf(inner, within(path, each), containers, fieldOf(each, field)))];
}

/** The part of an object that can have an owner: neither its name nor fields that only the server writes. */
export function ownable(object: JsonMap, subresource: string | undefined, hasStatus: boolean): JsonMap {
  const { apiVersion: _, kind: __, metadata, status, ...rest } = object;
  if (subresource === 'status') return status === undefined ? {} : { status };
  const { labels, annotations, ownerReferences, finalizers } = (metadata ?? {}) as JsonMap;
  const meta = Object.fromEntries(
    Object.entries({ labels, annotations, ownerReferences, finalizers }).filter(([, value]) => value !== undefined),
  ) as JsonMap;
  return {
    ...rest,
    ...(Object.keys(meta).length > 0 && { metadata: meta }),
    ...(!hasStatus && status !== undefined && { status }),
  };
}

export const setOf = (value: JsonMap, containers: 'all' | 'items' = 'items'): FieldSet =>
  new Set(Object.entries(value).flatMap(([key, each]) => pathsOf(each, `f:${key}`, containers, key)));

/** The differences of two values. */
export function compare(before: JsonMap, after: JsonMap): { readonly changed: FieldSet; readonly removed: FieldSet } {
  const changed = new Set<string>();
  const removed = new Set<string>();
  walk(before, after, '', '');
  return { changed, removed };

  function walk(old: Json | undefined, now: Json | undefined, path: string, field: string): void {
    if (old === now) return;
    if (old === undefined) return addAll(changed, now!, path, field);
    if (now === undefined) return addAll(removed, old, path, field);
    const [oldParts, newParts] = [partsOf(field, old), partsOf(field, now)];
    if (oldParts && newParts && Array.isArray(old) === Array.isArray(now)) {
      for (const segment of new Set([...oldParts.keys(), ...newParts.keys()]))
        walk(oldParts.get(segment), newParts.get(segment), within(path, segment), fieldOf(segment, field));
      return;
    }
    if (same(old, now)) return;
    for (const each of pathsOf(old, path, 'all', field)) if (each !== path) removed.add(each);
    addAll(changed, now, path, field);
  }
  function addAll(to: Set<string>, value: Json, path: string, field: string): void {
    for (const each of pathsOf(value, path, 'all', field)) to.add(each);
  }
}

// Neither a stored tree nor a set ever changes: each is made of the other once, if that was lately. Sets are larger than their objects.
const setsOf = createRecent<FieldsV1, FieldSet>(MOST_PATHS, ({ size }) => size + 1);
const treesOf = new WeakMap<FieldSet, FieldsV1>();
function paired<T extends FieldSet | FieldsV1>(set: FieldSet, tree: FieldsV1, asked: T): T {
  setsOf.set(tree, set);
  treesOf.set(set, tree);
  return asked;
}

export function fromFieldsV1(fields: FieldsV1): FieldSet {
  const known = setsOf.get(fields);
  if (known) return known;
  const set = new Set<string>();
  collect(fields, '');
  return paired(set, fields, set);

  function collect(tree: FieldsV1, path: string): void {
    const keys = Object.keys(tree);
    if (keys.length === 0 && path !== '') set.add(path);
    for (const key of keys) {
      if (key !== '.') collect(tree[key] ?? {}, within(path, key));
      else if (path !== '') set.add(path);
    }
  }
}

export function toFieldsV1(set: FieldSet): FieldsV1 {
  const known = treesOf.get(set);
  if (known) return known;
  type Tree = { [key: string]: Tree };
  const root: Tree = {};
  const nodes: Tree[] = [];
  for (const path of [...set].toSorted()) {
    let at = root;
    for (const segment of segmentsOf(path)) at = at[segment] ??= {};
    nodes.push(at);
  }
  for (const node of nodes) if (Object.keys(node).length > 0) node['.'] = {};
  return paired(set, root, root);
}

/** `.spec.template.spec.containers[name="fuse"].image`, as messages name it. */
export const fieldText = (path: string): string =>
  segmentsOf(path)
    .map((segment) => {
      if (segment.startsWith('f:')) return `.${segment.slice(2)}`;
      if (segment.startsWith('v:')) return `[${segment.slice(1)}]`;
      const keys = Object.entries(JSON.parse(segment.slice(2)) as JsonMap);
      return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
    })
    .join('');
