import { hash as digest } from 'node:crypto';
import { annotation, label, type Manifest } from '../../api/index.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../kube/errors.ts';
import type { KubeObject, Log, ResourceType } from '../../kube/types.ts';
import { retain } from '../retain.ts';
import type { Applied, Failure, ImmutableChange, LiveObject } from '../world.ts';
import { createAdmissions } from './admissions.ts';
import { SECRET_FRESH_MS } from './facts.ts';
import { createFightDetector } from './fights.ts';
import { withNodesInUse } from './fuse-nodes.ts';
import { ownedType } from './kinds.ts';
import type { Store } from './store.ts';

export const FIELD_MANAGER = 'sluice';
/** The programs of a Fluid installation, as managers of fields. */
const PREDECESSORS = /^(ddc-helm|helm|dataset-controller|\w+runtime-controller)$/;

export interface Owned {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}
export interface Owner extends Owned {
  readonly kind: string;
  readonly creationTimestamp?: string | undefined;
  /** Tells the specs as they are from what they were before an edit. */
  readonly edition?: string;
  /** Its user wants fuse pods to leave nodes at once, whoever reads there. */
  readonly placesNow?: boolean;
}
export interface Applier {
  /** Writes what differs, in order; an object that fails does not stop the next. */
  apply(owner: Owner, manifests: readonly Manifest[]): Promise<Applied>;
  /** Deletes what carries the owner's label and is not among `keep`; if there is anything, `confirmed` comes first. */
  prune(owner: Owned, keep: readonly Manifest[], confirmed: () => Promise<void>): Promise<readonly string[]>;
  /** Nothing is remembered of what this owner had. */
  forget(uid: string): void;
}

/** Thrown for an object that exists and is somebody else's. */
class NameTaken extends Error {
  override readonly name = 'NameTaken';
}
class FieldConflict extends Error {
  override readonly name = 'FieldConflict';
}

/** Something in the way that is on its way out: its deletion will wake us. */
class Left extends Error {
  override readonly name = 'Left';
}

const refOf = ({ kind, metadata: { name } }: { kind: string; metadata: { name: string } }): string => `${kind}/${name}`;

