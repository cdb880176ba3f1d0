import type { Pod } from '../../pod.ts';
import { type JsonObject, isRecord } from '../../shapes.ts';
import { type Expression, expressionsOf, nodeAffinityOf, withNodeAffinity } from './node-affinity.ts';

/** One way to meet a requirement: a node on which all of these hold. */
export type Alternative = readonly Expression[];
/** The requirements on a node, which must meet one of the alternatives. Without any, or if one asks for nothing, any node will do. */
export type Requirement = readonly Alternative[];

/**
 * Expressions that may be added to a pod, of required and of preferred terms each. No pod that serves a purpose has a tenth of it; one with
 * a hundred terms and a hundred Datasets would grow to more than the API server accepts.
 */
const MOST_EXPRESSIONS = 1000;

interface Term {
  readonly fields: JsonObject;
  readonly expressions: readonly unknown[];
  readonly keys: ReadonlySet<string>;
}

/**
 * The pod on nodes that meet all requirements, beside its own. Kubernetes has a list of terms of which one must hold; so each term is
 * combined with each alternative. A pod whose terms would have too many expressions is returned as it is.
 * @param warn says this to its user
 */
export function requiring(pod: Pod, requirements: readonly Requirement[], warn: (message: string) => void): Pod {
  const asked = requirements.filter((alternatives) => alternatives.length > 0 && alternatives.every(({ length }) => length > 0));
  const affinity = nodeAffinityOf(pod);
  if (asked.length === 0 || !affinity) return pod;
  // An empty term matches no node.
  const own = affinity.terms.filter((term) => !isEmpty(term)).map(termOf);
  if (affinity.terms.length > 0 && own.length === 0) return pod;
  const most = sizeOf(own) + MOST_EXPRESSIONS;
  let terms: readonly Term[] = own.length > 0 ? own : [termOf({})];
  for (const alternatives of asked) {
    const largest = terms.length * sum(alternatives.map(({ length }) => length)) + sizeOf(terms) * alternatives.length;
    if (largest > most) {
      warn(
        `spec.affinity: expected at most ${MOST_EXPRESSIONS} conditions on nodes to add, found up to ${largest - sizeOf(own)}; nothing is required of nodes`,
      );
      return pod;
    }
    terms = terms.flatMap((term) => combined(term, alternatives));
  }
  if (own.length === affinity.terms.length && terms.every((term, i) => term === own[i])) return pod;
  return withNodeAffinity(pod, {
    terms: terms.map(({ fields, expressions }) => (expressions.length > 0 ? { ...fields, matchExpressions: expressions } : fields)),
  });
}

/** The pod with preferences that it does not have yet; all that do not fit are left out. */
export function preferring(pod: Pod, wanted: readonly { readonly weight: number; readonly expressions: Alternative }[]): Pod {
  const affinity = nodeAffinityOf(pod);
  if (!affinity) return pod;
  const seen = new Set(affinity.preferred.map(keyOf));
  const added: object[] = [];
  let room = MOST_EXPRESSIONS;
  for (const { weight, expressions } of wanted) {
    const term = { weight, preference: { matchExpressions: expressions } };
    const key = keyOf(term);
    room -= expressions.length;
    if (room < 0) break;
    if (expressions.length > 0 && !seen.has(key)) added.push(term);
    seen.add(key);
  }
  return added.length > 0 ? withNodeAffinity(pod, { preferred: [...affinity.preferred, ...added] }) : pod;
}

const isEmpty = (term: JsonObject): boolean =>
  [term['matchExpressions'], term['matchFields']].every((each) => !Array.isArray(each) || each.length === 0);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
const sizeOf = (terms: readonly Term[]): number => sum(terms.map(({ expressions }) => expressions.length));

function termOf(fields: JsonObject): Term {
  const expressions = expressionsOf(fields);
  return { fields, expressions, keys: new Set(expressions.map(keyOf)) };
}

/** The term with each alternative. If it has one of them already, the others add nothing: so a pod that comes again does not grow. */
function combined(term: Term, alternatives: Requirement): readonly Term[] {
  const missing = alternatives.map((each) => each.filter((expression) => !term.keys.has(keyOf(expression))));
  if (missing.some(({ length }) => length === 0)) return [term];
  return missing.map((added) => ({
    fields: term.fields,
    expressions: [...term.expressions, ...added],
    keys: new Set([...term.keys, ...added.map(keyOf)]),
  }));
}

/** The same for what says the same: fields come in any order. */
export function keyOf(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    isRecord(each) ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
}
