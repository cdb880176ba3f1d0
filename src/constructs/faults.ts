import { type Fault, InvalidSpec, shown } from '../api/index.ts';

/**
 * Runs all functions before it throws, so that a user learns all faults of an object at once. `object` names the object at fault, such as
 * `Dataset ml/images`, if it is not the runtime.
 * @throws InvalidSpec with the faults of all functions. Any other error is thrown at once.
 * @example
 * const { size, path } = together({
 *   size: () => quantity('20Gi', 'spec.cacheSize'),
 *   path: () => absolutePath('/cache', 'spec.cachePath'),
 * });
 */
export function together<Tasks extends Readonly<Record<string, () => unknown>>>(
  tasks: Tasks,
  object?: string,
): { readonly [Name in keyof Tasks]: ReturnType<Tasks[Name]> } {
  const faults: Fault[] = [];
  const results: Record<string, unknown> = {};
  for (const [name, task] of Object.entries(tasks)) {
    try {
      results[name] = task();
    } catch (error) {
      if (!(error instanceof InvalidSpec)) throw error;
      const whose = error.object ?? object;
      for (const fault of error.faults) faults.push(whose === undefined ? fault : { object: whose, ...fault });
    }
  }
  if (faults.length > 0) throw invalidSpec(faults);
  // Every task has a result.
  return results as { readonly [Name in keyof Tasks]: ReturnType<Tasks[Name]> };
}

/**
 * The same for each entry of a list; the results are in its order.
 * @throws InvalidSpec with the faults of all entries. Any other error is thrown at once.
 * @example
 * const paths = togetherEach(['/a', '/b'], (path, i) => absolutePath(path, `spec.paths[${i}]`)); // → ['/a', '/b']
 */
export const togetherEach = <Entry, Result>(list: readonly Entry[], task: (entry: Entry, index: number) => Result): readonly Result[] =>
  Object.values(together(Object.fromEntries(list.map((entry, i) => [String(i), () => task(entry, i)]))));

/** A fault of a field, and the reason that Fluid gives, if it has one. */
export interface ReasonedFault extends Fault {
  readonly reason?: string;
}

/** The faults as one error, under the reason of the first fault; `InvalidSpec` if it has none. */
export const refusal = (faults: readonly ReasonedFault[]): InvalidSpec => {
  const [first] = faults;
  return new InvalidSpec(faults, first?.reason === undefined ? {} : { reason: first.reason });
};

/** Faults of one object have its name once, in front of all; faults of several have it each. */
function invalidSpec(faults: readonly Fault[]): InvalidSpec {
  const [object, ...others] = new Set(faults.map((fault) => fault.object));
  if (others.length > 0 || object === undefined) return new InvalidSpec(faults);
  return new InvalidSpec(
    faults.map(({ path, expected, found }) => ({ path, expected, found })),
    { object },
  );
}

/**
 * Demands something of a field.
 * @throws InvalidSpec when `holds` is falsy.
 * @example
 * const replicas: number = 0;
 * must(replicas > 0, 'spec.replicas', 'at least 1', replicas); // throws spec.replicas: expected at least 1, found 0
 */
export function must(holds: unknown, path: string, expected: string, found: unknown): asserts holds {
  if (!holds) throw new InvalidSpec({ path, expected, found: shown(found) });
}
