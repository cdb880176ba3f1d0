import { isRecord } from '../../api/is-record.ts';
import { scalar, textOf } from './texts.ts';
import { kindOf, markOf } from './values.ts';

/** A value as one variant of the installation has it. The first of a list is the base, which counts where no condition of the others does. */
export interface Case {
  readonly when: string;
  readonly unless: string;
  /** Undefined where the variant has no such value. */
  readonly value: unknown;
  /** Whether the variant has two choices at once, of which each is a case of its own: of interest where it differs from both. */
  readonly isPair?: boolean;
}

/** A line of a template; `DEPTH` in its text stands for its number of columns. */
interface Line {
  readonly depth: number;
  readonly text: string;
}
/** On the line of its key, or below it. */
type Rendered = string | readonly Line[];

const COLUMNS = /DEPTH/g;

/** The template of an object: where its variants differ it has their conditions, and where it has a mark, the value. */
export function templateOf(cases: readonly Case[]): string {
  const rendered = guarded(cases, (present) => linesOf(render(present)));
  return `${rendered.map(({ depth, text }) => `${' '.repeat(2 * depth)}${text.replace(COLUMNS, String(2 * depth))}`).join('\n')}\n`;
}

const linesOf = (rendered: Rendered): readonly Line[] => (typeof rendered === 'string' ? [{ depth: 0, text: rendered }] : rendered);
const deeper = (lines: readonly Line[]): readonly Line[] => lines.map(({ depth, text }) => ({ depth: depth + 1, text }));
const control = (text: string): Line => ({ depth: 0, text: `{{- ${text} }}` });
const all = (conditions: readonly string[]): string =>
  conditions.length === 1 ? String(conditions[0]) : `and ${conditions.map((each) => `(${each})`).join(' ')}`;
const any = (conditions: readonly string[]): string =>
  conditions.length === 1 ? String(conditions[0]) : `or ${conditions.map((each) => `(${each})`).join(' ')}`;

/** Renders the cases that have a value, under the condition that there is one. */
function guarded(
  cases: readonly Case[],
  lines: (present: readonly Case[]) => readonly Line[],
  further: readonly string[] = [],
): readonly Line[] {
  const present = cases.filter(({ value }) => value !== undefined);
  const absent = cases.filter(({ value, isPair }) => value === undefined && !isPair);
  const conditions = cases[0]?.value === undefined ? [any(present.map(({ when }) => when))] : absent.map(({ unless }) => unless);
  const both = [...conditions, ...further];
  return both.length === 0 ? lines(present) : [control(`if ${all(both)}`), ...lines(present), control('end')];
}

function render(cases: readonly Case[]): Rendered {
  const values = cases.map(({ value }) => value);
  const path = values.map(wholeOf).find((each) => each !== undefined);
  if (path !== undefined && values.every((each) => wholeOf(each) === path || isEmpty(each))) return [spread(`.Values.${path}`)];
  if (path !== undefined && wholeOf(values[0]) === path) return block(cases);
  if (values.every(isRecord)) return values.every(isEmpty) ? '{}' : fields(cases);
  if (values.every(Array.isArray)) return values.every(isEmpty) ? '[]' : entries(cases);
  return choice(cases);
}

/** One of several maps or lists: a value, or what stands for it. */
function block([base, ...others]: readonly Case[]): readonly Line[] {
  const different = others.filter(({ value }) => JSON.stringify(value) !== JSON.stringify(base?.value));
  const lines = (each: Case | undefined) => (each ? linesOf(render([each])) : []);
  return [
    ...different.flatMap((each, i) => [control(`${i === 0 ? 'if' : 'else if'} ${each.when}`), ...lines(each)]),
    control('else'),
    ...lines(base),
    control('end'),
  ];
}

/** The path of the value that a map or a list consists of. */
function wholeOf(value: unknown): string | undefined {
  const parts = Array.isArray(value) ? value.map(nameOf) : isRecord(value) ? Object.keys(value) : [];
  return parts.length === 1 ? manyOf(parts[0]) : undefined;
}
/** The path, if the text stands for a map or a list. */
function manyOf(text: string | undefined): string | undefined {
  const path = markOf(text);
  return path !== undefined && kindOf(path) !== 'text' ? path : undefined;
}

