import { annotation, label, type Manifest } from '../../../api/index.ts';
import type { KubeClient } from '../../../kube/contract.ts';
import { ignoreGone, isAlreadyExists, isConflict, isNotFound } from '../../../kube/errors.ts';
import type { KubeObject, Log, ResourceType } from '../../../kube/types.ts';
import { attempt, messageOf } from '../../failures.ts';
import { retain } from '../../diff/retain.ts';
import type { Applied, Failure, ImmutableChange, LiveObject, Outline, Pruned } from '../../world.ts';
import { createAdmissions } from './admissions.ts';
import { hashOf } from '../plans/bindings.ts';
import { SECRET_FRESH_MS } from '../plans/lookups.ts';
import { createFightDetector } from './fights.ts';
import { withNodesInUse } from './fuse-nodes.ts';
import { ownedType } from '../kinds.ts';
import { isStillOurs, type Ownership } from '../managed-fields.ts';
import { isLeft, isOurs, type Owned, type Owner, ownersInWords } from '../store/owner.ts';
import type { Store } from '../store/store.ts';
import { takeOverFields } from './take-over-fields.ts';
import { fuseFact } from '../store/views.ts';

export interface Applier {
  /**
   * Writes what differs, in order; an object that fails does not stop the next. `confirmed` comes before anything is deleted, and before
   * what was there is made again: the garbage collector takes the objects of an owner that is gone, for ever.
   *
   * @throws ApiError 409 when the owner is not as it was seen
   */
  apply(owner: Owner, outlines: readonly Outline[], confirmed: Confirmed): Promise<Applied>;
  /** Deletes what carries the owner's label and is not among `keep`, each whatever becomes of the others; `confirmed` comes before the first. */
  prune(owner: Owned, keep: readonly Pick<Outline, 'kind' | 'name'>[], confirmed: Confirmed): Promise<Pruned>;
  /** Nothing is remembered of what this owner had. */
  forget(uid: string): void;
}

/** What the owner asks for is so: read afresh. Throws where it is not. */
type Confirmed = () => Promise<void>;

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

const refOf = ({ kind, name }: Pick<Outline, 'kind' | 'name'>): string => `${kind}/${name}`;
const nameOf = ({ kind, metadata: { name } }: KubeObject) => ({ kind, name });

