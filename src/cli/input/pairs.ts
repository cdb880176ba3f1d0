import { keyText } from '../../reconciler/world.ts';
import type { InputFault } from './documents.ts';
import { faultAt, type Input, type Item, keyOf, lineOf, refOf } from './read.ts';

/** A dataset is served by exactly one runtime, the one of its name. */
export function pairFaults({ datasets, written, all, faults }: Input): readonly InputFault[] {
  // What is missing may be what could not be read.
  const isWhole = !faults.some(({ unreadable }) => unreadable);
  const served = Map.groupBy(written, of);
  const known = new Set(all.filter(({ object }) => object.kind === 'Dataset').map(of));
  return [
    ...datasets.filter((item) => isWhole && !served.has(of(item))).map((item) => fault(item, `a runtime ${of(item)} in the input`, 'none')),
    ...written.flatMap((item) => {
      const first = served.get(of(item))?.[0] ?? item;
      if (first.object.kind !== item.object.kind)
        return [
          fault(item, `one runtime for Dataset ${of(item)}`, `a second one, besides ${refOf(first.object)} (${lineOf(first.source)})`),
        ];
      return known.has(of(item)) || !isWhole ? [] : [fault(item, `a Dataset ${of(item)} in the input`, 'none')];
    }),
  ];
}

const of = ({ object }: Item): string => keyText(keyOf(object));
const fault = ({ object, source }: Item, expected: string, found: string) =>
  faultAt(source, object, { path: 'metadata.name', expected, found });
