import { Dataset, type DatasetPhase } from '../../api/index.ts';
import { isForbidden, isInvalid } from '../../kube/errors.ts';
import { typeOf } from '../../planning/kinds.ts';
import type { Key } from '../world.ts';
import type { ClusterContext } from '../kubernetes/cluster-context.ts';
import { datasetsOf } from './references.ts';
import { isRunning } from './state.ts';
import { datasetPhase, operationRef } from './status.ts';
import type { OperationObject } from './world.ts';

/** The names of running operations in the status of their Datasets. */
export interface RunningOn {
  /** Fields of the status of a Dataset. Null removes a field. */
  fields(dataset: Key, phase: DatasetPhase | undefined): { readonly phase?: DatasetPhase; readonly operationRef: object | null };
  /**
   * Does `work`, which writes that the operation runs, once its Datasets name it: readers, and Fluid's own flows, look for an operation that
   * runs in its Dataset. A conflict about a Dataset is thrown. A Dataset whose status is refused hides no operation: its own pass reports that.
   */
  named<T>(operation: OperationObject, work: () => Promise<T>): Promise<T>;
}

export function createRunningOn({ store, users, wake }: Pick<ClusterContext, 'store' | 'users' | 'wake'>): RunningOn {
  // By UID: they are about to run, so that no pass over their Dataset takes their names out again.
  const soon = new Set<string>();

  function fields(dataset: Key, phase: DatasetPhase | undefined): ReturnType<RunningOn['fields']> {
    const running = store.operations.unfinished(dataset).filter((each) => isRunning(each) || soon.has(each.metadata.uid ?? ''));
    return { ...(phase && { phase: datasetPhase(phase, running) }), operationRef: operationRef(running) };
  }

  async function name(key: Key): Promise<void> {
    const dataset = store.dataset(key);
    // One that has no status yet gets it, with the names, from its own pass.
    if (!dataset?.status) return;
    try {
      await users.writeStatus(typeOf(Dataset), dataset, fields(key, dataset.status.phase), 'given');
    } catch (error) {
      if (!isForbidden(error) && !isInvalid(error)) throw error;
    }
  }

  return {
    fields,
    async named(operation, work) {
      const { uid = '' } = operation.metadata;
      const datasets = datasetsOf(operation);
      let isSaid = false;
      soon.add(uid);
      try {
        for (const dataset of datasets) await name(dataset);
        const done = await work();
        isSaid = true;
        return done;
      } finally {
        soon.delete(uid);
        // The operation may be gone by now, and then no event of it tells its Datasets.
        if (!isSaid) for (const dataset of datasets) wake(dataset);
      }
    },
  };
}