export function createApplier(client: KubeClient, store: Store, log: Log, now: () => number): Applier {
  const fights = createFightDetector(now);
  const admissions = createAdmissions(log);
  // Secrets are not watched: what we last looked at, and when, by uid of the owner, then by name.
  const secrets = new Map<string, Map<string, { readonly hash: string; readonly at: number }>>();

  async function applyOne(owner: Owner, outline: Outline, report: Mutable<Applied>, confirmed: Confirmed): Promise<void> {
    const { kind, name } = outline;
    const type = ownedType(kind);
    const namespace = type.namespaced ? owner.namespace : undefined;
    const secret = kind === 'Secret' ? await secretNow(type, owner, outline) : undefined;
    if (secret === 'unchanged') return;
    const live = kind === 'Secret' ? secret : store.live(kind, namespace, name);
    if (live && !isOurs(live, owner, store) && !isLeft(live, owner)) throw taken(live, owner);
    if (!live || isLeft(live, owner)) {
      if (live) await removeLeft(type, live, confirmed);
      const created = await create(owner, type, outline);
      if (created) {
        report.created.push(refOf(outline));
        return;
      }
      // Somebody has it already, or our watch is behind.
      const existing = (await client.get(type, { namespace, name })) as LiveObject;
      if (isLeft(existing, owner)) {
        await removeLeft(type, existing, confirmed);
        throw new Left(`a ${owner.kind} of this name that is gone has left it behind; it is being deleted`);
      }
      if (!isOurs(existing, owner, store)) throw taken(existing, owner);
      return repair(owner, type, outline, existing, report);
    }
    if (secret) return repair(owner, type, outline, secret, report);
    // The cast: nobody else puts anything there.
    const known = outline.finding.found as Verdict | Ownership | undefined;
    if (known && !('uid' in known) && known === ownershipOf(live) && stampOf(live) === outline.hash) return;
    if (known && 'uid' in known && stands(known, live)) report.immutable.push(...known.immutable);
    else if (stampOf(live) === outline.hash && isUntouched(outline, live)) remember(outline, live, [], true);
    else {
      const whole = (await client.get(type, { namespace, name })) as LiveObject;
      if (whole.metadata.uid === live.metadata.uid) await repair(owner, type, outline, whole, report);
    }
  }

  /** Whether we have had it in hand, and it is there no more. */
  function isLost({ namespace }: Owner, { kind, name, finding }: Outline): boolean {
    if (finding.found === undefined && !finding.made) return false;
    return kind !== 'Secret' && !store.live(kind, ownedType(kind).namespaced ? namespace : undefined, name);
  }

  /** Before the garbage collector comes to it, which does the same. */
  async function removeLeft(type: ResourceType, { metadata }: LiveObject, confirmed: Confirmed): Promise<void> {
    // The owner may be the one that is gone, and the clock of the API server that made this behind.
    await confirmed();
    await client.delete(type, metadata, { uid: metadata.uid, propagation: 'Background' }).catch(ignoreGone);
  }

  async function create(owner: Owner, type: ResourceType, outline: Outline): Promise<boolean> {
    const { uid } = owner;
    const object = stamped(claimed(owner, outline.manifest()), outline.hash);
    if (outline.finding.found === undefined) outline.finding.made = true;
    try {
      const answer = await client.create(type, object, { fieldValidation: 'Strict' });
      store.remember(answer);
      const isAsSent = admissions.answered(uid, outline.hash, object, answer);
      written(outline, answer, [], { isAsSent });
      return true;
    } catch (error) {
      if (isAlreadyExists(error)) return false;
      throw error;
    }
  }

  /** A volume is made for the claim that is there: the volume controller need not write that into it. */
  function claimed(owner: Owner, manifest: Manifest): Manifest {
    if (manifest.kind !== 'PersistentVolume') return manifest;
    const spec = manifest['spec'] as { readonly claimRef: { readonly name: string } };
    const claim = store.live('PersistentVolumeClaim', owner.namespace, spec.claimRef.name);
    const { volumeName = manifest.metadata.name } = (claim?.['spec'] ?? {}) as { volumeName?: string };
    if (!claim || volumeName !== manifest.metadata.name || !isOurs(claim, owner, store)) return manifest;
    return { ...manifest, spec: { ...spec, claimRef: { ...spec.claimRef, uid: claim.metadata.uid } } };
  }

  /** Makes an object, as it was just read, what it should be. */
  async function repair(owner: Owner, type: ResourceType, outline: Outline, live: LiveObject, report: Mutable<Applied>): Promise<void> {
    const wanted = outline.manifest();
    const isFuse = type.kind === 'DaemonSet' && !owner.placesNow;
    const { manifest: placed, waiting } = isFuse
      ? await withNodesInUse(client, store, owner, wanted, live)
      : { manifest: wanted, waiting: undefined };
    if (waiting) report.waiting.push(waiting);
    const { manifest, immutable } = retain(placed, live);
    report.immutable.push(...immutable);
    const hash = hashOf(placed);
    const desired = stamped(manifest, stamp(hash, immutable));
    const paths = admissions.unexplained(owner.uid, hash, desired, live);
    if (paths.length === 0) {
      if (!waiting) written(outline, live, immutable, { isEqual: true });
      return;
    }
    const { namespace, uid, labels, deletionTimestamp } = live.metadata;
    // It will be gone in a moment, and its deletion will wake us: if it has the label by which we watch it.
    if (deletionTimestamp && labels?.[label.owner] === owner.uid) return;
    const rival = fights.repaired(uid, owner.edition ?? '', paths);
    if (rival) throw new FieldConflict(`${rival.join(', ')} changed back ${fights.limit} times in a minute; waiting before the next try`);
    try {
      await takeOverFields(client, type, live);
      const sent = { ...desired, metadata: { ...desired.metadata, uid } };
      const answer = await client.apply(type, sent, { force: true, fieldValidation: 'Strict' });
      if (isEnded(answer)) {
        store.forget(answer);
        if (await create(owner, type, outline)) report.created.push(refOf(outline));
        return;
      }
      store.remember(answer);
      const isAsSent = admissions.answered(owner.uid, hash, desired, answer);
      if (!waiting) written(outline, answer, immutable, { isAsSent });
    } catch (error) {
      fights.failed(uid);
      throw error;
    }
    // What was rendered is another one since: somebody changed a spec, or this is another version of us. Else the object was changed.
    const isRepaired = stampOf(live) === stampOf(desired);
    log.info({ object: refOf(outline), namespace, fields: paths.slice(0, 10) }, isRepaired ? 'repaired' : 'applied a change');
    report.changed.push(refOf(outline));
  }

  /** It is not looked at again while it stays so. What admission took away of what we sent shows in what is ours. Secrets are always read. */
  function written(outline: Outline, object: KubeObject, immutable: readonly ImmutableChange[], found: Found): void {
    if (outline.kind === 'Secret') return;
    const live = store.project(object);
    // Nobody else has had it in hand.
    const untouched = found.isAsSent ? ownershipOf(live) !== undefined : isUntouched(outline, live);
    if (found.isAsSent || found.isEqual || untouched) remember(outline, live, immutable, untouched);
  }

  /** An object is as it was sent: as long as every field is still ours, whatever its status becomes, else until it changes at all. */
  function remember({ finding, hash }: Outline, live: LiveObject, immutable: readonly ImmutableChange[], isUntouched: boolean): void {
    const { uid, resourceVersion } = live.metadata;
    // Of nearly all there is nothing else to say: by whom the fields of an object are owned is kept once for all that are alike.
    const isPlain = isUntouched && immutable.length === 0 && stampOf(live) === hash;
    const what = isUntouched ? { ownership: ownershipOf(live) } : { resourceVersion };
    finding.found = isPlain ? ownershipOf(live) : ({ uid, stamp: stampOf(live), immutable, ...what } satisfies Verdict);
  }

  /** `unchanged` when it was looked at a moment ago; otherwise what is there. */
  async function secretNow(type: ResourceType, owner: Owner, { name, hash }: Outline): Promise<LiveObject | undefined | 'unchanged'> {
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
    async apply(owner, outlines, confirmed) {
      const report: Mutable<Applied> = { created: [], changed: [], pruned: [], failed: [], immutable: [], waiting: [] };
      const lost = outlines.find((outline) => isLost(owner, outline));
      if (lost)
        try {
          await confirmed();
        } catch (error) {
          if (isConflict(error)) throw error;
          report.failed.push(failureOf(lost, error));
          return report;
        }
      for (const outline of outlines) {
        try {
          await applyOne(owner, outline, report, confirmed);
        } catch (error) {
          secrets.get(owner.uid)?.delete(outline.name);
          report.failed.push(failureOf(outline, error));
        }
      }
      return report;
    },
    async prune(owner, keep, confirmed) {
      const kept = new Set(keep.map(refOf));
      const extra = store.inventory(owner).filter((object) => !kept.has(refOf(nameOf(object))) && !object.metadata.deletionTimestamp);
      if (extra.length > 0) await confirmed();
      const pruned: string[] = [];
      const failed: Failure[] = [];
      for (const object of extra) {
        const { kind, metadata } = object;
        const name = refOf(nameOf(object));
        const remove = () => client.delete(ownedType(kind), metadata, { uid: metadata.uid, propagation: 'Background' }).catch(ignoreGone);
        const refused = await attempt('DeleteFailed', name, remove);
        if (refused.length > 0) failed.push(...refused);
        else pruned.push(name);
      }
      return { pruned, failed };
    },
    forget(uid) {
      secrets.delete(uid);
      admissions.forget(uid);
    },
  };
}

