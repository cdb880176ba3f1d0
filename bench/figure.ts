import type { Lab } from './lab.ts';
import { rounded } from './statistics.ts';

/** One line of output: what was measured, and whether it reaches its target. */
export interface Figure {
  readonly bench: string;
  /** null: what should have happened did not. */
  readonly value: number | null;
  readonly unit: string;
  readonly target: string;
  readonly ok: boolean;
  readonly [detail: string]: unknown;
}

export interface Bench {
  readonly name: string;
  /** In order; asks for the lab only if it needs a control plane. Throws when it could not be run. */
  run(setting: Setting): AsyncIterable<Figure>;
}
export interface Setting {
  /** A control plane that benches of one group share. */
  lab(): Promise<Lab>;
  /** For trying a bench out: fewer runs, shorter periods. The figures mean little. */
  readonly quick: boolean;
}

type Detail = Readonly<Record<string, unknown>>;

export const atMost = (bench: string, value: number | undefined, unit: string, most: number, detail: Detail = {}): Figure => ({
  bench,
  value: value === undefined ? null : rounded(value),
  unit,
  target: `<= ${most}`,
  ok: value !== undefined && value <= most,
  ...detail,
});

export const atLeast = (bench: string, value: number, unit: string, least: number, detail: Detail = {}): Figure => ({
  bench,
  value: rounded(value),
  unit,
  target: `>= ${least}`,
  ok: value >= least,
  ...detail,
});

/** Without a target. */
export const unjudged = (bench: string, value: number, unit: string, detail: Detail = {}): Figure => ({
  bench,
  value: rounded(value),
  unit,
  target: '',
  ok: true,
  ...detail,
});
