import { controllerOf, type Manifest, ownerUid } from '../../api/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import { isRecord } from '../../api/is-record.ts';
import { isZero, MERGED_BY, PRESENT, SETS } from './compare.ts';

export const FIELD_MANAGER = 'sluice';
/** The manager of the fields that bind volume and claim: as `sluice`, the next apply, which does not send them, would remove them. */
export const BINDER = 'sluice-binder';

/** An entry of `metadata.managedFields`; format: kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta. */
export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1?: Fields;
}
/** FieldsV1: `f:`, `k:` and `v:` keys down to the leaves, which are empty. */
export interface Fields {
  readonly [key: string]: Fields;
}

/** The programs of a Fluid installation, as managers of fields. */
const PREDECESSORS = /^(ddc-helm|helm|dataset-controller|\w+runtime-controller)$/;

/**
 * The entries before an apply of ours. Objects are created by POST, so that no existing object is overwritten. Their fields then belong to
 * an Update entry of ours, from which a later apply could not remove a field. What Fluid and its helm wrote becomes ours in the same way,
 * since no other manager would ever remove it.
 *
 * @returns `fields` itself if nothing changes
 */
export function withTakenOver(fields: readonly ManagedFields[]): readonly ManagedFields[] {
  const isWritten = ({ manager = '', operation, subresource }: ManagedFields) =>
    (manager === FIELD_MANAGER || PREDECESSORS.test(manager)) && operation === 'Update' && !subresource;
  const isApplied = ({ manager, operation }: ManagedFields) => manager === FIELD_MANAGER && operation === 'Apply';
  const written = fields.filter(isWritten);
  if (written.length === 0) return fields;
  const ours = [...fields.filter(isApplied), ...written];
  const applied = { ...ours[0], manager: FIELD_MANAGER, operation: 'Apply', fieldsV1: union(ours.map(({ fieldsV1 }) => fieldsV1 ?? {})) };
  return [...fields.filter((entry) => !ours.includes(entry)), applied];
}

function union(sets: readonly Fields[]): Fields {
  const keys = [...new Set(sets.flatMap((set) => Object.keys(set)))];
  return Object.fromEntries(keys.map((key) => [key, union(sets.flatMap((set) => set[key] ?? []))]));
}

/**
 * Which fields of an object this controller wrote last, and which other managers did. The API server records it: a manager that changes or
 * removes a field becomes its owner. Equal ownerships are one object, interned.
 */
export interface Ownership {
  readonly ours: readonly Fields[];
  readonly theirs: readonly Fields[];
}

/** Maps and structures that have one owner as a whole. Source: x-kubernetes-map-type of the kinds that the controller writes. */
const ATOMIC = new Set([
  'selector',
  'nodeSelector',
  'requiredDuringSchedulingIgnoredDuringExecution',
  'secretKeyRef',
  'configMapKeyRef',
  'fieldRef',
  'resourceFieldRef',
  'secretRef',
  'nodePublishSecretRef',
  'nodeStageSecretRef',
  'roleRef',
  'dataSource',
  'required',
  'ownerReferences[]',
  'imagePullSecrets[]',
]);

/** Interns ownerships: thousands of objects have a few dozen different ones. Returns undefined for an object without a field of ours. */
export function createLedger(): (object: KubeObject) => Ownership | undefined {
  const known = new Map<string, WeakRef<Ownership>>();
  const unused = new FinalizationRegistry<string>((text) => {
    if (!known.get(text)?.deref()) known.delete(text);
  });
  return (object) => {
    const entries = (object.metadata.managedFields ?? []) as readonly ManagedFields[];
    const ours: Fields[] = [];
    const theirs: Fields[] = [];
    for (const { manager, subresource, fieldsV1 = {} } of entries) {
      if (manager === FIELD_MANAGER && !subresource) ours.push(fieldsV1);
      else if (subresource !== 'status') theirs.push(fieldsV1);
    }
    if (ours.length === 0) return undefined;
    const whole = inTerms(JSON.stringify({ ours, theirs }), termsOf(object));
    const ports = portsIn(whole);
    const text = portsByOrder(whole, () => ports);
    const before = known.get(text)?.deref();
    if (before) return before;
    const ownership = JSON.parse(text) as Ownership;
    known.set(text, new WeakRef(ownership));
    unused.register(ownership, text);
    return ownership;
  };
}

/**
 * Whether every field of the manifest, as it was last sent, is still ours: then no other writer has changed or removed one. It does not
 * show which manifest was sent.
 */
