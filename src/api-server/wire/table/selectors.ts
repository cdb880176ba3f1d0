/** Labels and their selectors as text: `k8s.io/apimachinery/pkg/labels`. */
import { isMap, type JsonMap } from '../../json.ts';
import { at, listAt, mapAt, textAt } from './read.ts';

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** `a=1,b=2`; `<none>` without labels. */
export const labelsText = (labels: JsonMap): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${String(value)}`)
    .toSorted(byText)
    .join(',') || '<none>';

/** A `LabelSelector` as text, empty for one that selects everything; undefined for one that is invalid. */
export function selectorText(selector: unknown): string | undefined {
  if (!isMap(selector)) return '';
  const labels = Object.entries(mapAt(selector, 'matchLabels')).map(([key, value]) => [key, `${key}=${String(value)}`] as const);
  const expressions = listAt(selector, 'matchExpressions').map((each) => [textAt(each, 'key'), expressionText(each)] as const);
  const all = [...labels, ...expressions].toSorted(([a], [b]) => byText(a, b)).map(([, text]) => text);
  return all.includes(undefined) ? undefined : all.join(',');
}

function expressionText(expression: unknown): string | undefined {
  const key = textAt(expression, 'key');
  const values = listAt(expression, 'values').map(String).toSorted(byText).join(',');
  switch (at(expression, 'operator')) {
    case 'In':
      return `${key} in (${values})`;
    case 'NotIn':
      return `${key} notin (${values})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return undefined;
  }
}

/** A `LabelSelector` as most columns print it. */
export const selectorCell = (selector: unknown): string => {
  const text = selectorText(selector);
  return text === undefined ? '<error>' : text || '<none>';
};
