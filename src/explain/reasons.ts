/** The meaning of each reason and condition, without a cluster: for `sluice explain --reasons`. */
import { adviceOfCondition, adviceOfReason, type Language, withoutLinks } from '../planning/advice.ts';
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

/**
 * All of them: reasons in the order of their table, then conditions. Meanings are in English, as messages of the controller are; actions in the
 * language.
 */
export const explainedIn = (language: Language = 'en'): readonly Explained[] => [
  ...Object.entries<Cause>(causes).map(
    ([name, { means, toDo, toDoForOperation, passing = false }]): Explained => ({
      name,
      is: 'reason',
      means: withoutLinks(means),
      toDo: withoutLinks(adviceOfReason(name, 'runtime', language) ?? toDo),
      ...(toDoForOperation !== undefined && {
        toDoForOperation: withoutLinks(adviceOfReason(name, 'operation', language) ?? toDoForOperation),
      }),
      endsWithoutHelp: passing,
    }),
  ),
  ...(Object.keys(conditionAdvice) as (keyof typeof conditionAdvice)[]).map(
    (name): Explained => ({
      name,
      is: 'condition',
      means: conditionMeanings[name],
      toDo: withoutLinks(adviceOfCondition(name, language) ?? conditionAdvice[name]),
    }),
  ),
];

/** A companion of a vendor's runtime, such as `AcmeProfileNotFound`, which the table does not know by name. */
function ofVendor(name: string, language: Language): readonly Explained[] {
  if (!/^[A-Z]\w*NotFound$/.test(name) || Object.hasOwn(causes, name)) return [];
  const { means, toDo } = causeOf(name as Reason);
  return [{ name, is: 'reason', means, toDo: adviceOfReason(name, 'runtime', language) ?? toDo, endsWithoutHelp: false }];
}

/**
 * Those of these names, and the names that none has. A name may be both, as `MountsDiffer` is. Without names: all.
 * @example
 * explainedNamed(['Paused', 'Nonsense']).unknown; // → ['Nonsense']
 */
export function explainedNamed(
  names: readonly string[],
  language: Language = 'en',
): { readonly found: readonly Explained[]; readonly unknown: readonly string[] } {
  const all = explainedIn(language);
  if (names.length === 0) return { found: all, unknown: [] };
  const found = [...all.filter(({ name }) => names.includes(name)), ...names.flatMap((name) => ofVendor(name, language))];
  return { found, unknown: names.filter((wanted) => !found.some(({ name }) => name === wanted)) };
}
