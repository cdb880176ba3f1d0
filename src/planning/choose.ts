import type { DatasetStatus, InvalidSpec } from '../api/index.ts';
import type { Runtime } from '../constructs/index.ts';
import type { RuntimeObject } from './objects.ts';

/** A runtime object and the definition that understands it. */
export interface RuntimeCandidate {
  readonly definition: Runtime;
  readonly object: RuntimeObject;
  /** The fault of its spec, if it does not parse. */
  readonly invalid?: InvalidSpec;
}

/** The runtime that serves the dataset, of several of one name: the one that serves it already, else the oldest. */
export function choose(
  dataset: { readonly status?: Pick<Partial<DatasetStatus>, 'runtimes'> } | undefined,
  candidates: readonly RuntimeCandidate[],
): { readonly chosen?: RuntimeCandidate; readonly others: readonly RuntimeCandidate[] } {
  const alive = candidates.filter(({ object }) => !object.metadata.deletionTimestamp);
  const serving = alive.find(({ definition }) => dataset?.status?.runtimes?.some(({ type }) => type === definition.type));
  const chosen = serving ?? alive.toSorted(byAge)[0];
  return { ...(chosen && { chosen }), others: alive.filter((candidate) => candidate !== chosen) };
}

const byAge = (a: RuntimeCandidate, b: RuntimeCandidate): number => age(a).localeCompare(age(b));
const age = ({ object: { metadata } }: RuntimeCandidate): string => `${metadata.creationTimestamp ?? ''} ${metadata.uid ?? ''}`;
