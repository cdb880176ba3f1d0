import { type ContainerPort, type EnvVar, InvalidSpec, type ResourceRequirements, shown } from '../api/index.ts';
import { isRecord } from '../api/is-record.ts';

/**
 * Collapses a list that the API server merges by key, at the place of the first entry of each key.
 * `first`: the first entry of a key wins.
 * `equal`: entries of a key must be equal.
 * @throws InvalidSpec at `path`, when two entries of a key differ.
 */
export function byKey<T extends object>(
  keyOf: (entry: T) => unknown,
  list: readonly T[] | undefined,
  rule: 'first' | 'equal',
  path = '',
): readonly T[] | undefined {
  if (!list || list.length === 0) return undefined;
  const merged = new Map<unknown, T>();
  for (const entry of list) {
    const key = keyOf(entry);
    const before = merged.get(key);
    if (before && rule === 'equal' && inOrder(before) !== inOrder(entry))
      throw new InvalidSpec({
        path: `${path}[${String(key)}]`,
        expected: 'one entry for each key',
        found: `${shown(before)} and ${shown(entry)}`,
      });
    if (!before) merged.set(key, entry);
  }
  return [...merged.values()];
}

/** Entries of a class or a profile, and those of a runtime: one of the runtime takes the place of one with its key. */
export function overlaid<T>(keyOf: (entry: T) => unknown, theirs: readonly T[] = [], own: readonly T[] = []): readonly T[] {
  const replacing = new Map(own.toReversed().map((entry) => [keyOf(entry), entry]));
  const keys = new Set(theirs.map(keyOf));
  return [...theirs.map((entry) => replacing.get(keyOf(entry)) ?? entry), ...own.filter((entry) => !keys.has(keyOf(entry)))];
}

/** Amounts of a class or a profile, and those of a runtime, by name of the resource. */
export const overlaidResources = (theirs: ResourceRequirements = {}, own: ResourceRequirements = {}): ResourceRequirements => ({
  ...theirs,
  ...own,
  limits: { ...theirs.limits, ...own.limits },
  requests: { ...theirs.requests, ...own.requests },
});

/** By this the API server merges the ports of a container. */
export const portKey = ({ containerPort, protocol = 'TCP' }: ContainerPort): string => `${containerPort}/${protocol}`;

/** As JSON, with sorted fields. */
const inOrder = (entry: object): string =>
  JSON.stringify(entry, (_, value: unknown) => (isRecord(value) ? Object.fromEntries(Object.entries(value).toSorted()) : value));

/**
 * Variables of a container, one of each name: the last one, in the place of the first, so that `$(NAME)` in the variables between has the
 * value that wins. It keeps its own place if its value refers to one of these, since Kubernetes expands only variables defined before.
 * In a value that refers to its own name, the value before it is written out.
 */
export function variablesByName(list: readonly EnvVar[] | undefined): readonly EnvVar[] | undefined {
  if (!list || list.length === 0) return undefined;
  const winners = new Map<string, EnvVar>();
  for (const variable of list) winners.set(variable.name, withOwn(variable, winners.get(variable.name)?.value));
  // In most lists no name repeats.
  if (winners.size === list.length) return list;
  const last = new Map(list.map(({ name }, i) => [name, i]));
  const references = new Map<string, readonly string[]>();
  // How many of its references a variable need not wait for any more: each is looked at once, however often the variable repeats.
  const settled = new Map<string, number>();
  const placed = new Map<string, EnvVar>();
  for (const [i, { name }] of list.entries()) {
    if (placed.has(name)) continue;
    const winner = winners.get(name) as EnvVar;
    const comesLater = (other: string): boolean => (last.get(other) ?? 0) > i;
    const others = references.get(name) ?? referencesOf(winner);
    references.set(name, others);
    let at = settled.get(name) ?? 0;
    const waitsFor = (other: string | undefined): boolean => other !== undefined && comesLater(other) && !placed.has(other);
    while (at < others.length && !waitsFor(others[at])) at++;
    settled.set(name, at);
    if (at === others.length || !comesLater(name)) placed.set(name, winner);
  }
  return [...placed.values()];
}

/**
 * Names of repeated variables of which some value refers to nothing then: their own earlier value is no text, or a variable before them
 * refers to them while theirs refers to it.
 */
export function entangledVariables(list: readonly EnvVar[] = []): readonly string[] {
  const merged = variablesByName(list) ?? [];
  if (merged.length === list.length) return [];
  const first = new Map(list.map(({ name }, i) => [name, i] as const).toReversed());
  const last = new Map(list.map(({ name }, i) => [name, i]));
  const place = new Map(merged.map(({ name }, i) => [name, i]));
  const isRepeated = (name: string): boolean => first.get(name) !== last.get(name);
  const isLost = (name: string, user: string): boolean =>
    isRepeated(name) &&
    (place.get(name) as number) >= (place.get(user) as number) &&
    (first.get(name) as number) <= (last.get(user) as number);
  return [...new Set(merged.flatMap((user) => referencesOf(user).filter((name) => place.has(name) && isLost(name, user.name))))];
}

/** Characters of a value in which others are written out: a few lines could make it as long as they like. */
const LONGEST = 32_768;

function withOwn(variable: EnvVar, before: string | undefined): EnvVar {
  if (variable.value === undefined || before === undefined) return variable;
  if (!variable.value.includes(`$(${variable.name})`)) return variable;
  const copies = referencesOf(variable).filter((name) => name === variable.name).length;
  if (copies === 0 || variable.value.length + copies * before.length > LONGEST) return variable;
  return { ...variable, value: replaced(variable.value, variable.name, before) };
}

/** `$$` is a dollar sign, and `$$(NAME)` no reference. */
const REFERENCE = /\$\$|\$\(([^()]*)\)/g;
const referencesOf = ({ value = '' }: EnvVar): readonly string[] =>
  (value.match(REFERENCE) ?? []).filter((each) => each !== '$$').map((each) => each.slice(2, -1));
const replaced = (value: string, own: string, before: string): string =>
  value.replaceAll(REFERENCE, (whole, name?: string) => (name === own ? before : whole));
