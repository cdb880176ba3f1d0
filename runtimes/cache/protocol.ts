import { goFields, shown } from '../../src/api/index.ts';
import type { Answers, Command, MountRow, MountTable, Probe } from '../../src/constructs/index.ts';
import type { Entry } from './entries.ts';
import type { CachePlan } from './plan.ts';
import { CONFIG_PATH } from './runtime-config.ts';

const commandOf = ({ in: role, container, argv, timeoutSeconds }: Entry): Command => ({
  in: role,
  on: 'first',
  container,
  argv,
  timeoutSeconds,
});

/** Fields have names in any case, as Fluid reads them. */
function jsonOf<N extends string>(text: string, what: string, names: readonly N[]): Readonly<Partial<Record<N, unknown>>> {
  const expected = (wanted: string) => new Error(`${what}: expected ${wanted}, found ${shown(text.slice(0, 200))}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw expected('JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw expected('an object of JSON');
  return goFields(value as Readonly<Record<string, unknown>>, names).fields;
}

/** An old runtime.json would mount what was wanted before, and print that it did. The image may lack `cat`: then there is no telling. */
const isStale = ([config]: Answers, { mountUFS }: CachePlan): boolean =>
  mountUFS !== undefined && config?.[0] !== undefined && config[0] !== mountUFS.config;

/** Paths that a program mounts although no Dataset asks for them. */
const MOST_UNKNOWN = 100;

/**
 * The protocol has one command, which mounts and unmounts what runtime.json says, and prints what is mounted then. So the list is made by
 * mounting, and a change is one more run.
 */
export const mounts: MountTable<CachePlan> = {
  list: {
    mostBytes: 1 << 20,
    commands: ({ mountUFS }) =>
      mountUFS
        ? [{ ...commandOf(mountUFS.entry), argv: ['cat', CONFIG_PATH], timeoutSeconds: 20, mayFail: true }, commandOf(mountUFS.entry)]
        : [],
    parse: (answers, plan): readonly MountRow[] => {
      if (!plan.mountUFS) return [];
      if (isStale(answers, plan)) throw new Error('the pod does not have the new runtime.json yet');
      const { mounted } = jsonOf(answers[1]?.[0] ?? '', 'mountUFS', ['mounted']);
      if (!Array.isArray(mounted) || !mounted.every((path) => typeof path === 'string'))
        throw new Error(`mountUFS: expected {"mounted": ["<path>"]}, found ${shown(answers[1]?.[0]?.slice(0, 200))}`);
      const wanted = new Set(plan.mountUFS.paths);
      // A program may print one path a hundred thousand times.
      const listed = [...new Set<string>(mounted)];
      const unknown = listed.filter((path) => !wanted.has(path));
      // Each of them would be one more run of the command, which has just been run.
      if (unknown.length > MOST_UNKNOWN)
        throw new Error(`mountUFS: expected the paths of the Dataset, found ${unknown.length} others, such as ${shown(unknown[0])}`);
      return listed.map((path) => ({ path }));
    },
  },
  wanted: ({ mountUFS }) => mountUFS?.paths.map((path) => ({ path })) ?? [],
  change: ({ mountUFS }) => (mountUFS ? [commandOf(mountUFS.entry)] : []),
};

/** Fields of the summary, each a text for people. */
const FIELDS = ['cached', 'cachedPercentage', 'cacheCapacity', 'cacheHitRatio'] as const;
const DATA_FIELDS = ['fileNum', 'ufsTotal'] as const;
/** The output of `reportSummary`: texts of the Dataset's `cacheStates`, and those about the data behind the cache. */
export interface Summary {
  readonly cacheStates?: Readonly<Partial<Record<(typeof FIELDS)[number], string>>>;
  readonly data?: Readonly<Partial<Record<(typeof DATA_FIELDS)[number], string>>>;
}
/** Longest text of a status. */
const LONGEST_TEXT = 256;

export const cache: Probe<CachePlan, Summary> = {
  commands: ({ reportSummary }) => (reportSummary ? [commandOf(reportSummary)] : []),
  parse: ([answers]) => {
    if (answers === undefined) return {};
    const said = jsonOf(answers[0] ?? '', 'reportSummary', [...FIELDS, ...DATA_FIELDS]);
    const texts = (fields: readonly (keyof typeof said)[]) =>
      Object.fromEntries(fields.flatMap((field) => (said[field] === undefined ? [] : [[field, textOf(said[field], field)]])));
    return { cacheStates: texts(FIELDS), data: texts(DATA_FIELDS) };
  },
};

function textOf(value: unknown, field: string): string {
  if (typeof value === 'string' && value.length <= LONGEST_TEXT) return value;
  if (typeof value === 'number') return String(value);
  throw new Error(`reportSummary: expected a text of at most ${LONGEST_TEXT} characters in ${field}, found ${shown(value)}`);
}
