import { keyOf, keyText } from '../../reconciler/world.ts';
import type { InputFault } from './documents.ts';
import { faultAt, type Input, type Item, lineOf, refOf } from './read.ts';

/** Faults of Datasets without exactly one runtime of their name, and of runtimes without a Dataset. */
export function pairFaults({ datasets, written, all, faults }: Input): readonly InputFault[] {
  // The missing object may be in a text that could not be parsed.
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
