import type { Runtime } from '../../../constructs/index.ts';
import type { ObjectChange } from '../../../kube/watch/collection.ts';
import type { DatasetRow, OperationRow } from '../../wire.ts';
import { rowWith, type ServingCandidate, servingOf } from '../rows/dataset-row.ts';
import type { KeptDataset, KeptOperation, KeptRuntime } from '../rows/kept.ts';
import { createChangeLog } from './changes.ts';
import { createSamples, type Samples } from './samples.ts';

/** Whether a viewer may list a kind, by its plural, in a namespace. */
export type Sees = (plural: string, namespace: string) => boolean;

/** The rows of all Datasets and operations as the watches last showed them, one for all viewers. */
export interface LiveFleet {
  /** Keys of Datasets and of operations. */
  readonly datasets: ReadonlyMap<string, KeptDataset>;
  readonly operations: ReadonlyMap<string, KeptOperation>;
  readonly samples: Samples;
  /** The number of the latest change. */
  readonly head: number;
  /** Rows that have changed since: a set of `d/<key of a Dataset>` and `o/<key of an operation>`. Undefined: too long ago. */
  since(version: number): ReadonlySet<string> | undefined;
  /** Called after each change. Returns a function that ends that. */
  follow(listener: () => void): () => void;
  datasetRow(kept: KeptDataset, sees: Sees): DatasetRow;
  operationRow(kept: KeptOperation, now: number): OperationRow;
  /** Runtimes of the Dataset's name. */
  candidates(kept: KeptDataset, sees: Sees): readonly ServingCandidate[];
  /** The one of them that serves the Dataset. */
  serving(kept: KeptDataset, sees: Sees): ServingCandidate | undefined;
  /** Notes that something of a Dataset changed that its row does not show: who looks at it reads it again. */
  touch(key: string): void;
  /** For the watches. */
  onDataset(change: ObjectChange<KeptDataset>): void;
  onRuntime(definition: Runtime, change: ObjectChange<KeptRuntime>): void;
  onOperation(change: ObjectChange<KeptOperation>): void;
}

interface Named {
  readonly metadata: { readonly namespace?: string; readonly name: string };
}
// Not templates: V8 would keep the parts, and there are as many keys as objects.
const keyOf = ({ metadata: { namespace = '', name } }: Named): string => [namespace, name].join('/');
const operationKey = (kept: KeptOperation): string => [kept.kind, kept.row.namespace, kept.row.name].join('/');
/** How keys of Datasets and operations are told apart among changes. */
export const DATASET = 'd/';
const OPERATION = 'o/';

/** @param now milliseconds since 1970 */
export function createFleet(now: () => number): LiveFleet {
  const datasets = new Map<string, KeptDataset>();
  const operations = new Map<string, KeptOperation>();
  const runtimes = new Map<string, readonly ServingCandidate[]>();
  const log = createChangeLog();
  const samples = createSamples();
  const listeners = new Set<() => void>();

  function changed(key: string): void {
    log.add(key);
    for (const listener of listeners) listener();
  }
  const visible = (kept: KeptDataset, sees: Sees): readonly ServingCandidate[] =>
    (runtimes.get(keyOf(kept)) ?? NONE).filter(({ definition }) => sees(definition.resource.plural, kept.row.namespace));

  return {
    datasets,
    operations,
    samples,
    get head() {
      return log.head;
    },
    since: (version) => log.since(version),
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    datasetRow: (kept, sees) => rowWith(kept, visible(kept, sees)),
    operationRow: ({ row, runsSince }, at) =>
      runsSince === undefined ? row : { ...row, seconds: Math.max(0, Math.round((at - runsSince) / 1000)) },
    candidates: visible,
    serving: (kept, sees) => servingOf(kept.types, visible(kept, sees)),

    touch: (key) => {
      if (datasets.has(key)) changed(DATASET + key);
    },
    onDataset(change) {
      const key = keyOf(change.object);
      if (change.type === 'deleted') {
        datasets.delete(key);
        samples.forget(key);
      } else {
        datasets.set(key, change.object);
        samples.add(key, now(), change.object.row);
      }
      changed(DATASET + key);
    },
    onRuntime(definition, change) {
      const key = keyOf(change.object);
      const others = (runtimes.get(key) ?? NONE).filter((each) => each.definition !== definition);
      const all = change.type === 'deleted' ? others : [...others, { definition, kept: change.object }];
      if (all.length > 0) runtimes.set(key, all);
      else runtimes.delete(key);
      if (datasets.has(key)) changed(DATASET + key);
    },
    onOperation(change) {
      const key = operationKey(change.object);
      if (change.type === 'deleted') operations.delete(key);
      else operations.set(key, change.object);
      changed(OPERATION + key);
    },
  };
}
const NONE: readonly ServingCandidate[] = [];
