import { isDeepStrictEqual } from 'node:util';
import { controllerOf, Dataset, datasetIdOf, label, ownerUid } from '../../../api/index.ts';
import type { ObjectChange } from '../../../kube/watch/reflector.ts';
import type { KubeObject, ResourceType } from '../../../kube/types.ts';
import type { OperationKind } from '../../../constructs/index.ts';
import { type Key, keyText, type LiveObject, type OperationKey } from '../../world.ts';
import { ownedKinds } from '../../../planning/kinds.ts';
import type { Inventories } from './inventories.ts';
import { phaseOf } from '../../../planning/views.ts';
import { metadataOnly } from './owned-projection.ts';
import type { Referrers } from './referrers.ts';
import type { Subscriptions } from './subscriptions.ts';
import { isCopy } from '../../../planning/owner.ts';
import { claimedBy } from '../../../planning/volumes.ts';
import type { Watched, Watches } from './watches.ts';

interface OwnedOptions {
  readonly inventories: Pick<Inventories, 'ownerOf' | 'isOwner' | 'add' | 'remove'>;
  readonly runtimeKinds: ReadonlySet<string>;
  readonly operationKinds: ReadonlySet<string>;
  readonly subscriptions: Pick<Subscriptions, 'wake'>;
  readonly referrers: Pick<Referrers, 'changed'>;
  readonly onKey: (key: Key | OperationKey, because: string) => void;
}

/** The watches of everything that the controller creates for runtimes and operations, by kind: what has the label `data.fluid.io/owner-uid`. */
export function watchOwned({ watch }: Pick<Watches, 'watch'>, options: OwnedOptions): ReadonlyMap<string, Watched> {
  const { inventories, runtimeKinds, operationKinds, subscriptions, referrers, onKey } = options;

  function onChange({ kind }: ResourceType, change: ObjectChange<KubeObject>, isEcho: boolean): void {
    const object = change.object as LiveObject;
    const uid = familyOf(object);
    // An object whose label changed was in the inventory of the old owner, which misses it from now on.
    const oldUid = change.type === 'changed' ? familyOf(change.old) : uid;
    const old = change.type === 'changed' ? (change.old as LiveObject) : object;
    if (change.type === 'deleted' || oldUid !== uid || isForAnother(old, object)) inventories.remove(oldUid, old);
    if (change.type !== 'deleted') inventories.add(uid, object);
    if (kind === 'PersistentVolume') {
      subscriptions.wake(Dataset.kind, keyText(claimedBy(object)), change);
      referrers.changed(change);
    }
    if (isEcho || isOthersNews(change)) return;
    const keys = [uid, oldUid].flatMap((owner) => inventories.ownerOf(owner, object) ?? predecessorOf(object) ?? leftIn(owner, object));
    for (const key of new Map(keys.map((each) => [keyText(each), each])).values())
      onKey(key, `${kind} ${object.metadata.name} ${change.type}`);
  }

  /**
   * A volume of a runtime that is gone: nothing collects it but a pass over the Dataset whose claim it names. What was restored from another
   * cluster goes with a pass over the Dataset of that name.
   */
  function leftIn(owner: string, object: KubeObject): readonly Key[] {
    if (inventories.isOwner(owner)) return [];
    if (object.kind === 'PersistentVolume') return [claimedBy(object)];
    const { namespace = '' } = object.metadata;
    const id = datasetIdOf(object);
    return isCopy(object, inventories) && id?.startsWith(`${namespace}-`) ? [{ namespace, name: id.slice(namespace.length + 1) }] : [];
  }

  /**
   * The key of a runtime or an operation that does not exist any more and still is the controller of an object, which is in the way of its successor until
   * the garbage collector deletes it.
   */
  function predecessorOf(object: KubeObject): Key | OperationKey | undefined {
    const ref = controllerOf(object);
    if (!ref) return undefined;
    const key = { namespace: object.metadata.namespace ?? '', name: ref.name };
    // The cast: these are the kinds of operations.
    if (operationKinds.has(ref.kind)) return { ...key, kind: ref.kind as OperationKind };
    return runtimeKinds.has(ref.kind) ? key : undefined;
  }

  return new Map(
    Object.values(ownedKinds).map((type) => [
      type.kind,
      watch(type, (change, isEcho) => onChange(type, change, isEcho), { label: label.owner, metadataOnly: metadataOnly(type.kind) }),
    ]),
  );
}

/** A volume is kept by the claim that it names, once its runtime is gone. */
const isForAnother = (old: KubeObject, object: KubeObject): boolean =>
  object.kind === 'PersistentVolume' && old !== object && keyText(claimedBy(old)) !== keyText(claimedBy(object));

const familyOf = (object: KubeObject): string => ownerUid(object) ?? '';

/** Whether nothing changed but what no pass waits for: a claim became Bound, or its controller saw a DaemonSet that has no pods. */
function isOthersNews(change: ObjectChange<KubeObject>): boolean {
  if (change.type !== 'changed') return false;
  const { old, object } = change;
  const mayBe =
    object.kind === 'PersistentVolumeClaim' ? phaseOf(object) === 'Bound' : object.kind === 'DaemonSet' && isIdle(old) && isIdle(object);
  return mayBe && isDeepStrictEqual(withoutStatus(old), withoutStatus(object));
}
const isIdle = ({ status }: KubeObject): boolean =>
  Object.entries((status ?? {}) as object).every(([field, value]) => field === 'observedGeneration' || !value);
const withoutStatus = (object: KubeObject): object => ({
  ...object,
  status: undefined,
  metadata: { ...object.metadata, resourceVersion: undefined },
});
