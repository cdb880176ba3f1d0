import type { Dataset, InvalidSpec } from '../../api/index.ts';
import { pathText } from '../../api/wording.ts';
import type { InputFault, Path } from '../input/documents.ts';
import { mentionOf } from '../input/mentions.ts';
import { faultAt, type Item, type RuntimeItem, refOf } from '../input/read.ts';
import type { Absent } from './fact-sources.ts';
import { type Lookup, noneIn } from './lookup.ts';

/** The faults of a plan, at the lines of the object that each names, or of a field of it; else at the runtime's. */
export function faultsOf(
  { object, faults }: InvalidSpec,
  dataset: Item<Dataset>,
  runtime: RuntimeItem,
  all: readonly Item[],
): readonly InputFault[] {
  return faults.map((fault) => {
    const named = fault.object ?? object;
    const isNamed = (each: Item) => `${named}:`.startsWith(`${refOf(each.object)}:`);
    const item = named === undefined ? runtime : ([dataset, runtime].find(isNamed) ?? all.find(isNamed));
    // A fault of an object that is not in the input is reported at the field that refers to it.
    if (!item) {
      const [kind = '', name = ''] = (named ?? '').split(' ');
      return { ...runtime.source.at(mentionOf([runtime], kind, name)?.path ?? ['spec']), ...fault, object: named ?? refOf(runtime.object) };
    }
    const field = named?.slice(refOf(item.object).length + 2);
    if (!field) return faultAt(item.source, item.object, { ...fault, object: refOf(item.object) });
    return { ...faultAt(item.source, item.object, { ...fault, path: field, object: refOf(item.object) }), path: `${field}: ${fault.path}` };
  });
}

/** The fault of an object that no lookup has found, at the field that refers to it. */
export function absenceFault(
  { kind, namespace, name, note }: Absent,
  near: readonly [Item, ...Item[]],
  all: readonly Item[],
  elsewhere: Lookup,
): InputFault {
  const { item, path } = mentionOf(near, kind, name) ?? mentionOf(all, kind, name) ?? { item: near[0], path: ['spec'] as Path };
  const expected = `${kind} ${namespace ? `${namespace}/` : ''}${name}${note ? `, ${note}` : ''}`;
  return {
    ...item.source.at(path),
    object: refOf(item.object),
    path: pathText(path),
    expected,
    found: noneIn(elsewhere),
    missing: true,
  };
}
