import type { KubeObject } from './types.ts';

/** Whether a selector matches these labels. */
export type Selects = (labels: Readonly<Record<string, string>>) => boolean;

/** A label selector as kubectl takes it: `a=b,c!=d,e in (f,g),h notin (i),j,!k`. Throws an Error that names the part that is not a selector. */
export function parseSelector(text: string): Selects {
  // No comma in parentheses parts two of them.
  const parts = (text.match(/(?:[^,(]|\([^()]*\)?)+/g) ?? []).map((part) => part.trim());
  const requirements = parts.filter((part) => part !== '').map(requirement);
  return (labels) => requirements.every((holds) => holds(labels));
}

function requirement(text: string): Selects {
  const set = /^([^\s=!,()]+)\s+(in|notin)\s+\(([^()]*)\)$/.exec(text);
  if (set) {
    const [, key = '', operator, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    return (labels) => (labels[key] !== undefined && values.includes(labels[key])) === (operator === 'in');
  }
  const equality = /^([^\s=!,()]+)\s*(==?|!=)\s*([^\s=!,()]*)$/.exec(text);
  if (equality) {
    const [, key = '', operator, value] = equality;
    return (labels) => (labels[key] === value) === (operator !== '!=');
  }
  const exists = /^(!?)\s*([^\s=!,()]+)$/.exec(text);
  if (!exists) throw new Error(`expected a label selector such as "a=b,c in (d,e),!f", found ${JSON.stringify(text)}`);
  const [, not, key = ''] = exists;
  return (labels) => key in labels === (not === '');
}

/** The selector by which a workload finds its pods, as text. */
export function selectorOf(workload: KubeObject): string {
  const { matchLabels = {} } = (workload['spec'] as { selector?: { matchLabels?: Readonly<Record<string, string>> } }).selector ?? {};
  return selectorText(matchLabels);
}

/** The selector of objects that have these labels, as text. */
export const selectorText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