function fields(cases: readonly Case[]): readonly Line[] {
  const keys = inOrder(cases.map(({ value }) => Object.keys(value as object)));
  return keys.flatMap((key) => {
    const path = manyOf(key);
    if (path !== undefined) {
      // Fields of ours win.
      const ours = keys.filter((other) => other !== key).map((other) => JSON.stringify(other));
      return [control(`with omit .Values.${path} ${ours.join(' ')}`), spread('.'), control('end')];
    }
    const of = cases.map((each) => ({ ...each, value: (each.value as Readonly<Record<string, unknown>>)[key] }));
    return guarded(of, (present) => {
      const rendered = render(present);
      if (typeof rendered === 'string') return [{ depth: 0, text: `${scalar(key)}: ${rendered}` }];
      return [{ depth: 0, text: `${scalar(key)}:` }, ...deeper(rendered)];
    });
  });
}

function entries(cases: readonly Case[]): readonly Line[] {
  const lists = cases.map(({ value }) => named(value as readonly unknown[]));
  const names = inOrder(lists.map((list) => [...list.keys()]));
  const variables = names.map(markOf).find((path) => path !== undefined && kindOf(path) === 'variables');
  return names.flatMap((name) => {
    const path = manyOf(name);
    if (path !== undefined) return [control(`with .Values.${path}`), spread('.'), control('end')];
    const of = cases.map((each, i) => ({ ...each, value: lists[i]?.get(name) }));
    const unlessTheirs = variables === undefined ? [] : [`not (include "sluice.variable" (list .Values.${variables} "${name}"))`];
    return guarded(of, (present) => entry(render(present)), unlessTheirs);
  });
}

/** One of several texts. */
function choice(cases: readonly Case[]): string {
  const [base, ...others] = cases.map(({ when, value, isPair }) => ({ when, text: textOf(value), isPair }));
  const single = new Set(others.flatMap(({ text, isPair }) => (isPair ? [] : [text])));
  const different = others.filter(({ text, isPair }) => text !== base?.text && !(isPair && single.has(text)));
  if (different.length === 0) return String(base?.text);
  const branches = different.map(({ when, text }, i) => `{{ ${i === 0 ? 'if' : 'else if'} ${when} }}${text}`);
  return `${branches.join('')}{{ else }}${base?.text}{{ end }}`;
}

const spread = (value: string): Line => ({ depth: 0, text: `{{- toYaml ${value} | nindent DEPTH }}` });

function entry(rendered: Rendered): readonly Line[] {
  if (typeof rendered === 'string') return [{ depth: 0, text: `- ${rendered}` }];
  const [first, ...rest] = deeper(rendered);
  if (!first || first.text.startsWith('{{-')) return [{ depth: 0, text: '-' }, ...deeper(rendered)];
  return [{ depth: 0, text: `- ${first.text}` }, ...rest];
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0;

/** By its name, as Kubernetes merges lists, or that of an alert; without one, by its content. */
const nameOf = (value: unknown): string => nameIn(value, 'name') ?? nameIn(value, 'alert') ?? contentOf(value);
const nameIn = (value: unknown, field: string): string | undefined =>
  isRecord(value) && typeof value[field] === 'string' ? value[field] : undefined;
const contentOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function named(list: readonly unknown[]): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  for (const value of list) {
    const name = nameOf(value);
    let unique = name;
    for (let i = 2; found.has(unique); i++) unique = `${name} ${i}`;
    found.set(unique, value);
  }
  return found;
}

/** Every name of the lists once, each after the name that it follows. */
function inOrder(lists: readonly (readonly string[])[]): readonly string[] {
  const names: string[] = [];
  for (const list of lists)
    for (const [i, name] of list.entries())
      if (!names.includes(name)) names.splice(i === 0 ? 0 : names.indexOf(String(list[i - 1])) + 1, 0, name);
  return names;
}
