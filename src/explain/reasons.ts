/** The meaning of each reason and condition, without a cluster: for `sluice explain --reasons`. */
import { adviceOfReason, withoutLinks } from '../planning/advice.ts';
import { conditionAdvice } from '../planning/condition-advice.ts';
import { conditionMeanings } from '../planning/conditions.ts';
import { type Cause, causeOf, causes, type Reason } from '../planning/reasons.ts';

/** A reason of `Synced`, `NotReady` or `Complete`, or the type of a condition that says more than its reason. */
export interface Explained {
  readonly name: string;
  readonly is: 'reason' | 'condition';
  readonly means: string;
  readonly toDo: string;
  /** The action for an operation, if that differs. */
  readonly toDoForOperation?: string;
  /** Whether the cause is expected to end without help; of reasons only. */
  readonly endsWithoutHelp?: boolean;
}

const plainly = (text: string): string => withoutLinks(text);

/** All of them: reasons in the order of their table, then conditions. */
export const explained: readonly Explained[] = [
  ...Object.entries<Cause>(causes).map(
    ([name, { means, toDo, toDoForOperation, passing = false }]): Explained => ({
      name,
      is: 'reason',
      means: plainly(means),
      toDo: plainly(adviceOfReason(name, 'runtime') ?? toDo),
      ...(toDoForOperation !== undefined && { toDoForOperation: plainly(toDoForOperation) }),
      endsWithoutHelp: passing,
    }),
  ),
  ...(Object.keys(conditionAdvice) as (keyof typeof conditionAdvice)[]).map(
    (name): Explained => ({ name, is: 'condition', means: conditionMeanings[name], toDo: conditionAdvice[name] }),
  ),
];

/** A companion of a vendor's runtime, such as `AcmeProfileNotFound`, which the table does not know by name. */
function ofVendor(name: string): readonly Explained[] {
  if (!/^[A-Z]\w*NotFound$/.test(name) || explained.some((each) => each.name === name)) return [];
  const { means, toDo } = causeOf(name as Reason);
  return [{ name, is: 'reason', means, toDo, endsWithoutHelp: false }];
}

/**
 * Those of these names, and the names that none has. A name may be both, as `MountsDiffer` is. Without names: all.
 * @example
 * explainedNamed(['Paused', 'Nonsense']).unknown; // → ['Nonsense']
 */
export function explainedNamed(names: readonly string[]): { readonly found: readonly Explained[]; readonly unknown: readonly string[] } {
  if (names.length === 0) return { found: explained, unknown: [] };
  const found = [...explained.filter(({ name }) => names.includes(name)), ...names.flatMap(ofVendor)];
  return { found, unknown: names.filter((wanted) => !found.some(({ name }) => name === wanted)) };
}
