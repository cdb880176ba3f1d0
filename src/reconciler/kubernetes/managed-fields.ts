import { label, type Manifest } from '../../api/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import { isRecord, isZero, MERGED_BY, PRESENT, SETS } from '../compare.ts';

export const FIELD_MANAGER = 'sluice';

/** An entry of `metadata.managedFields`; format: kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta. */
export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: Fields;
}
/** `f:`, `k:` and `v:` keys down to the leaves, which are empty. */
export interface Fields {
  readonly [key: string]: Fields;
}

/**
 * Which fields of an object we wrote last, and which others did. The API server keeps account of it: who changes or removes a field takes
 * it from whoever had it. Two that look alike are the same object.
 */
export interface Ownership {
  readonly ours: readonly Fields[];
  readonly theirs: readonly Fields[];
}

/** Maps and structures that have one owner as a whole. Source: x-kubernetes-map-type of the kinds that we write. */
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

/** The accounts of many objects: there are thousands of objects, and some dozens of ways in which their fields are owned. */
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
    const text = inCommonTerms(JSON.stringify({ ours, theirs }), termsOf(object));
    const before = known.get(text)?.deref();
    if (before) return before;
    const ownership = JSON.parse(text) as Ownership;
    known.set(text, new WeakRef(ownership));
    unused.register(ownership, text);
    return ownership;
  };
}

/**
 * Whether every field of the manifest, as it was last sent, is still ours: then nobody has changed or removed one since. That says
 * nothing of which manifest was sent.
 */
export function isStillOurs(manifest: Manifest, { ours, theirs }: Ownership, object: KubeObject): boolean {
  const { apiVersion: _, kind: __, metadata, ...rest } = manifest;
  const { name: ___, namespace: ____, ...marks } = metadata;
  const sent = JSON.parse(inCommonTerms(JSON.stringify({ ...rest, metadata: marks }), termsOf(object))) as object;
  return isOwned(sent, ours, theirs, '');
}

function isOwned(sent: unknown, ours: readonly Fields[], theirs: readonly Fields[], field: string): boolean {
  if (Array.isArray(sent)) {
    const keys = MERGED_BY[field];
    if (keys && sent.length > 0 && sent.every(isRecord))
      return sent.every((entry) => {
        const key = `k:${JSON.stringify(Object.fromEntries(keys.toSorted().flatMap((name) => keyField(name, entry))))}`;
        return isOwned(entry, below(ours, key), below(theirs, key), `${field}[]`);
      });
    if (SETS.has(field)) return sent.every((value) => below(ours, `v:${JSON.stringify(value)}`).length > 0);
    return isLeaf(ours) || (sent.length === 0 && theirs.length === 0);
  }
  if (isRecord(sent)) {
    if (ATOMIC.has(field) && isLeaf(ours)) return true;
    const names = Object.keys(sent);
    if (names.length === 0) return ours.length > 0 || (theirs.length === 0 && !PRESENT.has(field));
    return names.every((name) => isOwned(sent[name], below(ours, `f:${name}`), below(theirs, `f:${name}`), name));
  }
  // The API server leaves out zero values, which nobody owns then.
  return ours.length > 0 || (isZero(sent) && theirs.length === 0);
}

const keyField = (name: string, entry: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] => {
  const value = entry[name] ?? (name === 'protocol' ? 'TCP' : undefined);
  return value === undefined ? [] : [[name, value]];
};
const below = (nodes: readonly Fields[], key: string): readonly Fields[] => nodes.flatMap((node) => node[key] ?? []);
const isLeaf = (nodes: readonly Fields[]): boolean => nodes.some((node) => Object.keys(node).length === 0);

interface Terms {
  readonly uid: string | undefined;
  readonly joined: string | undefined;
  readonly path: string | undefined;
}
/** Names and UIDs are in the keys of fields too: of owner references, mount paths and labels. */
function termsOf({ kind, metadata, ['spec']: spec }: KubeObject): Terms {
  const claim =
    kind === 'PersistentVolume' ? (spec as { claimRef?: { namespace?: string; name?: string } } | undefined)?.claimRef : undefined;
  const namespace = claim?.namespace ?? metadata.namespace;
  const name = claim?.name ?? metadata.ownerReferences?.find(({ controller }) => controller)?.name ?? metadata.name;
  const isKnown = namespace !== undefined && name !== undefined;
  return {
    uid: metadata.labels?.[label.owner],
    joined: isKnown ? `${namespace}-${name}` : undefined,
    path: isKnown ? `/${namespace}/${name}` : undefined,
  };
}
/** No name contains a control character, so what was different stays different; this one is not escaped in JSON. */
function inCommonTerms(text: string, { uid, joined, path }: Terms): string {
  let common = text;
  if (uid) common = common.replaceAll(uid, '\x7fu');
  if (path) common = common.replaceAll(path, '\x7fp');
  if (joined) common = common.replaceAll(joined, '\x7fj');
  // Host ports are keys as well. By their order: where ours has lost one, one is missing, whichever it is.
  const ports = [...new Set([...common.matchAll(PORT)].map(([, , port]) => Number(port)))].toSorted((a, b) => a - b);
  return ports.length > 0 ? common.replaceAll(PORT, (_, key, port) => `${key}${ports.indexOf(Number(port))}`) : common;
}
const PORT = /(containerPort\\?":)(\d+)/g;
