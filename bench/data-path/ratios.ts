/** Pairs of one operation by turns, and how the claim's rate relates to that of the bare client. */
import { loadavg } from 'node:os';
import type { Figure } from '../figure.ts';
import { range } from '../lab.ts';
import { median, medianInterval, rounded } from '../statistics.ts';
import { type Amount, MOST_COLD, type Operation, OPERATIONS } from './operations.ts';
import type { Stage } from './stage.ts';

const LEAST = 0.98;
const PAIRS = 20;
/** Pairs go on until the interval is this narrow: a wide one reaches everything. That depends on the noise and not on the median. */
const WIDTH = 0.04;
const MOST_MS = 45_000;
/** Target: the 95 % interval of the median reaches 0.98. */
export async function ratioOf(name: string, operation: Operation, stage: Stage, quick: boolean): Promise<Figure> {
  const { amount: most, ofSlow, unit }: Amount = OPERATIONS[operation];
  const amount = (stage.engine.isSlow && ofSlow) || most;
  const pairs = (first: number, count: number) => stage.pairs(operation, amount, first, count);
  const isCold = operation === 'sequential-cold';
  // Fills caches, and is not counted; a client saves what it has read while the next pair begins.
  if (!isCold) await pairs(0, 2);
  const began = performance.now();
  const times: (readonly [bare: number, claim: number])[] = [];
  const batch = quick ? 6 : PAIRS;
  const mostPairs = quick ? batch : isCold ? MOST_COLD : 100;
  let interval: ReturnType<typeof medianInterval>;
  do {
    times.push(...(await pairs(times.length, batch)));
    interval = medianInterval(times.map(([bare, claim]) => bare / claim));
  } while (interval.high - interval.low > WIDTH && times.length + batch <= mostPairs && performance.now() - began < MOST_MS);
  const rate = (side: 0 | 1) => rounded(median(times.map((pair) => amount / pair[side])));
  return {
    bench: `data-path-${name}/${operation}`,
    value: rounded(interval.median),
    unit: 'of the bare client’s rate, median',
    target: `>= ${LEAST} within the 95 % interval`,
    ok: interval.high >= LEAST,
    low: rounded(interval.low),
    high: rounded(interval.high),
    pairs: times.length,
    bareRate: rate(0),
    claimRate: rate(1),
    rateUnit: unit,
    load: rounded(loadavg()[0] ?? 0),
    // Spread of one pair: the noise that the median has to overcome.
    spread: rounded(spreadOf(times.map(([bare, claim]) => bare / claim))),
  };
}

/** The middle half's width. */
function spreadOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low = 0, high = 0] = range(2).map((i) => sorted[Math.floor(((2 * i + 1) * sorted.length) / 4)]);
  return high - low;
}
