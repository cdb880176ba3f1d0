/** The values of Fluid's chart as values of `sluice install`, and those that have no place there. Pure. */
import { isRecord } from '../../api/is-record.ts';
import { leftRows } from './chart-left.ts';
import { type ChartRow, oneFor, Undecided } from './chart-rows.ts';
import { chartRows } from './chart-values.ts';
import type { LiveSettings } from './live-settings.ts';
import { hasPattern, leavesOf, valueAt, withValue } from './paths.ts';

type Tree = Readonly<Record<string, unknown>>;

export interface ValuesPlan {
  /** For the file of `sluice install --values`: what differs from Sluice's defaults. */
  readonly values: Tree;
  /** The origin of each of `values`. */
  readonly carried: readonly Carried[];
  /** Given values without a place, by the reason. */
  readonly left: readonly { readonly paths: readonly string[]; readonly because: string }[];
  /** Paths of the given values that no chart has. */
  readonly unknown: readonly string[];
  /** Values for which an operator has to decide. */
  readonly undecided: readonly { readonly chart: string; readonly because: string }[];
}

export interface Carried {
  /** Path in the chart, or the variable of Fluid's controllers. */
  readonly chart: string;
  /** `mountRoot`, or `MOUNT_ROOT in controller.env`. */
  readonly place: string;
  readonly value: unknown;
  readonly from: 'values' | 'cluster';
}

export interface ValuesInput {
  /** Values that a user gave to the chart; empty if they are not known. */
  readonly given: Tree;
  readonly live: LiveSettings;
  /** Variables that Sluice's controller reads, beside those of the table. */
  readonly variables: ReadonlySet<string>;
}

/** Where a value is set, in words. */
export function placeInWords({ place }: Pick<ChartRow, 'place'>): string {
  if ('value' in place) return place.value;
  return 'env' in place ? `${place.env.join(', ')} in ${place.of}.env` : `${place.flag}… in controller.args`;
}

export function carryOver({ given, live, variables }: ValuesInput): ValuesPlan {
  const leaves = leavesOf(given);
  let values: Tree = {};
  const carried: Carried[] = [];
  const undecided: { chart: string; because: string }[] = [];
  for (const row of chartRows) {
    try {
      const [own, seen] = [givenBy(row, given, leaves), liveBy(row, live)];
      const value = own ?? seen;
      if (value === undefined || isUsual(row, value)) continue;
      values = put(values, row, value);
      carried.push({ chart: row.chart, place: placeInWords(row), value, from: own === undefined ? 'cluster' : 'values' });
    } catch (error) {
      if (!(error instanceof Undecided)) throw error;
      undecided.push({ chart: row.chart, because: error.message });
    }
  }
  const further = furtherVariables(given, leaves, live, variables);
  for (const { name, value, chart, from } of further.known) {
    values = withVariable(values, 'controller', name, value);
    carried.push({ chart, place: `${name} in controller.env`, value, from });
  }
  return { values, carried, undecided, left: [...leftBy(leaves), ...further.left], unknown: leaves.filter((path) => !isKnown(path)) };
}

/** Whether some chart has a value of this path. */
export const isKnown = (path: string): boolean =>
  hasPattern(path, ENV) || [...chartRows, ...leftRows].some(({ paths }) => paths.some((pattern) => hasPattern(path, pattern)));

const ENV = 'runtime.*.env';

function givenBy({ paths, take }: ChartRow, given: Tree, leaves: readonly string[]): unknown {
  const read = (path: string) => valueAt(given, path) ?? undefined;
  const present = paths.flatMap((pattern) => (pattern.includes('*') ? leaves.filter((path) => hasPattern(path, pattern)) : [pattern]));
  if (present.every((path) => read(path) === undefined)) return undefined;
  return take ? take(read, present) : read(present[0] ?? '');
}

function liveBy({ place, live }: ChartRow, settings: LiveSettings): unknown {
  if (live === 'none') return undefined;
  if (live && 'flag' in live)
    return oneFor(
      live.flag.replace(/=$/, ''),
      live.of.map((workload) => settings.flag(live.flag, workload)),
    );
  const name = live?.variable ?? ('env' in place ? place.env[0] : undefined);
  const text = name === undefined ? undefined : settings.variable(name);
  if (text !== undefined && text !== '') return live?.parse ? live.parse(text) : text;
  return live?.absent && settings.has(live.absent.of) ? live.absent.value : undefined;
}

/** The default of the chart is no choice of a user, and that of Sluice need not be set. */
const isUsual = ({ fluid, ours }: ChartRow, value: unknown): boolean => [fluid, ours].includes(textOf(value)) || value === '';

function put(values: Tree, { place }: ChartRow, value: unknown): Tree {
  if ('value' in place) return withValue(values, place.value, value);
  if ('env' in place) return place.env.reduce((all, name) => withVariable(all, place.of, name, textOf(value)), values);
  const args = (valueAt(values, 'controller.args') ?? []) as readonly string[];
  return withValue(values, 'controller.args', [...args, `${place.flag}${textOf(value)}`]);
}

function withVariable(values: Tree, part: string, name: string, value: string): Tree {
  const env = (valueAt(values, `${part}.env`) ?? []) as readonly { readonly name: string }[];
  return withValue(values, `${part}.env`, [...env.filter((each) => each.name !== name), { name, value }]);
}

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

interface Variable extends Pick<Carried, 'chart' | 'from'> {
  readonly name: string;
  readonly value: string;
}

/** Variables that users add to Fluid's controllers: those that Sluice's reads too, each once, and the others. */
function furtherVariables(given: Tree, leaves: readonly string[], live: LiveSettings, variables: ReadonlySet<string>) {
  const tabled = new Set(
    chartRows.flatMap(({ place, live: own }) =>
      ['env' in place ? place.env : [], own && own !== 'none' && 'variable' in own ? [own.variable] : []].flat(),
    ),
  );
  const own = leaves
    .filter((path) => hasPattern(path, ENV))
    .flatMap((chart) =>
      listOf(valueAt(given, chart)).flatMap((each): readonly Variable[] =>
        isRecord(each) && typeof each['name'] === 'string' && typeof each['value'] === 'string'
          ? [{ chart, name: each['name'], value: each['value'], from: 'values' }]
          : [],
      ),
    );
  const seen = [...variables].flatMap((name): readonly Variable[] => {
    const value = live.variable(name);
    return value === undefined || value === '' || tabled.has(name) ? [] : [{ chart: name, name, value, from: 'cluster' }];
  });
  const known = new Map([...seen, ...own.filter(({ name }) => variables.has(name))].map((each) => [each.name, each]));
  const others = own.filter(({ name }) => !variables.has(name));
  const because = 'the controller of Sluice does not read these variables';
  return {
    known: [...known.values()],
    left: others.length === 0 ? [] : [{ paths: others.map(({ chart, name }) => `${chart}[${name}]`), because }],
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function leftBy(leaves: readonly string[]): ValuesPlan['left'] {
  const has = (paths: readonly string[], path: string) => paths.some((pattern) => hasPattern(path, pattern));
  const tabled = (path: string) => chartRows.some(({ paths }) => has(paths, path));
  const rows = Map.groupBy(
    leaves.filter((path) => !tabled(path)),
    (path) => leftRows.find(({ paths }) => has(paths, path)),
  );
  return [...rows].flatMap(([row, paths]) => (row ? [{ paths, because: row.because }] : []));
}
