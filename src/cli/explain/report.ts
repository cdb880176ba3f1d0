import { durationText } from '../../api/index.ts';
import { type Line, styled } from '../terminal.ts';
import type { Explanation } from '../../explain/finding.ts';
import type { Texts } from '../../explain/texts/en.ts';
import { textsIn } from '../../explain/texts/texts.ts';
import type { Language } from '../../planning/advice.ts';

/** The report for people; unhealthy objects come first, pods, claims and volumes before their Datasets. */
export function report(found: readonly Explanation[], now: number, namespace: string | undefined, language?: Language): readonly Line[] {
  const texts = textsIn(language);
  if (found.length === 0) return [texts.nothingHere(namespace)];
  const ordered = found.toSorted((a, b) => Number(a.healthy) - Number(b.healthy));
  return ordered.flatMap((finding, i) => [...(i === 0 ? [] : ['']), ...section(finding, now, texts)]);
}

/** The text of a report without ages: a change of it is news. */
export const newsOf = (found: readonly Explanation[]): string => JSON.stringify(found).replaceAll(/, (?:\d+[dhms])+ ago/g, '');

function section({ object, phase, healthy, causes, details }: Explanation, now: number, texts: Texts): readonly Line[] {
  const title = `${healthy ? '✓' : '✗'} ${object}: ${phase}`;
  return [
    [styled(['bold', healthy ? 'green' : 'red'], title)],
    ...causes.flatMap(({ reason, message, since, toDo }) => {
      const age = since === undefined ? ': ' : texts.since(durationText(Math.max(0, now - Date.parse(since))));
      return [['  ', styled('yellow', reason), `${age}${message}`], `    ${texts.toDo}${toDo}`];
    }),
    ...details.map((line) => `  ${line}`),
  ];
}
