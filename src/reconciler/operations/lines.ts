import { operationKinds } from '../../api/index.ts';
import type { OperationKind } from '../../constructs/index.ts';
import type { OperationCluster } from './cluster.ts';
import { lineOf } from './line.ts';
import type { OperationObject, LinePosition } from './world.ts';
import { type Key, keyText, type OperationKey } from '../world.ts';
import type { Store } from '../kubernetes/store/store.ts';

/** The lines of all Datasets. Each is computed once for all operations in it, until something changes that a line depends on. */
export interface Lines {
  /**
   * The operations of a kind on any of these Datasets. For an operation of a long line with another before it, only that other: its turn
   * depends on no more, and the whole line would be computed again after each change of thousands.
   */
  of(datasets: readonly Key[], key: OperationKey): { readonly line: readonly LinePosition[]; readonly isLongLine?: true };
  readonly starting: OperationCluster['starting'];
}

/** @param hasJob whether the watch shows a Job of it */
export function createLines(
  { operations, editionOf }: Pick<Store, 'operations' | 'editionOf'>,
  hasJob: (key: OperationKey, operation: OperationObject) => boolean,
): Lines {
  // Operations whose Job, or the status that says that they run, is not in the watch yet.
  const started = new Set<string>();
  const kinds = [...operationKinds.map(({ kind }) => kind), 'Job'];
  let starts = 0;
  let edition = -1;
  const lines = new Map<string, readonly LinePosition[]>();
  /** The first of each long line, when it was last computed. */
  const firsts = new Map<string, OperationKey>();

  function mark(key: OperationKey, isStarting: boolean): void {
    starts++;
    if (isStarting) started.add(keyText(key));
    else started.delete(keyText(key));
  }
  function isBusy(key: OperationKey): boolean {
    const operation = operations.get(key);
    return started.has(keyText(key)) || (operation !== undefined && hasJob(key, operation));
  }

  function computed(datasets: readonly Key[], kind: OperationKind): readonly LinePosition[] {
    const all = new Set(datasets.flatMap((dataset) => operations.unfinished(dataset, kind)));
    return lineOf([...all], { find: operations.get, hasJob: isBusy });
  }

  return {
    of(datasets, key) {
      const { kind } = key;
      const now = kinds.reduce((sum, each) => sum + editionOf(each), starts);
      if (now !== edition) lines.clear();
      edition = now;
      const id = datasets.map((dataset) => keyText({ ...dataset, kind })).join(' ');
      const isLong = datasets.some((dataset) => operations.isCrowded(dataset));
      if (isLong) {
        const before = firsts.get(id);
        const both = before && keyText(before) !== keyText(key) ? [before, key].flatMap((each) => operations.get(each) ?? []) : [];
        const line = lineOf(both, { find: operations.get, hasJob: isBusy });
        const [first] = line;
        if (first && before && keyText(first.key) === keyText(before)) return { line, isLongLine: true };
      } else firsts.delete(id);
      const line = lines.get(id) ?? computed(datasets, kind);
      lines.set(id, line);
      if (!isLong) return { line };
      if (line[0]) firsts.set(id, line[0].key);
      return { line, isLongLine: true };
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