export function isStillOurs(manifest: Manifest, { ours, theirs }: Ownership, object: KubeObject): boolean {
  const { apiVersion: _, kind: __, metadata, ...rest } = manifest;
  const { name: ___, namespace: ____, ...marks } = metadata;
  const terms = termsOf(object);
  let ports: readonly number[] | undefined;
  const common = (key: string) => portsByOrder(inTerms(key, terms), () => (ports ??= portsIn(JSON.stringify(rest))));
  return isOwned({ ...rest, metadata: marks }, ours, theirs, '', common);
}

/** @param common a key in the form in which an interned ownership has it */
function isOwned(
  sent: unknown,
  ours: readonly Fields[],
  theirs: readonly Fields[],
  field: string,
  common: (key: string) => string,
): boolean {
  if (Array.isArray(sent)) {
    const keys = MERGED_BY[field];
    if (keys && sent.length > 0 && sent.every(isRecord))
      return sent.every((entry) => {
        const key = common(`k:${JSON.stringify(Object.fromEntries(keys.toSorted().flatMap((name) => keyField(name, entry))))}`);
        return isOwned(entry, below(ours, key), below(theirs, key), `${field}[]`, common);
      });
    if (SETS.has(field)) return sent.every((value) => below(ours, common(`v:${JSON.stringify(value)}`)).length > 0);
    return isLeaf(ours) || (sent.length === 0 && theirs.length === 0);
  }
  if (isRecord(sent)) {
    if (ATOMIC.has(field) && isLeaf(ours)) return true;
    const names = Object.keys(sent).filter((name) => sent[name] !== undefined);
    if (names.length === 0) return ours.length > 0 || (theirs.length === 0 && !PRESENT.has(field));
    return names.every((name) => {
      const key = common(`f:${name}`);
      return isOwned(sent[name], below(ours, key), below(theirs, key), name, common);
    });
  }
  // The API server leaves out zero values, which then have no owner.
  return ours.length > 0 || (isZero(sent) && theirs.length === 0);
}

const keyField = (name: string, entry: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] => {
  const value = entry[name] ?? (name === 'protocol' ? 'TCP' : undefined);
  return value === undefined ? [] : [[name, value]];
};
/** The children under one key. Nearly always there is one node, or none. */
function below(nodes: readonly Fields[], key: string): readonly Fields[] {
  let found: readonly Fields[] = NOTHING;
  for (const node of nodes) {
    const next = node[key];
    if (next) found = found === NOTHING ? [next] : [...found, next];
  }
  return found;
}
const NOTHING: readonly Fields[] = [];
const isLeaf = (nodes: readonly Fields[]): boolean => nodes.some((node) => Object.keys(node).length === 0);

interface Terms {
  readonly uid: string | undefined;
  readonly joined: string | undefined;
  readonly path: string | undefined;
}
/** Names and UIDs occur in the keys of fields too: of owner references, mount paths and labels. They are replaced, so that keys intern. */
function termsOf({ kind, metadata, ['spec']: spec }: KubeObject): Terms {
  const claim =
    kind === 'PersistentVolume' ? (spec as { claimRef?: { namespace?: string; name?: string } } | undefined)?.claimRef : undefined;
  const namespace = claim?.namespace ?? metadata.namespace;
  const name = claim?.name ?? controllerOf({ metadata })?.name ?? metadata.name;
  const isKnown = namespace !== undefined && name !== undefined;
  return {
    uid: ownerUid({ metadata }),
    joined: isKnown ? `${namespace}-${name}` : undefined,
    path: isKnown ? `/${namespace}/${name}` : undefined,
  };
}
/** No name contains a control character, so different texts stay different; JSON does not escape this one. */
function inTerms(text: string, { uid, joined, path }: Terms): string {
  let common = text;
  if (uid && common.includes(uid)) common = common.replaceAll(uid, '\x7fu');
  if (path && common.includes(path)) common = common.replaceAll(path, '\x7fp');
  if (joined && common.includes(joined)) common = common.replaceAll(joined, '\x7fj');
  return common;
}
/** Host ports are keys as well. They are replaced by their order: an ownership that has lost a port lacks one, whichever it is. */
const portsByOrder = (text: string, ports: () => readonly number[]): string =>
  text.includes('containerPort') ? text.replaceAll(PORT, (_, key, port) => `${key}${ports().indexOf(Number(port))}`) : text;
const portsIn = (text: string): readonly number[] =>
  [...new Set([...text.matchAll(PORT)].map(([, , port]) => Number(port)))].toSorted((a, b) => a - b);
const PORT = /(containerPort\\?":)(\d+)/g;
