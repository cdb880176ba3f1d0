import { type Dataset, InvalidSpec, type Manifest } from '../../api/index.ts';
import type { BoundRuntime, Operation, OperationKind } from '../../constructs/index.ts';
import {
  datasetsOf,
  followedBy,
  operationFaults,
  operationKeyOf,
  type OperationObject,
  type Predecessor,
  predecessorOf,
  workerOf,
} from '../../reconciler/operations.ts';
import { isPassing } from '../../planning/reasons.ts';
import { type Key, keyText, type OperationKey } from '../../planning/key.ts';
import type { RuntimeObject } from '../../planning/objects.ts';
import type { InputFault } from '../input/documents.ts';
import { faultAt, type Item, refOf } from '../input/read.ts';
import type { Lookup } from './lookup.ts';
import { operationFacts } from './operation-facts.ts';
import { identified } from './runtime-input.ts';

export interface RenderedOperation {
  readonly key: OperationKey;
  /** The UID is the cluster's, or `<uid:Kind/name>`; the status is the cluster's. */
  readonly object: OperationObject;
  readonly manifests: readonly Manifest[];
  /** Fields without effect, and reasons why it would not run. */
  readonly warnings: readonly string[];
}
/** A Dataset with the runtime that serves it. */
export interface ServedDataset {
  readonly dataset: Dataset;
  readonly object: RuntimeObject;
  readonly bound: BoundRuntime;
}

interface OperationOptions {
  /** The operations of the input. */
  readonly written: readonly Item<OperationObject>[];
  /** Where to look for objects outside of the input. */
  readonly elsewhere: Lookup;
  /** The input, then elsewhere. */
  readonly lookup: Lookup;
  /** A Dataset with its runtime, or why there is none; no fault if that is reported elsewhere. */
  readonly serving: (dataset: Key, operation: Item<OperationObject>) => Promise<ServedDataset | readonly InputFault[]>;
  readonly onManifests: (manifests: readonly Manifest[]) => void;
}

/** The objects that the controller would create for an operation once its Dataset is bound, or what is wrong with it. */
export async function renderOperation(
  item: Item<OperationObject>,
  { written, elsewhere, lookup, serving, onManifests }: OperationOptions,
): Promise<RenderedOperation | readonly InputFault[]> {
  const operation = await asLive(item.object, elsewhere);
  const key = operationKeyOf(operation);
  const datasets = datasetsOf(operation);
  const fault = (path: string, expected: string, found: string) => faultAt(item.source, item.object, { path, expected, found });
  // The cast: an operation is about one Dataset at least.
  const own = operationFaults({ operation, key, target: datasets[0] as Key });
  if (own.length > 0) return own.map(({ path, expected, found }) => fault(path, expected, found));
  const served = new Map<string, ServedDataset>();
  const faults: InputFault[] = [];
  for (const dataset of datasets) {
    const found = await serving(dataset, item);
    if (isServed(found)) served.set(keyText(dataset), found);
    else faults.push(...found);
  }
  const target = served.get(keyText(workerOf(operation, datasets, (each) => runtimeOf(served.get(keyText(each))))));
  if (served.size < datasets.length || !target) return faults;
  const { bound, object } = target;
  const render = bound.operations[key.kind] as ((operation: Operation) => readonly Manifest[]) | undefined;
  if (!render)
    return [
      fault('kind', `an operation that ${refOf(object)} supports (${Object.keys(bound.operations).toSorted().join(', ')})`, key.kind),
    ];
  const chain = await chainOf(operation, written, elsewhere);
  const predecessor = predecessorOf(chain.get(keyText(key)) ?? operation, (each) => chain.get(keyText(each)));
  const specs = Object.fromEntries([...served.values()].map(({ dataset }) => [dataset.metadata.name, dataset.spec]));
  try {
    const facts = await operationFacts({ operation, predecessor, bound, datasets: specs, lookup });
    // The cast: each kind of operation is rendered from a spec that was parsed as that kind.
    const told = { ...key, uid: operation.metadata.uid ?? '', spec: operation.spec, facts } as unknown as Operation;
    const warnings = bound.operationWarnings(told).map(({ message }) => message);
    const isKnown = followedBy(operation).every((each) => chain.has(keyText(each)));
    onManifests(render(told));
    return {
      key,
      object: operation,
      get manifests() {
        return render(told);
      },
      warnings: [...warnings, ...(isKnown ? obstacles(predecessor) : [])],
    };
  } catch (error) {
    if (!(error instanceof InvalidSpec)) throw error;
    return error.faults.map(({ path, expected, found, object = error.object }) =>
      // A fault of another object that the operation uses, such as a class, is reported where the operation names its Dataset.
      object === undefined || object === refOf(item.object)
        ? fault(path, expected, found)
        : { ...fault('spec.dataset', expected, found), path: `${object}: ${path}`, ofAnother: true },
    );
  }
}

const runtimeOf = (found: ServedDataset | undefined) =>
  // The cast: what an engine renders operations by are kinds.
  found && { type: found.bound.plan.type, operations: Object.keys(found.bound.operations) as OperationKind[] };
const isServed = (found: ServedDataset | readonly InputFault[]): found is ServedDataset => !Array.isArray(found);

/** Why what it runs after keeps it from ever running. */
function obstacles(predecessor: Predecessor): readonly string[] {
  if (predecessor.is === 'failed') return [predecessor.refusal.message];
  return predecessor.is === 'awaited' && !isPassing(predecessor.hold) ? [predecessor.hold.message] : [];
}

/** With the UID and the status that the cluster has of it. */
async function asLive(operation: OperationObject, elsewhere: Lookup): Promise<OperationObject> {
  const { kind, metadata } = operation;
  const live = (await elsewhere.find(kind, metadata.namespace, metadata.name)) as OperationObject | undefined;
  return { ...identified(operation, live), ...(live?.status && { status: live.status }) };
}

/** More than a user can mean. */
const LONGEST_CHAIN = 100;

/** The operation, those that it waits for, and those that they wait for. */
async function chainOf(
  operation: OperationObject,
  written: readonly Item<OperationObject>[],
  elsewhere: Lookup,
): Promise<ReadonlyMap<string, OperationObject>> {
  const chain = new Map<string, OperationObject>();
  for (const queue = [operationKeyOf(operation)]; queue.length > 0 && chain.size < LONGEST_CHAIN; ) {
    const key = queue.shift() as OperationKey;
    const text = keyText(key);
    if (chain.has(text)) continue;
    const own = written.find(({ object }) => keyText(operationKeyOf(object)) === text)?.object;
    const found = own
      ? await asLive(own, elsewhere)
      : ((await elsewhere.find(key.kind, key.namespace, key.name)) as OperationObject | undefined);
    if (!found) continue;
    // Unlike a UID that is not known yet, a key is no other operation's.
    chain.set(text, { ...found, metadata: { ...found.metadata, uid: text } });
    queue.push(...followedBy(found));
  }
  return chain;
}
