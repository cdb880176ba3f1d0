import { Dataset } from '../../api/index.ts';
import type { Runtime } from '../../constructs/index.ts';
import type { OperationObject } from '../../reconciler/operations.ts';
import { type Key, keyOf, keyText } from '../../planning/key.ts';
import type { RuntimeObject } from '../../planning/objects.ts';
import type { InputFault, Path } from '../input/documents.ts';
import { mentionOf } from '../input/mentions.ts';
import { faultAt, type InputObjects, type Item, type RuntimeItem } from '../input/read.ts';
import { type Lookup, noneIn } from './lookup.ts';
import { runtimeElsewhere, stored, storedFaults } from './other-halves.ts';

interface ServingOptions {
  readonly input: InputObjects;
  readonly elsewhere: Lookup;
  readonly runtimes: readonly Runtime[];
}

/**
 * Finds the Dataset of an operation with its runtime: in the input, else elsewhere.
 *
 * @param rendered the Datasets of the input without faults
 * @param render renders one of elsewhere, once for all operations on it
 */
export function servingIn<T extends { readonly key: Key }>(
  { input, elsewhere, runtimes }: ServingOptions,
  rendered: readonly T[],
  render: (dataset: Item<Dataset>, runtime: RuntimeItem) => Promise<T | readonly InputFault[]>,
) {
  const kinds = new Set<string>([Dataset.kind, ...runtimes.map(({ resource }) => resource.kind)]);
  const written = new Set(input.all.filter(({ object }) => kinds.has(object.kind)).map(({ object }) => keyText(keyOf(object))));
  // The Dataset may be in a text that could not be parsed.
  const isWhole = !input.faults.some(({ unreadable }) => unreadable);
  const known = new Map<string, Promise<T | readonly InputFault[]>>(rendered.map((each) => [keyText(each.key), Promise.resolve(each)]));
  return async (dataset: Key, operation: Item<OperationObject>): Promise<T | readonly InputFault[]> => {
    const text = keyText(dataset);
    const before = known.get(text);
    if (before) return before;
    // The Dataset's own fault is already reported.
    if (written.has(text) || !isWhole) return [];
    const found = await servedElsewhere(dataset, operation, elsewhere, runtimes);
    if ('dataset' in found) {
      const result = render(found.dataset, found.runtime);
      known.set(text, result);
      return result;
    }
    // A missing Dataset is a fault of each operation; the faults of a Dataset are its own.
    if (!found.some(({ missing }) => missing)) known.set(text, Promise.resolve([]));
    return found;
  };
}

/** A Dataset that an operation names and the input does not have, and its runtime, from the facts or the cluster; or why there is none. */
async function servedElsewhere(
  dataset: Key,
  operation: Item<OperationObject>,
  elsewhere: Lookup,
  runtimes: readonly Runtime[],
): Promise<{ readonly dataset: Item<Dataset>; readonly runtime: RuntimeItem } | readonly InputFault[]> {
  const { namespace, name } = dataset;
  const path: Path = mentionOf([operation], Dataset.kind, name)?.path ?? ['spec'];
  const place = operation.source.at(path);
  const missing = (kind: string): InputFault => ({
    ...faultAt(operation.source, operation.object, {
      path: path.join('.'),
      expected: `${kind} ${keyText(dataset)}`,
      found: noneIn(elsewhere),
    }),
    missing: true,
  });
  const found = await elsewhere.find(Dataset.kind, namespace, name);
  if (!found) return [missing('a Dataset')];
  const chosen = await runtimeElsewhere(found, elsewhere, runtimes);
  if (!chosen) return [missing('a runtime')];
  const source = { value: undefined, at: () => place };
  const { resource } = chosen.definition;
  const faults = [...storedFaults(Dataset, found, source), ...storedFaults(resource, chosen.object, source)];
  if (faults.length > 0) return faults;
  return {
    dataset: stored<Dataset>(Dataset, found, source),
    runtime: { ...stored<RuntimeObject>(resource, chosen.object, source), definition: chosen.definition },
  };
}
