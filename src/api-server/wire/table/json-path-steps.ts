/** The steps of a JSONPath. Rule: client-go/util/jsonpath, which kubectl and the API server use. */
import { isMap } from '../../json.ts';

/** From the values so far to the next. @throws Mismatch for a value that the step cannot take */
export type Step = (values: readonly unknown[]) => readonly unknown[];

/** A value has another shape than a path expects: there is nothing to print. */
export class Mismatch extends Error {}

/** A path with many `..` has more values than any cell needs. */
const MOST_VALUES = 10_000;

/** The values after all steps, one after the other. */
export const run = (steps: readonly Step[], values: readonly unknown[]): readonly unknown[] =>
  steps.reduce((found, step) => few(step(found)), values);

function few(values: readonly unknown[]): readonly unknown[] {
  if (values.length > MOST_VALUES) throw new Mismatch();
  return values;
}

export const literal =
  (value: unknown): Step =>
  () => [value];

export const mismatch: Step = () => {
  throw new Mismatch();
};

export const field =
  (name: string): Step =>
  (values) =>
    values.flatMap((value) => (isMap(value) && Object.hasOwn(value, name) ? [value[name]] : []));

const childrenOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : isMap(value) ? Object.values(value) : []);

export const wildcard: Step = (values) => values.flatMap(childrenOf);

/** Every value that has others in it, parents first. */
export const recursive: Step = (values) => {
  const found: unknown[] = [];
  // Not by recursion: an object may be deep.
  const waiting = [...values].toReversed();
  while (waiting.length > 0) {
    const value = waiting.pop();
    const children = childrenOf(value);
    if (children.length === 0) continue;
    found.push(value);
    few(found);
    for (const child of children.toReversed()) waiting.push(child);
  }
  return found;
};

export const union =
  (branches: readonly (readonly Step[])[]): Step =>
  (values) =>
    branches.flatMap((steps) => run(steps, values));

/** `[first:end:every]`, from 0; negative ones count from the end. `end` is left out for `[first]`, undefined for `[first:]`. */
export interface Range {
  readonly first: number | undefined;
  readonly end?: number | undefined;
  readonly every?: number | undefined;
}

export const slice =
  (range: Range): Step =>
  (values) =>
    values.flatMap((value) => {
      if (value === null || value === undefined) return [];
      if (!Array.isArray(value)) throw new Mismatch();
      return sliced(value, range);
    });

function sliced(list: readonly unknown[], { every = 1, ...range }: Range): readonly unknown[] {
  const fromEnd = (index: number) => (index < 0 ? index + list.length : index);
  const first = fromEnd(range.first ?? 0);
  const end = 'end' in range ? (range.end === undefined ? list.length : fromEnd(range.end)) : first + 1;
  if (first === end) return [];
  if (first < 0 || end < first || end > list.length || every < 1) throw new Mismatch();
  return list.slice(first, end).filter((_, i) => i % every === 0);
}

/** The entries of lists in which `left` leads to something, or to what compares with `right`. */
export const filter =
  (left: readonly Step[], compare?: { readonly operator: string; readonly right: readonly Step[] }): Step =>
  (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value)) throw new Mismatch();
      return (value as readonly unknown[]).filter((entry) => {
        const found = run(left, [entry]);
        if (!compare) return found.length > 0;
        const wanted = run(compare.right, [entry]);
        if (found.length === 0 || wanted.length === 0) return false;
        if (found.length > 1 || wanted.length > 1) throw new Mismatch();
        return compares(found[0], compare.operator, wanted[0]);
      });
    });

/** Go compares only what has one type. */
function kindOf(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'float';
  if (typeof value === 'string' || typeof value === 'boolean') return typeof value;
  throw new Mismatch();
}

function compares(left: unknown, operator: string, right: unknown): boolean {
  const kind = kindOf(left);
  if (kind !== kindOf(right)) throw new Mismatch();
  if (operator === '==') return left === right;
  if (operator === '!=') return left !== right;
  if (kind === 'boolean') throw new Mismatch();
  // The cast: both are texts, or both are numbers.
  const order = (left as string) < (right as string) ? -1 : left === right ? 0 : 1;
  if (operator === '<') return order < 0;
  if (operator === '<=') return order <= 0;
  if (operator === '>') return order > 0;
  if (operator === '>=') return order >= 0;
  throw new Mismatch();
}
