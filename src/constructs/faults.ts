import { type Fault, InvalidSpec, shown } from '../api/index.ts';

/**
 * Works out every part before it gives up, so that a user learns all faults of an object at once.
 * `object` says whose fields they are, `Dataset ml/demo`, where they are not the runtime's.
 */
export function together<Parts extends Readonly<Record<string, () => unknown>>>(
  parts: Parts,
  object?: string,
): { readonly [Name in keyof Parts]: ReturnType<Parts[Name]> } {
  const faults: Fault[] = [];
  const results: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(parts)) {
    try {
      results[name] = part();
    } catch (error) {
      if (!(error instanceof InvalidSpec)) throw error;
      const whose = error.object ?? object;
      faults.push(...error.faults.map((fault) => (whose === undefined ? fault : { object: whose, ...fault })));
    }
  }
  if (faults.length > 0) throw refusal(faults);
  // Every part has come through.
  return results as { readonly [Name in keyof Parts]: ReturnType<Parts[Name]> };
}

/** Faults of one object are told under its name, those of several each with the name. */
function refusal(faults: readonly Fault[]): InvalidSpec {
  const [object, ...others] = new Set(faults.map((fault) => fault.object));
  if (others.length > 0 || object === undefined) return new InvalidSpec(faults);
  return new InvalidSpec(
    faults.map(({ path, expected, found }) => ({ path, expected, found })),
    { object },
  );
}

/** A demand on a field, in one line. */
export function must(holds: unknown, path: string, expected: string, found: unknown): asserts holds {
  if (!holds) throw new InvalidSpec({ path, expected, found: shown(found) });
}
