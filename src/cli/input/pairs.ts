import { keyText } from '../../reconciler/world.ts';
import type { InputFault } from './documents.ts';
import { faultAt, type Input, type Item, keyOf, lineOf, refOf } from './read.ts';

/** A dataset is served by exactly one runtime, the one of its name. */
export function pairFaults({ datasets, written, all }: Input): readonly InputFault[] {
  const served = new Set(written.map(of));
  const known = new Set(all.filter(({ object }) => object.kind === 'Dataset').map(of));
  return [
    ...datasets.filter((item) => !served.has(of(item))).map((item) => fault(item, `a runtime ${of(item)} in the input`, 'none')),
    ...written.flatMap((item, i) => {
      const first = written.slice(0, i).find((other) => of(other) === of(item) && other.object.kind !== item.object.kind);
      if (first)
        return [
          fault(item, `one runtime for Dataset ${of(item)}`, `a second one, besides ${refOf(first.object)} (${lineOf(first.source)})`),
        ];
      return known.has(of(item)) ? [] : [fault(item, `a Dataset ${of(item)} in the input`, 'none')];
    }),
  ];
}

const of = ({ object }: Item): string => keyText(keyOf(object));
const fault = ({ object, source }: Item, expected: string, found: string) =>
  faultAt(source, object, { path: 'metadata.name', expected, found });
