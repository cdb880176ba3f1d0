import { adviceOfCondition, adviceOfReason, withoutLinks } from '../../planning/advice.ts';
import { conditionAdvice } from '../../planning/condition-advice.ts';
import { causes } from '../../planning/reasons.ts';

/** The advice of `sluice explain` about a condition, by the labels that name it. */
export interface Advice<Label extends string> {
  /** The label with the type of the condition, if it is not always the same. */
  readonly condition?: Label;
  /** The label with the reason. */
  readonly reason: Label;
  readonly about: 'runtime' | 'operation';
  /** For the documentation. */
  readonly inWords: string;
}

/** The text of each value of a label. */
type Texts = readonly (readonly [value: string, text: string])[];

/** A template of Prometheus that chooses the text by the labels of the series. */
export function templateOf({ condition, reason, about }: Advice<string>): string {
  const ofReasons = Object.keys(causes).map((each) => [each, withoutLinks(adviceOfReason(each, about) ?? '')] as const);
  const byReason = choice(reason, ofReasons, notListed(reason, about));
  if (condition === undefined) return byReason;
  const ofConditions = Object.keys(conditionAdvice).map((each) => [each, adviceOfCondition(each) ?? ''] as const);
  return choice(condition, ofConditions, byReason);
}

/** Companions of vendors' runtimes have reasons that the table does not know. */
const notListed = (reason: string, about: 'runtime' | 'operation'): string =>
  `{{ if match "NotFound$" $labels.${reason} }}${adviceOfReason('CompanionNotFound', about)}{{ else }}see the message of the condition{{ end }}`;

function choice(label: string, texts: Texts, otherwise: string): string {
  const byText = new Map<string, readonly string[]>();
  for (const [value, text] of texts) byText.set(text, [...(byText.get(text) ?? []), value]);
  const branches = [...byText].map(
    ([text, values], i) => `{{ ${i === 0 ? 'if' : 'else if'} eq $labels.${label} ${values.map((each) => `"${each}"`).join(' ')} }}${text}`,
  );
  return `${branches.join('')}{{ else }}${otherwise}{{ end }}`;
}
