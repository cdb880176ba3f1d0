export interface Amount {
  /** The amount that reader.py reads or writes in one measurement. */
  readonly amount: number;
  /** The same of a slow engine, of which many pairs would take too long; else `amount`, since a file or a folder is read whole. */
  readonly ofSlow?: number;
  readonly unit: string;
}
/** The operations of reader.py. */
export const OPERATIONS = {
  'sequential-cold': { amount: 16, unit: 'MiB/s' },
  'sequential-warm': { amount: 128, unit: 'MiB/s' },
  'random-4k': { amount: 4_000, ofSlow: 200, unit: 'reads/s' },
  stat: { amount: 10_000, ofSlow: 1_000, unit: 'files/s' },
  list: { amount: 10_000, unit: 'names/s' },
  'small-files': { amount: 500, ofSlow: 100, unit: 'files/s' },
  write: { amount: 8, unit: 'MiB/s' },
} as const satisfies Readonly<Record<string, Amount>>;
export type Operation = keyof typeof OPERATIONS;

/** A cold read needs two files of its own. */
export const MOST_COLD = 40;