export function createApplier(client: KubeClient, store: Store, log: Log, now: () => number): Applier {
  const fights = createFightDetector(now);
  const admissions = createAdmissions(log);
  // Pairs that were compared and found equal; both are the same objects as long as nothing happens.
  const verified = new WeakMap<Manifest, { readonly live: LiveObject; readonly immutable: readonly ImmutableChange[] }>();
  // Secrets are not watched: what we last looked at, and when, by uid of the owner, then by name.
  const secrets = new Map<string, Map<string, { readonly hash: string; readonly at: number }>>();

  async function applyOne(owner: Owner, manifest: Manifest, report: Mutable<Applied>): Promise<void> {
    const type = ownedType(manifest.kind);
    const namespace = type.namespaced ? owner.namespace : undefined;
    const live = type.kind === 'Secret' ? await secretNow(type, owner, manifest) : store.live(type.kind, namespace, manifest.metadata.name);
    if (live === 'unchanged') return;
    if (live && !isOurs(live, owner, store) && !isLeft(live, owner)) throw taken(live, owner);
    if (!live || isLeft(live, owner)) {
      if (live) await removeLeft(type, live);
      const created = await create(owner, type, manifest);
      if (created) {
        report.created.push(refOf(manifest));
        return;
      }
      // Somebody has it already, or our watch is behind.
      const existing = (await client.get(type, { namespace, name: manifest.metadata.name })) as LiveObject;
      if (isLeft(existing, owner)) {
        await removeLeft(type, existing);
        throw new Left(`a ${owner.kind} of this name that is gone has left it behind; it is being deleted`);
      }
      if (!isOurs(existing, owner, store)) throw taken(existing, owner);
      return update(owner, type, manifest, existing, report);
    }
    return update(owner, type, manifest, live, report);
  }

  /** Before the garbage collector comes to it, which does the same. */
  async function removeLeft(type: ResourceType, { metadata }: LiveObject): Promise<void> {
    await client.delete(type, metadata, { uid: metadata.uid, propagation: 'Background' }).catch(ignoreGone);
  }

  async function create({ uid }: Owner, type: ResourceType, manifest: Manifest): Promise<boolean> {
    const hash = hashOf(manifest);
    const object = stamped(manifest, hash);
    try {
      const answer = await client.create(type, object, { fieldValidation: 'Strict' });
      store.remember(answer);
      admissions.answered(uid, hash, object, answer);
      return true;
    } catch (error) {
      if (isAlreadyExists(error)) return false;
      throw error;
    }
  }

  async function update(owner: Owner, type: ResourceType, manifest: Manifest, live: LiveObject, report: Mutable<Applied>): Promise<void> {
    const known = verified.get(manifest);
    if (known?.live === live) {
      report.immutable.push(...known.immutable);
      return;
    }
    const isFuse = type.kind === 'DaemonSet' && !owner.placesNow;
    const { manifest: placed, waiting } = isFuse ? await withNodesInUse(client, store, owner, manifest, live) : { manifest };
    if (waiting) report.waiting.push(waiting);
    const { manifest: retained, immutable } = retain(placed, live);
    report.immutable.push(...immutable);
    const hash = hashOf(placed);
    const desired = stamped(retained, hash);
    const paths = admissions.unexplained(owner.uid, hash, desired, live);
    if (paths.length === 0) {
      if (!waiting) verified.set(manifest, { live, immutable });
      return;
    }
    // It will be gone in a moment, and its deletion will wake us.
    if (live.metadata.deletionTimestamp) return;
    const rival = fights.repaired(live.metadata.uid, owner.edition ?? '', paths);
    if (rival) throw new FieldConflict(`${rival.join(', ')} changed back ${fights.limit} times in a minute; waiting before the next try`);
    const { namespace, name, uid } = live.metadata;
    try {
      const fresh = await client.get(type, { namespace, name });
      if (fresh.metadata.uid !== uid) return;
      await takeOverFields(type, fresh);
      const sent = { ...desired, metadata: { ...desired.metadata, uid } };
      const answer = await client.apply(type, sent, { force: true, fieldValidation: 'Strict' });
      store.remember(answer);
      admissions.answered(owner.uid, hash, desired, answer);
    } catch (error) {
      fights.failed(uid);
      throw error;
    }
    log.info({ object: refOf(manifest), namespace: live.metadata.namespace, fields: paths.slice(0, 10) }, 'repaired');
    report.changed.push(refOf(manifest));
  }

  /**
   * Objects are created by POST, so that nobody's are overwritten; their fields then belong to an Update entry of ours, which a
   * later apply could not take a field away from. Renaming the entry is how kubectl moves to server-side apply as well. What Fluid
   * and its helm wrote becomes ours in the same way: nobody else would ever take it away.
   */
  async function takeOverFields(type: ResourceType, { metadata }: KubeObject): Promise<void> {
    const fields = (metadata.managedFields ?? []) as readonly ManagedFields[];
    const isWritten = ({ manager = '', operation, subresource }: ManagedFields) =>
      (manager === FIELD_MANAGER || PREDECESSORS.test(manager)) && operation === 'Update' && !subresource;
    const isApplied = ({ manager, operation }: ManagedFields) => manager === FIELD_MANAGER && operation === 'Apply';
    const written = fields.filter(isWritten);
    if (written.length === 0) return;
    const ours = [...fields.filter(isApplied), ...written];
    const applied = { ...ours[0], manager: FIELD_MANAGER, operation: 'Apply', fieldsV1: union(ours.map(({ fieldsV1 }) => fieldsV1 ?? {})) };
    const patch = [
      { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
      { op: 'replace', path: '/metadata/managedFields', value: [...fields.filter((entry) => !ours.includes(entry)), applied] },
    ];
    await client.patch(type, metadata, patch, { type: 'json' });
  }

  /** `unchanged` when it was looked at a moment ago; otherwise what is there. */
  async function secretNow(type: ResourceType, owner: Owner, manifest: Manifest): Promise<LiveObject | undefined | 'unchanged'> {
    const { name } = manifest.metadata;
    const hash = hashOf(manifest);
    const looked = secrets.get(owner.uid) ?? new Map<string, { readonly hash: string; readonly at: number }>();
    const last = looked.get(name);
    if (last?.hash === hash && now() - last.at < SECRET_FRESH_MS) return 'unchanged';
    secrets.set(owner.uid, looked.set(name, { hash, at: now() }));
    return (await client.get(type, { namespace: owner.namespace, name }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      looked.delete(name);
      throw error;
    })) as LiveObject | undefined;
  }

  return {
    async apply(owner, manifests) {
      const report: Mutable<Applied> = { created: [], changed: [], pruned: [], failed: [], immutable: [], waiting: [] };
      for (const manifest of manifests) {
        try {
          await applyOne(owner, manifest, report);
        } catch (error) {
          secrets.get(owner.uid)?.delete(manifest.metadata.name);
          report.failed.push(failureOf(manifest, error));
        }
      }
      return report;
    },
    async prune(owner, keep, confirmed) {
      const kept = new Set(keep.map(refOf));
      const extra = store.inventory(owner).filter((object) => !kept.has(refOf(object)) && !object.metadata.deletionTimestamp);
      if (extra.length > 0) await confirmed();
      for (const { kind, metadata } of extra)
        await client.delete(ownedType(kind), metadata, { uid: metadata.uid, propagation: 'Background' }).catch(ignoreGone);
      return extra.map(refOf);
    },
    forget(uid) {
      secrets.delete(uid);
      admissions.forget(uid);
    },
  };
}

