import { type CustomResource, Dataset, faultsOf, parse } from '../../api/index.ts';
import type { Runtime } from '../../constructs/index.ts';
import { choose } from '../../planning/choose.ts';
import { keyOf, keyText } from '../../planning/key.ts';
import type { RuntimeObject } from '../../planning/objects.ts';
import type { InputFault, SourceObject } from '../input/documents.ts';
import { type InputObjects, type Item, type Named, refOf, type RuntimeItem } from '../input/read.ts';
import type { Lookup } from './lookup.ts';

/**
 * The input with what the facts or the cluster have of its pairs: the Dataset of a runtime that is given alone, and the runtime of a
 * Dataset. Its faults are at the place of what is given.
 */
export async function withOtherHalves(input: InputObjects, elsewhere: Lookup, runtimes: readonly Runtime[]): Promise<InputObjects> {
  // The other half may be in a text that could not be parsed.
  if (input.faults.some(({ unreadable }) => unreadable)) return input;
  const textOf = ({ object }: Item) => keyText(keyOf(object));
  const given = new Set(input.all.filter(({ object }) => object.kind === Dataset.kind).map(textOf));
  const served = new Set(input.written.map(textOf));
  const extended = { datasets: [...input.datasets], runtimes: [...input.runtimes], written: [...input.written], all: [...input.all] };
  const faults: InputFault[] = [...input.faults];
  for (const item of input.written) {
    const { namespace, name } = item.object.metadata;
    const object = given.has(textOf(item)) ? undefined : await elsewhere.find(Dataset.kind, namespace, name);
    if (!object) continue;
    given.add(textOf(item));
    extended.all.push({ object, source: item.source });
    const wrong = storedFaults(Dataset, object, item.source);
    faults.push(...wrong);
    if (wrong.length === 0) extended.datasets.push(stored<Dataset>(Dataset, object, item.source));
  }
  for (const item of input.datasets) {
    const found = served.has(textOf(item)) ? undefined : await runtimeElsewhere(item.object, elsewhere, runtimes);
    if (!found) continue;
    const { resource } = found.definition;
    extended.written.push({ object: found.object, source: item.source });
    const wrong = storedFaults(resource, found.object, item.source);
    faults.push(...wrong);
    if (wrong.length === 0)
      extended.runtimes.push({
        ...stored<RuntimeObject>(resource, found.object, item.source),
        definition: found.definition,
      } as RuntimeItem);
  }
  return { ...input, ...extended, faults };
}

/** The runtime that the controller would choose for a Dataset: the status of that in the cluster says which one serves it. */
export async function runtimeElsewhere({ metadata: { namespace, name } }: Named, elsewhere: Lookup, runtimes: readonly Runtime[]) {
  const candidates = await Promise.all(
    runtimes.map(async (definition) => ({ definition, object: await elsewhere.find(definition.resource.kind, namespace, name) })),
  );
  // The cast: what is chosen is parsed where it is used.
  const known = candidates.flatMap(({ definition, object }) =>
    object ? [{ definition, object: object as unknown as RuntimeObject }] : [],
  );
  // The cast: as it is stored. Of one there is nothing to choose.
  const dataset = known.length > 1 ? ((await elsewhere.find(Dataset.kind, namespace, name)) as unknown as Dataset | undefined) : undefined;
  return choose(dataset, known).chosen;
}

/** Facts may be anything. */
export const storedFaults = (resource: CustomResource, object: Named, source: SourceObject): readonly InputFault[] =>
  faultsOf(resource, object).map((fault) => ({ ...source.at([]), object: refOf(object), ...fault }));

/** An object without faults, as one of the input. */
export const stored = <T extends Named>(resource: CustomResource, object: object, source: SourceObject): Item<T> => ({
  object: { ...object, ...parse(resource, object) } as unknown as T,
  source,
});
