import { bytesText } from '../../api/index.ts';
import type { SlowEvidence } from './evidence.ts';
import type { SlowFigures, Fill } from './sums.ts';

/** A cause of slow reads, with its figures. */
export interface SlowCause {
  /** As in the table of the page: `CacheTooSmall`. */
  readonly reason: string;
  readonly message: string;
  /** The evidence: at least one line. */
  readonly restsOn: readonly string[];
  readonly toDo: string;
  /** Field to change, and the value for it, if one can be said. */
  readonly field?: string;
  readonly value?: string;
  /** How much of the reads it concerns, 0 to 1, as far as that can be said: the order of causes. */
  readonly weight: number;
}

/** The evidence, and the figures that follow from it. */
export interface SlowCase {
  readonly evidence: SlowEvidence;
  readonly figures: SlowFigures;
  readonly fill?: Fill;
}

/** A row of the table of causes. */
export interface CauseRow {
  readonly reason: string;
  /** When it is named, for the page. */
  readonly when: string;
  /** The remedy, for the page. */
  readonly remedy: string;
  readonly find: (of: SlowCase) => readonly Omit<SlowCause, 'reason'>[];
}

/** A smaller part than this of what is read makes nothing slow. */
export const MUCH = 0.1;

export const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
/** Milliseconds or seconds, for people. */
export const timeText = (seconds: number): string =>
  seconds < 1 ? `${(seconds * 1000).toFixed(seconds < 0.01 ? 2 : 0)} ms` : `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
export const many = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** `1.00GiB of 2.00GiB`. */
export const fillText = ({ usedBytes, capacityBytes }: Fill): string =>
  capacityBytes === undefined ? bytesText(usedBytes) : `${bytesText(usedBytes)} of ${bytesText(capacityBytes)}`;

/** How many blocks left the cache, if that is counted. */
export const evictionText = ({ sums, when, basis, shares }: SlowFigures): string =>
  basis === 'status'
    ? `the hit ratio of the status is ${percent(1 - (shares?.store ?? 0))}`
    : `${many(sums.evictions, 'block')} left the cache ${when}`;

/** `62.0% of what readers got came from the store in 10 s, 1.20GiB`. */
export const storeText = ({ shares, sums, when, basis }: SlowFigures): string =>
  basis === 'status'
    ? `${percent(shares?.store ?? 0)} of reads were not answered by the cache, ${when}`
    : `${percent(shares?.store ?? 0)} of what readers got ${when} came from the store: ${bytesText(sums.bytes.store)}`;
