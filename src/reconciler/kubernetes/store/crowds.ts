import type { OperationKind } from '../../../constructs/index.ts';
import { byTurn, placeOf } from '../../operations/line.ts';
import { datasetsOf } from '../../operations/references.ts';
import type { OperationObject, LinePosition } from '../../operations/world.ts';
import { type Key, keyText, type OperationKey } from '../../world.ts';

/** The first operation of each line. Each change moves one operation: whole lines of thousands cannot be computed each time. */
export interface Crowds {
  /** An operation came, changed or went, or one that its spec names did. */
  changed(key: OperationKey): void;
  first(dataset: Key, kind: OperationKind): LinePosition | undefined;
}

interface Standing {
  readonly place: LinePosition;
  /** The lines that it stands in: those of the Datasets that its spec names. */
  readonly lines: readonly string[];
}

export function createCrowds(get: (key: OperationKey) => OperationObject | undefined): Crowds {
  const standings = new Map<string, Standing>();
  /** Sorted. */
  const lines = new Map<string, LinePosition[]>();
  const idOf = (dataset: Key, kind: OperationKind) => keyText({ ...dataset, kind });

  function standingOf(key: OperationKey): Standing | undefined {
    const operation = get(key);
    const place = operation && placeOf(operation, { find: get, hasJob: () => false });
    return place && { place, lines: datasetsOf(operation).map((dataset) => idOf(dataset, key.kind)) };
  }
  function leave(id: string, place: LinePosition): void {
    const line = lines.get(id) ?? [];
    line.splice(indexIn(line, place), 1);
    if (line.length === 0) lines.delete(id);
  }
  function enter(id: string, place: LinePosition): void {
    const line = lines.get(id) ?? [];
    line.splice(indexIn(line, place), 0, place);
    lines.set(id, line);
  }
  /** Whether it stood elsewhere. */
  function move(key: OperationKey): boolean {
    const id = keyText(key);
    const old = standings.get(id);
    const now = standingOf(key);
    if (isSame(old, now)) return false;
    for (const line of old?.lines ?? []) leave(line, old!.place);
    for (const line of now?.lines ?? []) enter(line, now!.place);
    if (now) standings.set(id, now);
    else standings.delete(id);
    return true;
  }

  return {
    changed: (key) => void move(key),
    first(dataset, kind) {
      const id = idOf(dataset, kind);
      const first = () => lines.get(id)?.[0];
      let place = first();
      // A write of the controller itself is known before the watch reports it.
      while (place && move(place.key)) place = first();
      return place;
    },
  };
}

/** Where a place is in a sorted line, or belongs. */
function indexIn(line: readonly LinePosition[], place: LinePosition): number {
  let [from, to] = [0, line.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (byTurn(line[middle] as LinePosition, place) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

function isSame(a: Standing | undefined, b: Standing | undefined): boolean {
  if (!a || !b) return a === b;
  return byTurn(a.place, b.place) === 0 && a.place.hasNoPods === b.place.hasNoPods && a.lines.join() === b.lines.join();
}
