import type { OperationKind } from '../../../constructs/index.ts';
import { lineOf } from '../../operations/line.ts';
import type { OperationObject, Place } from '../../operations/world.ts';
import { type Key, keyText, type OperationKey } from '../../world.ts';

/** Who is first in lines of thousands, of which whole lines cannot be computed at each change: thousands may be deleted at once. */
export interface Crowds {
  /** The first of a line, after this operation of it has changed or is gone. */
  firstAfter(changed: OperationKey, dataset: Key): Place | undefined;
  /** The line is short, or gone. */
  forget(dataset: Key, kind: OperationKind): void;
}

interface CrowdsOptions {
  readonly get: (key: OperationKey) => OperationObject | undefined;
  readonly unfinished: (dataset: Key, kind: OperationKind) => readonly OperationObject[];
}

interface Crowd {
  /** As they stood when the line was computed, the first at the end. */
  readonly order: OperationKey[];
  /** Those that have changed since, and still wait or run. */
  readonly moved: Map<string, OperationKey>;
}

/** Of so many the places are compared one by one, before the line is computed again. */
const MOST_MOVED = 64;

export function createCrowds({ get, unfinished }: CrowdsOptions): Crowds {
  const crowds = new Map<string, Crowd>();
  const placesOf = (operations: readonly OperationObject[]) => lineOf(operations, { find: get, hasJob: () => false });
  const isInLine = (key: OperationKey): boolean => placesOf([get(key) ?? []].flat()).length > 0;
  const idOf = (dataset: Key, kind: OperationKind) => keyText({ ...dataset, kind });

  function compute(dataset: Key, kind: OperationKind): Crowd {
    const places = placesOf(unfinished(dataset, kind));
    return { order: places.map(({ key }) => key).toReversed(), moved: new Map() };
  }

  return {
    firstAfter(changed, dataset) {
      const id = idOf(dataset, changed.kind);
      const known = crowds.get(id);
      const crowd = known && known.moved.size < MOST_MOVED ? known : compute(dataset, changed.kind);
      crowds.set(id, crowd);
      const { order, moved } = crowd;
      if (isInLine(changed)) moved.set(keyText(changed), changed);
      else moved.delete(keyText(changed));
      let first = order.at(-1);
      for (; first && (moved.has(keyText(first)) || !isInLine(first)); first = order.at(-1)) order.pop();
      return placesOf([...(first ? [first] : []), ...moved.values()].flatMap((key) => get(key) ?? []))[0];
    },
    forget: (dataset, kind) => void crowds.delete(idOf(dataset, kind)),
  };
}
