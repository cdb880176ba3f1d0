import { type CustomResource, Dataset } from '../../../api/index.ts';
import type { OperationKind } from '../../../constructs/index.ts';
import type { KubeObject } from '../../../kube/types.ts';
import type { ObjectChange } from '../../../kube/watch/reflector.ts';
import { isSamePlace, lineOf } from '../../operations/line.ts';
import { datasetsOf, operationKeyOf } from '../../operations/references.ts';
import { isOver } from '../../operations/state.ts';
import type { OperationObject } from '../../operations/world.ts';
import { type Key, keyOf, keyOfText, keyText, type OperationKey } from '../../world.ts';
import { typeOf } from '../../../planning/kinds.ts';
import { createCrowds } from './crowds.ts';
import { createFollowers, type Followers } from './followers.ts';
import type { Inventories } from './inventories.ts';
import { phaseOf } from '../../../planning/views.ts';
import { isNoNews } from './resources.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { Watched, Watches } from './watches.ts';

/** The watches of operations, one for each kind, and which of them run on which Dataset. */
export interface OperationStore {
  get(key: OperationKey): OperationObject | undefined;
  values(): Iterable<OperationObject>;
  /** The operations on a Dataset that are not over, as the watches show them; of one kind, or of all. */
  unfinished(dataset: Key, kind?: OperationKind): readonly OperationObject[];
  /** Whether so many operations on a Dataset are not over that nothing may look at each of them in each pass. */
  isCrowded(dataset: Key): boolean;
  /** All operations on a Dataset, as the watches show them. */
  on(dataset: Key): readonly OperationObject[];
  /** From now on, changes of these objects wake the operation, and of no others; of a Dataset, those of its runtime too. */
  wakeWith(key: OperationKey, objects: readonly (Key | OperationKey)[]): void;
  isAwaited: Followers['isAwaited'];
}

interface OperationsOptions {
  readonly kinds: readonly CustomResource[];
  readonly inventories: Pick<Inventories, 'seen' | 'gone'>;
  readonly subscriptions: Pick<Subscriptions, 'add' | 'remove' | 'wake'>;
  readonly onKey: (key: Key | OperationKey, because: string) => void;
  readonly onGone: (key: OperationKey, uid: string) => void;
}

export function watchOperations({ watch }: Pick<Watches, 'watch'>, options: OperationsOptions): OperationStore {
  const { kinds, inventories, subscriptions, onKey, onGone } = options;
  const all = createIndex();
  // A Dataset may have thousands that are over.
  const notOver = createIndex();
  const watched = new Map<string, Watched>();
  const followers = createFollowers((key) => get(key));
  const crowds = createCrowds((key) => get(key));

  for (const resource of kinds)
    watched.set(
      resource.kind,
      watch(
        typeOf(resource),
        (change, isEcho) => {
          const { object } = change;
          const { uid = '' } = object.metadata;
          const key = operationKeyOf(object);
          const isThere = change.type !== 'deleted';
          if (change.type === 'changed') for (const index of [all, notOver]) index.set(change.old, false);
          all.set(object, isThere);
          notOver.set(object, isThere && !isOver(asOperation(object)));
          if (change.type === 'deleted') {
            inventories.gone(uid);
            subscriptions.remove(key);
            onGone(key, uid);
          } else inventories.seen(uid, key);
          // A Dataset reports which operations run on it.
          for (const dataset of reporters(change)) onKey(dataset, `${object.kind} ${object.metadata.name} ${change.type}`);
          const isNew = change.type !== 'changed' || !isNoNews(change.old, object);
          if (isNew && !isEcho) onKey(key, `${object.kind} ${change.type}`);
          if (isNew) subscriptions.wake(object.kind, keyText(keyOf(object)), change);
          for (const each of placed(change)) crowds.changed(each);
          for (const dataset of movedLines(change)) wakeNext(key, dataset);
          for (const earlier of released(change)) onKey(earlier, `${object.kind} ${object.metadata.name} waits for it no more`);
        },
        { optional: true, isSame: (old, now) => isSamePlace(asOperation(old), asOperation(now)) },
      ),
    );

  /** Those that wait for their turn know of no others: the first of the line is told when the line may have moved. */
  function wakeNext({ kind, name }: OperationKey, dataset: Key): void {
    const places =
      notOver.size(dataset) > CROWD
        ? [crowds.first(dataset, kind) ?? []].flat()
        : lineOf(unfinished(dataset, kind), { find: get, hasJob: () => false });
    // In a crowd, while one runs, it is nobody's turn.
    const next = places.find((place) => !place.isRunning);
    if (next && next.key.name !== name) onKey(next.key, `the line of ${kind} for Dataset ${dataset.name} moved`);
  }
  /** Operations that may expire from now on. */
  function released(change: ObjectChange<KubeObject>): readonly OperationKey[] {
    const old = change.type === 'changed' ? change.old : change.type === 'deleted' ? change.object : undefined;
    const now = change.type === 'deleted' ? undefined : change.object;
    const keys = followers.changed(old && asOperation(old), now && asOperation(now));
    return keys.filter((key) => get(key)?.spec.ttlSecondsAfterFinished !== undefined);
  }
  /** Operations whose place may be another one from now on. */
  function placed(change: ObjectChange<KubeObject>): readonly OperationKey[] {
    const key = operationKeyOf(change.object);
    const isMoved = change.type !== 'changed' || !isSamePlace(asOperation(change.old), asOperation(change.object));
    return [key, ...(isMoved ? followers.of(key) : [])];
  }
  const found = (keys: readonly OperationKey[], kind?: OperationKind) =>
    keys.flatMap((key) => ((kind === undefined || key.kind === kind) && get(key)) || []);
  const unfinished: OperationStore['unfinished'] = (dataset, kind) => found(notOver.get(dataset), kind);

  // The casts: what is kept of an operation has been parsed.
  const get = ({ kind, namespace, name }: OperationKey) =>
    watched.get(kind)?.newest(namespace, name) as unknown as OperationObject | undefined;
  return {
    get,
    *values() {
      for (const each of watched.values()) yield* each.values() as unknown as Iterable<OperationObject>;
    },
    unfinished,
    isCrowded: (dataset) => notOver.size(dataset) > CROWD,
    on: (dataset) => found(all.get(dataset)),
    wakeWith(key, objects) {
      subscriptions.remove(key);
      for (const { kind = Dataset.kind, namespace, name } of objects as readonly (Key & { readonly kind?: string })[])
        subscriptions.add(kind, keyText({ namespace, name }), key);
    },
    isAwaited: followers.isAwaited,
  };
}

