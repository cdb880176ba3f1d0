import type { Runtime } from '../../../constructs/index.ts';
import { gravityOf } from '../../../planning/attention.ts';
import { choose, type RuntimeCandidate } from '../../../planning/choose.ts';
import type { DatasetRow, Trouble } from '../../wire.ts';
import type { KeptDataset, KeptRuntime } from './kept.ts';

/** A runtime that is kept, and the definition of its kind. */
export interface ServingCandidate {
  readonly definition: Runtime;
  readonly kept: KeptRuntime;
}

/** The row of a Dataset with what is known of its runtime. @param candidates runtimes of its name that the viewer may see */
export function rowWith({ row, types }: KeptDataset, candidates: readonly ServingCandidate[]): DatasetRow {
  const serving = servingOf(types, candidates);
  if (!serving) return row;
  const { kept } = serving;
  const trouble = graver(row.trouble, kept.trouble);
  return { ...row, kind: kept.kind, healthy: row.healthy && kept.healthy, ...(trouble && { trouble }) };
}

/** The runtime that serves a Dataset whose status names these types. */
export function servingOf(types: readonly string[], candidates: readonly ServingCandidate[]): ServingCandidate | undefined {
  if (candidates.length === 0) return undefined;
  // The cast: of a runtime, `choose` reads metadata alone.
  const all = candidates.map(({ definition, kept }) => ({ definition, object: kept }) as unknown as RuntimeCandidate);
  const { chosen } = choose({ status: { runtimes: types.map((type) => ({ type })) } }, all);
  return candidates.find(({ kept }) => kept === (chosen?.object as unknown));
}

function graver(a: Trouble | undefined, b: Trouble | undefined): Trouble | undefined {
  if (!a || !b) return a ?? b;
  return gravityOf(b.type) < gravityOf(a.type) ? b : a;
}
