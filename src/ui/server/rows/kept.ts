import { redactedText } from '../../../api/redact.ts';
import { datasetPhases, type DatasetSpec } from '../../../api/index.ts';
import { referenceIn } from '../../../api/reference.ts';
import { conditionsOf, looksHealthy } from '../../../explain/conditions.ts';
import type { KubeObject, ObjectMeta } from '../../../kube/types.ts';
import { gravest } from '../../../planning/attention.ts';
import { bytesOf, countOf, ratioOf } from '../../../planning/figures.ts';
import type { Sharing } from '../../../planning/sharing.ts';
import { isOver, type OperationObject } from '../../../reconciler/operations.ts';
import type { DatasetRow, OperationRow, Trouble } from '../../wire.ts';
import { operationRow } from './operation-row.ts';
import { cut, timeOf } from './texts.ts';

/** The part of an object that the server keeps: of thousands, little more than a row. */
interface Kept extends KubeObject {
  readonly metadata: ObjectMeta;
}
export interface KeptDataset extends Kept {
  /** As if no runtime served it. */
  readonly row: DatasetRow;
  /** Types of the runtimes that its status names: `alluxio`. */
  readonly types: readonly string[];
}
export interface KeptRuntime extends Kept {
  readonly healthy: boolean;
  readonly trouble?: Trouble;
}
export interface KeptOperation extends Kept {
  readonly row: OperationRow;
  /** Whether the operation does not run again. */
  readonly over: boolean;
  /** When the run began that `row.phase` is about, if it goes on, ms since 1970. */
  readonly runsSince?: number;
}

/** The functions that make of an object what is kept of it. They share texts that many objects have. */
export function createProjections({ text, piece }: Sharing) {
  function metaOf({ metadata }: KubeObject): ObjectMeta {
    const { name, namespace = '', uid, resourceVersion, creationTimestamp, deletionTimestamp } = metadata;
    const kept = { name, namespace: text(namespace), uid, resourceVersion, creationTimestamp };
    // The cast: a field that is undefined counts as absent.
    return (deletionTimestamp === undefined ? kept : { ...kept, deletionTimestamp }) as ObjectMeta;
  }

  function troubleOf(object: KubeObject): Trouble | undefined {
    const found = gravest(conditionsOf(object));
    if (!found) return undefined;
    const { type, reason = '', message = '', lastTransitionTime } = found;
    const since = timeOf(lastTransitionTime);
    const said = {
      type: text(type),
      reason: text(cut(redactedText(reason), 200)),
      message: text(cut(redactedText(message), MOST_MESSAGE)),
    };
    return since === undefined ? said : { ...said, since };
  }

  return {
    dataset(object: KubeObject): KeptDataset {
      const { apiVersion, kind, metadata, spec, status } = object as KubeObject & DatasetFields;
      const { phase = '', runtimes = [], cacheStates = {}, ufsTotal, fileNum } = status ?? {};
      const trouble = troubleOf(object);
      // Those of a Dataset that refers to another one are that one's: a sum would count them twice.
      const figures: Partial<DatasetRow> = referenceIn(spec ?? {}) !== undefined ? {} : figuresOf(cacheStates, ufsTotal, fileNum);
      const meta = metaOf(object);
      const row: DatasetRow = {
        namespace: meta.namespace ?? '',
        name: metadata.name,
        kind: '',
        phase: datasetPhases.some((each) => each === phase) ? text(phase) : cut(redactedText(phase), 40),
        healthy: looksHealthy(object),
        ...(trouble && { trouble }),
        ...figures,
        created: timeOf(metadata.creationTimestamp) ?? 0,
      };
      return { apiVersion, kind, metadata: meta, row, types: piece(runtimes.flatMap(({ type }) => type ?? [])) };
    },

    runtime(object: KubeObject): KeptRuntime {
      const { apiVersion, kind } = object;
      const trouble = troubleOf(object);
      return { apiVersion, kind, metadata: metaOf(object), healthy: looksHealthy(object), ...(trouble && { trouble }) };
    },

    operation(object: KubeObject): KeptOperation {
      const { apiVersion, kind } = object;
      // The cast: an operation's objects are listed as such.
      const operation = object as unknown as OperationObject;
      const { row, runsSince } = operationRow(operation, text);
      return { apiVersion, kind, metadata: metaOf(object), row, over: isOver(operation), ...(runsSince !== undefined && { runsSince }) };
    },
  };
}

interface DatasetFields {
  readonly spec?: DatasetSpec;
  readonly status?: {
    readonly phase?: string;
    readonly runtimes?: readonly { readonly type?: string }[];
    readonly cacheStates?: Readonly<Record<string, string>>;
    readonly ufsTotal?: string;
    readonly fileNum?: string;
  };
}

function figuresOf(
  texts: Readonly<Record<string, string>>,
  ufsTotal: string | undefined,
  fileNum: string | undefined,
): Partial<DatasetRow> {
  const found = {
    cached: bytesOf(texts['cached']),
    capacity: bytesOf(texts['cacheCapacity']),
    hits: ratioOf(texts['cacheHitRatio']),
    data: bytesOf(ufsTotal),
    files: countOf(fileNum),
  };
  return Object.fromEntries(Object.entries(found).filter(([, each]) => each !== undefined));
}

/** Thousands of rows have one; a Dataset's own view has all of it. */
const MOST_MESSAGE = 400;
