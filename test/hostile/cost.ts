import { InvalidSpec } from '../../src/api/index.ts';

/** An annotation may have so many characters, a list of an object about so many entries. */
export const LONG = 256 * 1024;
export const MANY = 10_000;

/** The time for which one call may keep all other tenants waiting. */
const MOST_MS = 50;
/** Nothing that is worse than linear takes so little at these sizes. Once, V8 takes as long to make room for a text of nothing but brackets. */
const SURELY_LINEAR_MS = 20;

/**
 * The fault in the cost of a call, if any. The cost is time of the CPU, the best of several tries, compared with that of half the size: a
 * busy machine makes both slower. A cheap call is measured once; an expensive call is so each time, a neighbour on the machine is not.
 */
export function tooDear<T>(input: (size: number) => T, call: (given: T) => unknown, size: number, mostMs = MOST_MS): string | undefined {
  const whole = input(size);
  let cost = cpuMs(() => call(whole));
  if (cost <= SURELY_LINEAR_MS) return undefined;
  const half = input(size / 2);
  let ofHalf = Infinity;
  let found: string | undefined;
  for (let tries = 0; tries < TRIES; tries++) {
    const now = tries === 0 ? cost : cpuMs(() => call(whole));
    // The smaller of two, so that one slow moment does not excuse the whole.
    const halfNow = Math.min(
      cpuMs(() => call(half)),
      cpuMs(() => call(half)),
    );
    [cost, ofHalf] = [Math.min(cost, now), Math.min(ofHalf, halfNow)];
    // Both of one moment, in which the machine was as slow for the one as for the other; and the best of each.
    found = verdict(now, halfNow, mostMs) && verdict(cost, ofHalf, mostMs);
    if (found === undefined) break;
  }
  return found;
}

function verdict(cost: number, ofHalf: number, mostMs: number): string | undefined {
  if (cost > mostMs && cost > mostMs * slowness())
    return `${cost.toFixed(1)} ms, more than ${mostMs} (half of it: ${ofHalf.toFixed(1)} ms)`;
  return cost > 4 * ofHalf + SURELY_LINEAR_MS ? `${cost.toFixed(1)} ms where half of it costs ${ofHalf.toFixed(1)} ms` : undefined;
}

/** How much longer this machine takes now than an idle one of 3 GHz: to compute, or to read and write memory, which neighbours fill. */
const slowness = (): number => Math.max(1, cpuMs(spin) / SPIN_MS, cpuMs(churn) / CHURN_MS);
const [SPIN_MS, CHURN_MS] = [27, 60];
function spin(): number {
  let x = 1;
  for (let i = 0; i < 20_000_000; i++) x = (Math.imul(x, 1_103_515_245) + 12_345) | 0;
  return x;
}
const ENTRIES = JSON.stringify(
  Array.from({ length: 4000 }, (_, i) => ({ path: `/a/${i}`, source: `s3://bucket/${i}`, options: { [`k${i}`]: 'v' } })),
);
function churn(): number {
  let length = 0;
  for (let i = 0; i < 8; i++) {
    const all = JSON.parse(ENTRIES) as readonly { readonly path: string; readonly source: string; readonly options: object }[];
    const byPath = new Map(all.map((entry) => [entry.path, { ...entry, options: { ...entry.options } }]));
    length += [...byPath.values()].map(({ source }) => source.replaceAll('/', '_')).join().length;
  }
  return length;
}

const TRIES = 9;

function cpuMs(run: () => unknown): number {
  const before = process.threadCpuUsage();
  try {
    run();
  } catch (error) {
    // A refusal is an answer; that there is no stack or memory left is none.
    if (!(error instanceof InvalidSpec)) throw error;
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

const PIECES = [
  '1',
  'a',
  ' ',
  '\n',
  '/',
  ',',
  ':',
  '-',
  '=',
  '${',
  '$${',
  "'",
  '\0',
  'ä',
  '1,',
  'a.',
  '/a:',
  '/a,',
  '${a}',
  '{"a":',
  '[],',
  '1E1',
];
const BEFORE = ['', '1', '/', '[', 'juicefs:///', 'pvc://a', 's3://', '0.0.0.0:'];
const AFTER = ['!', '', 'x', '1Gi', '}]'];

/** Texts that grow: a beginning, one piece many times over, and an end that does not fit. */
export const texts: readonly ((size: number) => string)[] = PIECES.map(
  (piece, i) => (size) => (BEFORE[i % BEFORE.length] ?? '') + piece.repeat(size / piece.length) + (AFTER[i % AFTER.length] ?? ''),
);
