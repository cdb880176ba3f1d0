import { describe, Dataset, operationKinds } from '../../api/index.ts';
import type { Runtime, Settings } from '../../constructs/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import { isOver, type OperationObject } from '../../reconciler/operations.ts';
import type { Find, Judge, Judged, Judgement } from '../../webhook/validation/judge.ts';
import { checked } from '../diff/offline.ts';
import type { InputFault } from '../input/documents.ts';
import { inPlace } from '../input/faults.ts';
import { inputOf, refOf } from '../input/read.ts';
import type { Lookup } from '../synth/lookup.ts';

export interface JudgeOptions {
  readonly runtimes: readonly Runtime[];
  readonly settings: Settings;
}

const NOTHING: Judgement = { faults: [], warnings: [] };
/** Objects of a request have no lines. */
const NOWHERE = { file: '', line: 0, column: 0 };

/**
 * Judges objects as `sluice diff --offline` does, with its code and so in its words: an object alone, or together with what the cluster has
 * of its pair. Another object that is missing is no fault, so that objects can be created in any order.
 */
export function createJudge({ runtimes, settings }: JudgeOptions): Judge {
  const kinds = new Set(
    [Dataset, ...operationKinds, ...runtimes.flatMap(({ resource, companions }) => [resource, ...companions])].map(({ kind }) => kind),
  );
  return async (judged, find) => {
    const { object, before } = judged;
    if (!kinds.has(object.kind) || (before && isOverAlready(before))) return NOTHING;
    const input = inputOf({ objects: [{ value: object, at: () => NOWHERE }], faults: [] }, runtimes, object.metadata.namespace ?? '');
    const { faults, warnings } = await checked(input, { runtimes, settings }, besides(judged, find));
    const known = inPlace(faults).filter(({ lone }) => !lone);
    const isOwn = (fault: InputFault) => fault.object === refOf(object) && !fault.ofAnother;
    return {
      faults: known.filter(isOwn).map(({ path, expected, found }) => ({ path, expected, found })),
      warnings: [...known.filter((fault) => !isOwn(fault)).map(describe), ...warnings.map((line) => line.replace(/^warning: /, ''))],
    };
  };
}

/** An operation that has ended does not run again. */
const isOverAlready = (object: KubeObject): boolean =>
  // The cast: its kind is that of an operation.
  operationKinds.some(({ kind }) => kind === object.kind) && isOver(object as unknown as OperationObject);

/** The object as it is stored, and others of its namespace or of none: whoever may write here may not read elsewhere. */
function besides({ object, before }: Judged, find: Find): Lookup {
  return {
    places: [],
    list: async () => [],
    async find(kind, namespace, name) {
      if (namespace !== undefined && namespace !== object.metadata.namespace) return undefined;
      if (kind === object.kind && name === object.metadata.name) return before;
      const found = await find(kind, namespace, name);
      return found?.metadata.deletionTimestamp === undefined ? found : undefined;
    },
  };
}
