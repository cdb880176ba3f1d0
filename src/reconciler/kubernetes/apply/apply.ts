/**
 * Writes the objects of a runtime: creates what is missing, applies what differs, deletes what is no longer wanted (prune.ts).
 *
 * Invariants:
 * A1. An object that belongs to another owner is neither written nor deleted. What was made for one of another cluster, and has no owner here, is replaced.
 * A2. An object that does not exist is created by POST: what was created under its name meanwhile is never overwritten.
 * A3. An object that exists is applied with the UID that was read: its successor is never overwritten.
 * A4. Nothing is written when nothing differs.
 * A5. Nothing is deleted before `confirmed` resolved in the same call, and every deletion names the UID that was seen.
 * A6. Nothing but a Secret that the plan in force has found or created before, and that is missing now, is created again before `confirmed` resolved.
 * A7. An object that fails keeps no other from being written or deleted, and is reported with its reason.
 * A8. A change that Kubernetes does not allow is reported, not sent; everything else about that object is still applied.
 * A9. When another writer changes an object back six times in a minute, no write follows for 30 seconds or longer; edits of specs do not count.
 * A10. What admission changed of our own write is accepted: it is not sent again, and is no such conflict.
 * A11. A Secret is read before each write, at most once a second for one content, and again at the retry of a failure. Its value is never kept.
 * A12. A fuse DaemonSet keeps selecting each node on which a pod mounts the claim, unless the user asks for the placement at once.
 * A13. Pruning deletes only what the store has in the owner's inventory, is not among `keep`, and is not being deleted already.
 * A14. A fuse DaemonSet whose UID and generation the volume does not record is compared by value, loses what others put into its pods, and is recorded.
 */
import type { Monotonic } from '../../../kube/clock.ts';
import type { KubeClient } from '../../../kube/contract.ts';
import { ignoreNotFound, isConflict } from '../../../kube/errors.ts';
import type { Log, ResourceType } from '../../../kube/types.ts';
import { verifiedFuseOn } from '../../../api/index.ts';
import { type Applied, appliedIn, type LiveObject, type DesiredObject, type PartlyApplied } from '../../world.ts';
import { keptBy, keptOf } from '../../status/kept.ts';
import { ownedType } from '../../../planning/kinds.ts';
import { isCopy, isLeft, isOurs, type Owner } from '../../../planning/owner.ts';
import type { Store } from '../store/store.ts';
import { knownChanges } from './findings.ts';
import type { Confirmed } from './fresh.ts';
import { failureOf, Left, NameTaken, refOf } from './obstacles.ts';
import { type Prune, pruner } from './prune.ts';
import { createVerifiedFuses } from './verified-fuses.ts';
import { createWriter } from './writer.ts';
import { createWrittenSecrets } from './written-secrets.ts';

export interface Applier {
  /**
   * Writes what differs, in order. `confirmed` is called before anything is deleted, and before what existed once is created again: the
   * garbage collector deletes the objects of an owner that is gone, again and again.
   *
   * @throws ApiError 409 if the owner is not as it was seen
   */
  apply(owner: Owner, desiredObjects: readonly DesiredObject[], confirmed: Confirmed): Promise<Applied>;
  readonly prune: Prune;
  /** Forgets everything about the objects of this owner. */
  forget(uid: string): void;
}