const taken = (existing: KubeObject, { kind, name }: Owner): NameTaken =>
  new NameTaken(`it exists already and belongs to ${ownersInWords(existing)}; expected none or one of ${kind} ${name}`);

/**
 * The hash of what was rendered is sent along: when it differs something is to be changed, or taken away, which no leaf would show.
 * Not of what is sent: that holds fields taken from the live object. So is the fuse image that a generation stands for.
 */
export function stamped(manifest: Manifest, hash: string): KubeObject {
  const { metadata } = manifest;
  const image = manifest.kind === 'DaemonSet' ? fuseFact(manifest)?.image : undefined;
  const stamps = { [annotation.manifestHash]: hash, ...(image && { [annotation.fuseImage]: image }) };
  return {
    ...manifest,
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...stamps } },
  } as KubeObject;
}
/** What Kubernetes did not let change keeps the stamp from saying that all was sent. */
export const stamp = (hash: string, immutable: readonly ImmutableChange[]): string => (immutable.length > 0 ? `${hash}~` : hash);
const stampOf = ({ metadata: { annotations } }: KubeObject): string | undefined => annotations?.[annotation.manifestHash];

/** It was being deleted, and waited for a finalizer of Fluid's alone: taking that over has ended it, which no watch of ours shows. */
const isEnded = ({ metadata: { deletionTimestamp, finalizers } }: KubeObject): boolean =>
  deletionTimestamp !== undefined && !finalizers?.length;

/** How an object compares with what was to be written: the answer to our own write, or one that was read. */
interface Found {
  readonly isAsSent?: boolean;
  readonly isEqual?: boolean;
}

/** An object was found to be as it should, which has to be said at length. */
interface Verdict {
  readonly uid: string;
  readonly stamp: string | undefined;
  /** While all its fields are still ours, whatever its status becomes. */
  readonly ownership?: Ownership | undefined;
  /** Else until it changes at all. */
  readonly resourceVersion?: string;
  readonly immutable: readonly ImmutableChange[];
}
const stands = ({ uid, stamp: stamped, ownership, resourceVersion }: Verdict, live: LiveObject): boolean =>
  uid === live.metadata.uid &&
  (resourceVersion === undefined
    ? stamped === stampOf(live) && ownership === ownershipOf(live)
    : resourceVersion === live.metadata.resourceVersion);

// Only what the store keeps has it; what was just read is compared as it is.
const ownershipOf = (live: LiveObject): Ownership | undefined => live['ownership'] as Ownership | undefined;

/** Nobody has changed a field of ours since it was sent. */
function isUntouched(outline: Outline, live: LiveObject): boolean {
  const ownership = ownershipOf(live);
  return ownership !== undefined && isStillOurs(outline.manifest(), ownership, live);
}

function failureOf(outline: Outline, error: unknown): Failure {
  const object = refOf(outline);
  // 409 is a race with another writer, and 404 a namespace or object that just went: both are tried again by the event.
  if (error instanceof NameTaken || error instanceof FieldConflict) return { reason: error.name, object, message: error.message };
  return {
    reason: isConflict(error) || error instanceof Left ? 'Conflict' : 'ApplyFailed',
    object,
    message: messageOf(error),
  };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] };
