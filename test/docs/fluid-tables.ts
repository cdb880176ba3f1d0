/** The tables that compare Sluice with Fluid: figures, differences, refusals, additions. */
import { FLUID } from '../../bench/fluid.ts';
import { named } from '../../bench/markdown.ts';
import { figuresOf, recordedRuns } from '../../bench/recorded.ts';
import { additions } from '../api/additions.ts';
import { differences, refusals } from '../upstream/differences.ts';
import { code, table } from './markdown.ts';

export const fluidTables: Readonly<Record<string, () => Promise<string>>> = {
  async figures() {
    const rows = new Map(
      recordedRuns()
        .flatMap(figuresOf)
        .map((figure) => [named(figure), [String(figure.value), FLUID[figure.bench] ?? '']]),
    );
    const row = (what: string, bench: string, unit: string) => [
      what,
      `${rows.get(bench)?.[0] ?? notMeasured(bench)}${unit}`,
      rows.get(bench)?.[1] ?? '',
    ];
    const drift = [...rows].flatMap(([bench, [ours = '', fluid = '']]) =>
      bench.startsWith('drift/') ? [{ ours: Number(ours), fluid }] : [],
    );
    const never = drift.filter(({ fluid }) => fluid.trim() === 'never').length;
    const slowest = Math.max(...drift.flatMap(({ fluid }) => [...fluid.matchAll(/[\d.]+/g)].map(Number)));
    return table(
      ['', 'Sluice', 'Fluid'],
      [
        row('a ThinRuntime, from applied to Bound, median', 'bind-one/thin-bound', ' s'),
        row('… to its claim Bound, the worst seen', 'bind-one/thin-worst', ' s'),
        row('a JuiceFSRuntime, from applied to Bound, median', 'bind-one/juicefs-bound', ' s'),
        row('… to its claim Bound, the worst seen', 'bind-one/juicefs-worst', ' s'),
        row('1,000 ThinRuntimes at once, Bound per second', 'bind-1000/rate', ''),
        row('requests to the API server for each', 'bind-1000/requests', ''),
        [
          `${drift.length} kinds of drift, repaired within`,
          `${Math.max(...drift.map(({ ours }) => ours))} s`,
          `${never} of ${drift.filter(({ fluid }) => fluid.trim() !== '').length} never repaired, the others within ${slowest} s`,
        ],
        row('restarted after a crash, to the next Bound', 'recover/same-place', ' s'),
        row('memory of an idle controller', 'idle-rss', ' MB'),
      ],
    );
  },
  async differences() {
    return table(
      ['object', 'what', 'Fluid', 'Sluice', 'why'],
      differences.map(({ cases, object, path, fluid, ours, reason }) => [
        objects(object) + (cases ? ` in ${code(plain(cases))}` : ''),
        path.source === '^$' ? 'the object' : code(plain(path)),
        meaning(fluid),
        meaning(ours),
        reason,
      ]),
    );
  },
  async refusals() {
    return table(
      ['case', 'Fluid says', 'Sluice says'],
      Object.entries(refusals).map(([name, { fluid, ours }]) => [code(name), fluid, ours]),
    );
  },
  async additions() {
    return table(
      ['kinds', 'path', 'why'],
      additions.map(({ kinds, path, reason }) => [kinds === 'all' ? 'all' : kinds.join(', '), code(path), reason]),
    );
  },
};

function notMeasured(bench: string): never {
  throw new Error(`bench/figures: expected a figure of ${bench}`);
}

/** A pattern as people read it. */
export const plain = ({ source }: RegExp): string =>
  source
    .replace(/^\^|\$$/g, '')
    .replace(/\\(.)/g, '$1')
    .replace(/^"|"$/g, '')
    .replace(/\/$/, '')
    .replaceAll('.*', '…')
    .trim();

const objects = (pattern: RegExp): string => {
  const [, alternatives] = /^\(([^()]*)\)$/.exec(plain(pattern)) ?? [];
  return plain(pattern) === '.' ? 'every object' : (alternatives?.split('|') ?? [plain(pattern)]).map(code).join(', ');
};

export const meaning = (pattern: RegExp | undefined): string => {
  const text = pattern && plain(pattern);
  return text === undefined ? 'nothing' : text === '.' ? 'something' : text === 'made' ? 'created' : code(text);
};