export function createApplier(client: KubeClient, store: Store, log: Log, clock: Monotonic): Applier {
  const fuses = createVerifiedFuses(store);
  const writer = createWriter(client, store, fuses, log, clock);
  const secrets = createWrittenSecrets(client, clock);

  async function applyOne(owner: Owner, desired: DesiredObject, confirmed: Confirmed): Promise<PartlyApplied> {
    const { kind, name } = desired;
    const type = ownedType(kind);
    const live = kind === 'Secret' ? await secrets.read(owner, desired) : seen(owner, desired);
    if (live === 'unchanged') return {};
    if (!live || isInTheWay(live, owner)) return createOne(owner, type, desired, live, confirmed);
    if (!isOurs(live, owner, store)) throw new NameTaken(live, owner);
    if (kind === 'Secret') return writer.repair(owner, type, desired, live);
    const immutable = isRecorded(owner, desired, live) ? knownChanges(desired, live) : undefined;
    if (immutable) return { immutable };
    // The cast: what was read from the API server has a UID and a version.
    const whole = (await client.get(type, { namespace: namespaceFor(type, owner), name })) as LiveObject;
    return whole.metadata.uid === live.metadata.uid ? writer.repair(owner, type, desired, whole) : {};
  }

  /** A predecessor has left it, or a tool has restored it from another cluster. */
  const isInTheWay = (live: LiveObject, owner: Owner): boolean =>
    isLeft(live, owner) || (!isOurs(live, owner, store) && isCopy(live, store));

  /** Creates an object that does not exist, or in the place of one that is in the way. */
  async function createOne(
    owner: Owner,
    type: ResourceType,
    desired: DesiredObject,
    left: LiveObject | undefined,
    confirmed: Confirmed,
  ): Promise<PartlyApplied> {
    if (left) await removeLeft(type, left, confirmed);
    if (await writer.create(owner, type, desired)) return { created: [refOf(desired)] };
    // Another owner has the name, or the watch is behind.
    const existing = (await client.get(type, { namespace: namespaceFor(type, owner), name: desired.name })) as LiveObject;
    if (isInTheWay(existing, owner)) {
      await removeLeft(type, existing, confirmed);
      throw new Left(`a ${owner.kind} of this name that is gone has left it behind; it is being deleted${keptBy(existing)}`);
    }
    if (!isOurs(existing, owner, store)) throw new NameTaken(existing, owner);
    return writer.repair(owner, type, desired, existing);
  }

  /** Applies one object. The result also says which finalizers keep an object that is being deleted. */
  async function attempt(owner: Owner, desired: DesiredObject, confirmed: Confirmed): Promise<PartlyApplied> {
    const applied = await applyOne(owner, desired, confirmed).catch(
      (error: unknown): PartlyApplied => ({ failed: [failureOf(desired, error)] }),
    );
    if (applied.failed) secrets.expire(owner, desired.name);
    if (applied.failed || desired.kind.startsWith('PersistentVolume')) return applied;
    return { ...applied, kept: desired.kind === 'Secret' ? secrets.kept(owner, desired.name) : keptOf(seen(owner, desired)) };
  }

  /** A fuse DaemonSet is compared by value until it is verified, and its volume says that it is. */
  function isRecorded(owner: Owner, { kind, hash }: DesiredObject, live: LiveObject): boolean {
    if (kind === 'DaemonSet') return fuses.isVerified(owner, live, hash);
    const record = kind === 'PersistentVolume' ? fuses.recordOf(owner) : undefined;
    return record === undefined || verifiedFuseOn({ metadata: { annotations: record } }).fuse === verifiedFuseOn(live).fuse;
  }

  function seen(owner: Owner, { kind, name }: DesiredObject): LiveObject | undefined {
    return store.live(kind, namespaceFor(ownedType(kind), owner), name);
  }

  /** Whether it existed once, and does not any more. */
  function isLost(owner: Owner, desired: DesiredObject): boolean {
    if (desired.finding.found === undefined && !desired.finding.made) return false;
    return desired.kind !== 'Secret' && !seen(owner, desired);
  }

  /** Deletes the object as the garbage collector would later. The owner itself may be gone, if the API server's clock was behind. */
  async function removeLeft(type: ResourceType, { metadata }: LiveObject, confirmed: Confirmed): Promise<void> {
    await confirmed();
    await client.delete(type, metadata, { uid: metadata.uid, propagation: 'Background' }).catch(ignoreNotFound);
  }

  return {
    async apply(owner, desiredObjects, confirmed) {
      let isConfirmed = false;
      const confirmedOnce = async () => {
        if (!isConfirmed) await confirmed();
        isConfirmed = true;
      };
      /** Why a lost object cannot be created again. The object may have been deleted since the first was written. */
      const unconfirmed = async (desired: DesiredObject): Promise<PartlyApplied | undefined> => {
        try {
          if (isLost(owner, desired)) await confirmedOnce();
          return undefined;
        } catch (error) {
          if (isConflict(error)) throw error;
          return { failed: [failureOf(desired, error)] };
        }
      };
      const lost = desiredObjects.find((desired) => isLost(owner, desired));
      const refused = lost && (await unconfirmed(lost));
      if (refused) return appliedIn([refused]);
      const parts: PartlyApplied[] = [];
      for (const desired of desiredObjects) parts.push((await unconfirmed(desired)) ?? (await attempt(owner, desired, confirmed)));
      return appliedIn(parts);
    },
    prune: pruner(client, store),
    forget(uid) {
      secrets.forget(uid);
      writer.forget(uid);
      fuses.forget(uid);
    },
  };
}

const namespaceFor = ({ namespaced }: ResourceType, { namespace }: Owner): string | undefined => (namespaced ? namespace : undefined);