/** More of them than anybody reads the places of. */
const CROWD = 100;

/** Keys of operations by Dataset. */
function createIndex() {
  const byDataset = new Map<string, Set<string>>();
  return {
    size: (dataset: Key): number => byDataset.get(keyText(dataset))?.size ?? 0,
    get: (dataset: Key): readonly OperationKey[] =>
      // The cast: the keys are of operations.
      [...(byDataset.get(keyText(dataset)) ?? [])].map((text) => keyOfText(text) as OperationKey),
    set(object: KubeObject, isThere: boolean): void {
      for (const dataset of datasetsOf(object).map(keyText)) {
        const keys = byDataset.get(dataset) ?? new Set();
        if (isThere) keys.add(keyText(operationKeyOf(object)));
        else keys.delete(keyText(operationKeyOf(object)));
        if (keys.size > 0) byDataset.set(dataset, keys);
        else byDataset.delete(dataset);
      }
    },
  };
}

/** The cast: what is kept of an operation has been parsed. */
const asOperation = (object: KubeObject): OperationObject => object as unknown as OperationObject;
/** The Datasets whose line of this kind may have moved. */
function movedLines({ type, object, ...change }: ObjectChange<KubeObject>): readonly Key[] {
  if (type === 'deleted') return isOver(asOperation(object)) ? [] : datasetsOf(object);
  const { old } = change as { old?: KubeObject };
  if (!old || isOver(asOperation(old)) || isSamePlace(asOperation(old), asOperation(object))) return [];
  return distinct([...datasetsOf(old), ...datasetsOf(object)]);
}
const distinct = (keys: readonly Key[]): readonly Key[] => [...new Map(keys.map((key) => [keyText(key), key])).values()];
const isExecuting = (operation: KubeObject): boolean => phaseOf(operation) === 'Executing';

/** The Datasets whose list of running operations a change may change. */
function reporters(change: ObjectChange<KubeObject>): readonly Key[] {
  const { object } = change;
  const isRunning = isExecuting(object);
  if (change.type !== 'changed') return isRunning ? datasetsOf(object) : [];
  const wasRunning = isExecuting(change.old);
  const before = wasRunning ? datasetsOf(change.old) : [];
  const now = isRunning ? datasetsOf(object) : [];
  const isIn = (keys: readonly Key[]) => (key: Key) => keys.some(({ name }) => name === key.name);
  return [...before.filter((key) => !isIn(now)(key)), ...now.filter((key) => !isIn(before)(key))];
}
