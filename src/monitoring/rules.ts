import type { Alert } from './alerts/alert.ts';
import type { AlertGroup } from './alerts/all.ts';
import { durationText } from './promql.ts';

/** A group of a rule file of Prometheus, and of a PrometheusRule. */
export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly Rule[];
}
interface Rule {
  readonly alert: string;
  readonly expr: string;
  /** Absent for a rule that fires at once. */
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

/** The groups of a rule file. */
export const ruleGroups = (groups: readonly AlertGroup[]): readonly RuleGroup[] =>
  groups.map(({ name, alerts }) => ({ name, rules: alerts.map(ruleOf) }));

const ruleOf = ({ name, severity, expr, forSeconds, summary, toDo }: Alert): Rule => ({
  alert: name,
  expr,
  ...(forSeconds > 0 && { for: durationText(forSeconds) }),
  labels: { severity },
  annotations: { summary, description: `What to do: ${toDo}.` },
});
