import { keyOf, keyText } from '../../planning/key.ts';
import type { InputFault } from './documents.ts';
import { faultAt, type InputObjects, type Item, lineOf, refOf } from './read.ts';

/** Faults of Datasets without exactly one runtime of their name, and of runtimes without a Dataset; `none` says where neither was found. */
export const pairFaults = (input: InputObjects, none: string): readonly InputFault[] => [
  ...loneFaults(input, none),
  ...secondFaults(input),
];

/** Faults of Datasets and runtimes without their other half. */
function loneFaults({ datasets, written, all, faults }: InputObjects, none: string): readonly InputFault[] {
  // The missing object may be in a text that could not be parsed.
  if (faults.some(({ unreadable }) => unreadable)) return [];
  const served = new Set(written.map(of));
  const known = new Set(all.filter(({ object }) => object.kind === 'Dataset').map(of));
  return [
    ...datasets.filter((item) => !served.has(of(item))).map((item) => lone(item, `a runtime ${of(item)}`, none)),
    ...written.filter((item) => !known.has(of(item))).map((item) => lone(item, `a Dataset ${of(item)}`, none)),
  ];
}

/** Faults of second runtimes of another kind for a Dataset, which no other object mends. */
export function secondFaults({ written }: Pick<InputObjects, 'written'>): readonly InputFault[] {
  const served = Map.groupBy(written, of);
  return written.flatMap((item) => {
    const first = served.get(of(item))?.[0] ?? item;
    if (first.object.kind === item.object.kind) return [];
    return [fault(item, `one runtime for Dataset ${of(item)}`, `a second one, besides ${refOf(first.object)} (${lineOf(first.source)})`)];
  });
}

const of = ({ object }: Item): string => keyText(keyOf(object));
const fault = ({ object, source }: Item, expected: string, found: string) =>
  faultAt(source, object, { path: 'metadata.name', expected, found });
const lone = (...args: Parameters<typeof fault>): InputFault => ({ ...fault(...args), lone: true });
