import { durationText } from '../../api/index.ts';
import { type Line, styled } from '../terminal.ts';
import type { Explanation } from '../../explain/finding.ts';

/** The report for people; unhealthy objects come first, pods, claims and volumes before their Datasets. */
export function report(found: readonly Explanation[], now: number, namespace: string | undefined): readonly Line[] {
  const where = namespace === undefined ? 'in any namespace' : `in namespace ${namespace}. -A explains all namespaces`;
  if (found.length === 0) return [`Nothing is here: no Dataset, runtime or operation ${where}.`];
  const ordered = found.toSorted((a, b) => Number(a.healthy) - Number(b.healthy));
  return ordered.flatMap((finding, i) => [...(i === 0 ? [] : ['']), ...section(finding, now)]);
}

/** The text of a report without ages: a change of it is news. */
export const newsOf = (found: readonly Explanation[]): string => JSON.stringify(found).replaceAll(/, (?:\d+[dhms])+ ago/g, '');

function section({ object, phase, healthy, causes, details }: Explanation, now: number): readonly Line[] {
  const title = `${healthy ? '✓' : '✗'} ${object}: ${phase}`;
  return [
    [styled(['bold', healthy ? 'green' : 'red'], title)],
    ...causes.flatMap(({ reason, message, since, toDo }) => {
      const age = since === undefined ? '' : `, for ${durationText(Math.max(0, now - Date.parse(since)))}`;
      return [['  ', styled('yellow', reason), `${age}: ${message}`], `    to do: ${toDo}`];
    }),
    ...details.map((line) => `  ${line}`),
  ];
}
