import { operationKinds } from '../../../api/index.ts';
import type { OperationKind } from '../../../constructs/index.ts';
import type { OperationCluster } from '../../operations/cluster.ts';
import { lineOf } from '../../operations/line.ts';
import type { OperationObject, Place } from '../../operations/world.ts';
import { type Key, keyText, type OperationKey } from '../../world.ts';
import type { Store } from '../store/store.ts';

/** The lines of all Datasets. Each is computed once for all operations in it, until something changes that a line depends on. */
export interface Lines {
  /** Of the operations of a kind on any of these Datasets. */
  of(datasets: readonly Key[], kind: OperationKind): readonly Place[];
  readonly starting: OperationCluster['starting'];
}

/** @param hasJob whether the watch shows a Job of it */
export function createLines(
  { operations, editionOf }: Pick<Store, 'operations' | 'editionOf'>,
  hasJob: (key: OperationKey, operation: OperationObject) => boolean,
): Lines {
  // Its Job, or the status that says that it runs, is not in the watch yet.
  const started = new Set<string>();
  const kinds = [...operationKinds.map(({ kind }) => kind), 'Job'];
  let starts = 0;
  let edition = -1;
  const lines = new Map<string, readonly Place[]>();

  function mark(key: OperationKey, isStarting: boolean): void {
    starts++;
    if (isStarting) started.add(keyText(key));
    else started.delete(keyText(key));
  }
  function isBusy(key: OperationKey): boolean {
    const operation = operations.get(key);
    return started.has(keyText(key)) || (operation !== undefined && hasJob(key, operation));
  }

  return {
    of(datasets, kind) {
      const now = kinds.reduce((sum, each) => sum + editionOf(each), starts);
      if (now !== edition) lines.clear();
      edition = now;
      const id = datasets.map((dataset) => keyText({ ...dataset, kind })).join(' ');
      const known = lines.get(id);
      if (known) return known;
      const all = new Set(datasets.flatMap((dataset) => operations.unfinished(dataset, kind)));
      const line = lineOf([...all], { find: operations.get, hasJob: isBusy });
      lines.set(id, line);
      return line;
    },
    async starting(key, work) {
      mark(key, true);
      try {
        return await work();
      } finally {
        mark(key, false);
      }
    },
  };
}
