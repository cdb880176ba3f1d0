import type { Dataset } from '../api/index.ts';
import type { Scene } from './cluster.ts';

type Candidate = Scene['runtimes'][number];

/** Of several runtimes of one name, the one that serves the dataset: the one that serves it already, else the oldest. */
export function choose(
  dataset: Dataset | undefined,
  candidates: readonly Candidate[],
): { readonly chosen?: Candidate; readonly others: readonly Candidate[] } {
  const alive = candidates.filter(({ object }) => !object.metadata.deletionTimestamp);
  const serving = alive.find(({ runtime }) => dataset?.status?.runtimes?.some(({ type }) => type === runtime.type));
  const chosen = serving ?? alive.toSorted(byAge)[0];
  return { ...(chosen && { chosen }), others: alive.filter((candidate) => candidate !== chosen) };
}

const byAge = (a: Candidate, b: Candidate): number => age(a).localeCompare(age(b));
const age = ({ object: { metadata } }: Candidate): string => `${metadata.creationTimestamp ?? ''} ${metadata.uid ?? ''}`;
