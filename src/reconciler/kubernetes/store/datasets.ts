import { Dataset, joinedName, rivalNames } from '../../../api/index.ts';
import { type Key, keyOf, keyText } from '../../world.ts';
import { typeOf } from '../../../planning/kinds.ts';
import { phaseOf } from '../../../planning/views.ts';
import { isNoNews } from './resources.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { Watches } from './watches.ts';

/** The watch of Datasets, and those that compete for a name. */
export interface Datasets {
  get(key: Key): Dataset | undefined;
  values(): Iterable<Dataset>;
  /** Other Datasets that would go by the same names or node labels. */
  namesakes(key: Key): readonly Dataset[];
}

interface DatasetsOptions {
  /** Engines of all runtimes: they are part of the labels of nodes. */
  readonly engines: readonly string[];
  readonly subscriptions: Pick<Subscriptions, 'wake'>;
  readonly onKey: (key: Key, because: string) => void;
}

export function watchDatasets({ watch }: Pick<Watches, 'watch'>, { engines, subscriptions, onKey }: DatasetsOptions): Datasets {
  const byJoinedName = new Map<string, readonly Key[]>();

  function index(key: Key, isThere: boolean): void {
    const joined = joinedName(key);
    const others = byJoinedName.get(joined)?.filter((other) => keyText(other) !== keyText(key)) ?? [];
    const all = isThere ? [...others, key] : others;
    if (all.length > 0) byJoinedName.set(joined, all);
    else byJoinedName.delete(joined);
  }

  const datasets = watch(typeOf(Dataset), (change, isEcho) => {
    const { object } = change;
    const key = keyOf(object);
    if (change.type !== 'changed') index(key, change.type === 'added');
    const isNew = isEcho || change.type !== 'changed' || !isNoNews(change.old, object);
    if (isNew) subscriptions.wake(Dataset.kind, keyText(key), change);
    // A phase that the controller wrote itself wakes the key all the same: more is done for a Dataset that is Bound.
    const isReckonedWith = isEcho && change.type === 'changed' && phaseOf(change.old) === phaseOf(object);
    if (isNew && !isReckonedWith) onKey(key, `Dataset ${change.type}`);
  });

  // The casts: what is kept of a Dataset has been parsed.
  const get = ({ namespace, name }: Key) => datasets.newest(namespace, name) as unknown as Dataset | undefined;
  return {
    get,
    values: () => datasets.values() as unknown as Iterable<Dataset>,
    namesakes: (key) =>
      rivalNames(key, engines)
        .flatMap((name) => byJoinedName.get(name) ?? [])
        .flatMap((other) => (keyText(other) === keyText(key) ? [] : (get(other) ?? []))),
  };
}
