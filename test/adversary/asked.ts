import type { Level } from './rights.ts';

/** Programs of one level, by their numbers. */
export interface Asked {
  readonly seed: number;
  readonly level: Level;
  readonly first: number;
  readonly programs: number;
  /** Only these of their actions. */
  readonly only?: readonly number[];
}

/** Set by scripts/adversary.ts: JSON. */
export const ASKED = 'SLUICE_ADVERSARY';

/** Always the same programs, so that no commit fails by chance; new ones run only when they are asked for. */
const ALWAYS: readonly Asked[] = [
  { seed: 1, level: 1, first: 0, programs: 240 },
  { seed: 1, level: 2, first: 0, programs: 120 },
  { seed: 1, level: 3, first: 0, programs: 60 },
];

const text = process.env[ASKED];
// The cast: only scripts/adversary.ts writes it.
export const asked: readonly Asked[] = text === undefined ? ALWAYS : (JSON.parse(text) as readonly Asked[]);