/**
 * Ours by our label, by owner reference, or, for the volume and claim that Fluid or a runtime that is gone left, by Fluid's mark and the
 * claim's name.
 */
export function isOurs(object: KubeObject, owner: Owned, { isRuntime }: Pick<Store, 'isRuntime'>): boolean {
  const { labels, ownerReferences, annotations, namespace } = object.metadata;
  const holder = labels?.[label.owner];
  if (holder === owner.uid || ownerReferences?.some(({ uid }) => uid === owner.uid)) return true;
  if (annotations?.[annotation.createdBy] !== 'fluid' || (holder !== undefined && isRuntime(holder))) return false;
  if (object.kind === 'PersistentVolumeClaim') return namespace === owner.namespace && object.metadata.name === owner.name;
  const claim = (object['spec'] as { claimRef?: { namespace?: string; name?: string } } | undefined)?.claimRef;
  return object.kind === 'PersistentVolume' && claim?.namespace === owner.namespace && claim.name === owner.name;
}

/**
 * What belongs to an earlier runtime of the same kind and name: two of a name cannot be, so that one is gone. Earlier by the clock, since
 * we ourselves might be the ones who see an old runtime still.
 */
function isLeft({ metadata }: KubeObject, { kind, name, uid, creationTimestamp: born = '' }: Owner): boolean {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  const isPredecessor = owner?.kind === kind && owner.name === name && owner.uid !== uid;
  return isPredecessor && metadata.labels?.[label.owner] === owner.uid && (metadata.creationTimestamp ?? '') <= born;
}

const taken = (existing: KubeObject, owner: Owned): NameTaken =>
  new NameTaken(`it exists already and belongs to ${ownerOf(existing)}; expected none or one of Runtime ${owner.name}`);

export const ownerOf = ({ metadata: { labels, ownerReferences } }: KubeObject): string =>
  ownerReferences?.map(({ kind, name }) => `${kind}/${name}`).join(', ') ||
  (labels?.[label.owner] ? `another runtime (uid ${labels[label.owner]})` : 'nobody known');

/**
 * The hash of what was rendered is sent along: when it differs something is to be changed, or taken away, which no leaf would show.
 * Not of what is sent: that holds fields taken from the live object.
 */
export function stamped(manifest: Manifest, hash: string): KubeObject {
  const { metadata } = manifest;
  return {
    ...manifest,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [annotation.manifestHash]: hash } },
  } as KubeObject;
}
const hashes = new WeakMap<Manifest, string>();
export function hashOf(manifest: Manifest): string {
  const known = hashes.get(manifest);
  if (known) return known;
  const hash = digest('sha256', JSON.stringify(manifest)).slice(0, 16);
  hashes.set(manifest, hash);
  return hash;
}

function failureOf(manifest: Manifest, error: unknown): Failure {
  const object = refOf(manifest);
  // 409 is a race with another writer, and 404 a namespace or object that just went: both are tried again by the event.
  if (error instanceof NameTaken || error instanceof FieldConflict) return { reason: error.name, object, message: error.message };
  return {
    reason: isConflict(error) || error instanceof Left ? 'Conflict' : 'ApplyFailed',
    object,
    message: error instanceof Error ? error.message : String(error),
  };
}

export const ignoreGone = (error: unknown): void => {
  if (!isNotFound(error) && !isConflict(error)) throw error;
};

interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: Fields;
}
/** `f:` and `k:` keys down to the leaves; format: kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta. */
interface Fields {
  readonly [key: string]: Fields;
}
function union(sets: readonly Fields[]): Fields {
  const keys = [...new Set(sets.flatMap((set) => Object.keys(set)))];
  return Object.fromEntries(keys.map((key) => [key, union(sets.flatMap((set) => set[key] ?? []))]));
}
type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] };
