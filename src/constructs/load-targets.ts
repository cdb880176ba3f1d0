import type { Operation } from './contract.ts';
import { must, togetherEach } from './faults.ts';
import { absolutePath } from './options.ts';

/** The targets of a DataLoad, with the defaults filled in. */
export interface LoadTarget {
  /** An absolute path in the Dataset. */
  readonly path: string;
  /** Number of cached copies, at least 1. */
  readonly replicas: number;
}

/**
 * The paths that a DataLoad loads; the whole Dataset if it names none.
 * @throws InvalidSpec when a path is not absolute, or a number of copies is below 1.
 * @example
 * const args = (load: Operation<'DataLoad'>) => loadTargets(load).flatMap(({ path, replicas }) => [path, String(replicas)]);
 */
export function loadTargets({ spec: { target } }: Operation<'DataLoad'>): readonly LoadTarget[] {
  const targets = target?.length ? target : [{ path: '/' }];
  return togetherEach(targets, (each, i) => checkedTarget(each, `spec.target[${i}]`));
}

function checkedTarget({ path, replicas = 1 }: { readonly path: string; readonly replicas?: number }, field: string): LoadTarget {
  must(replicas >= 1, `${field}.replicas`, 'at least 1', replicas);
  return { path: absolutePath(path, `${field}.path`), replicas };
}
