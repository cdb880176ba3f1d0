import { bytesText } from '../../api/index.ts';
import { type CauseRow, many, MUCH, percent, storeText, timeText } from './cause.ts';
import { meanOf } from './sums.ts';

/** Mean seconds of a request to a store that is near; a block of 4 MiB takes some hundredths. */
const SLOW_STORE_S = 0.1;
/** Requests of which a mean says something. */
const FEW_REQUESTS = 3;
const FEW_LOOK_UPS = 100;
/** Bytes that a program reads for each other request: with fewer, requests take the time and not bytes. */
const FEW_BYTES = 64 * 1024;

const storeFails: CauseRow = {
  reason: 'StoreFails',
  when: 'requests to the store fail',
  remedy: 'see that it runs, can be reached, takes the credentials, and does not limit requests',
  find({ figures: { now } }) {
    const { errors, count } = now.store;
    if (errors <= 0) return [];
    return [
      {
        message: `${many(errors, 'request')} to the store failed meanwhile, of ${Math.max(count, errors)}: clients ask again, and wait in between`,
        restsOn: [`counters of the clients: ${many(errors, 'error')}`],
        toDo: 'see that the store runs, can be reached from the fuse pods, takes the credentials, and does not limit requests',
        weight: Math.min(1, errors / Math.max(count, errors)),
      },
    ];
  },
};

const storeSlow: CauseRow = {
  reason: 'StoreSlow',
  when: 'a request to the store takes 100 ms, and a tenth of the bytes or more come from it',
  remedy: 'load data before it is read; use a nearer endpoint',
  find({ figures }) {
    const { sums, shares, when } = figures;
    const mean = meanOf(sums.store);
    if (mean === undefined || mean < SLOW_STORE_S || sums.store.count < FEW_REQUESTS || (shares?.store ?? 0) < MUCH) return [];
    const cache = meanOf(sums.cacheReads);
    const pace = sums.store.bytes / sums.store.seconds;
    return [
      {
        message: `a request to the store takes ${timeText(mean)}${cache === undefined ? '' : `, a read from the cache ${timeText(cache)}`}`,
        restsOn: [
          `${many(sums.store.count, 'request')} ${when} took ${timeText(sums.store.seconds)} together, for ${bytesText(sums.store.bytes)}: ${bytesText(pace)} a second each`,
          storeText(figures),
        ],
        toDo: 'load the data before it is read, and see the way to the store: its region, its endpoint, limits of its requests',
        weight: 0.9 * (shares?.store ?? 0),
      },
    ];
  },
};

const metadata: CauseRow = {
  reason: 'MetadataBound',
  when: 'look-ups take more time than reads, and bring less than 64 KiB each',
  remedy: 'few large files, such as archives, in place of many small ones',
  find({ figures: { sums, when } }) {
    const { metadata: other, reads } = sums;
    const time = other.seconds + reads.seconds;
    if (other.count < FEW_LOOK_UPS || time <= 0 || other.seconds / time < 0.5 || reads.bytes / other.count >= FEW_BYTES) return [];
    return [
      {
        message: `${percent(other.seconds / time)} of the time of requests goes to look-ups, opens and the like, and not to reads: the files are small, or are listed`,
        restsOn: [
          `${other.count} such requests ${when} took ${timeText(other.seconds)}, ${many(reads.count, 'read')} ${timeText(reads.seconds)}`,
          `${bytesText(reads.bytes / other.count)} were read for each of them`,
        ],
        toDo: 'read few large files, such as archives, in place of many small ones; if pods may only read (spec.accessModes of the Dataset: ReadOnlyMany), metadata is kept for two hours',
        field: 'Dataset spec.accessModes',
        weight: (0.6 * other.seconds) / time,
      },
    ];
  },
};

const options: CauseRow = {
  reason: 'CostlyOption',
  when: 'the client has an option that costs time: [a table](options-that-cost.md) has them',
  remedy: 'as the table says',
  find: ({ evidence, figures }) =>
    evidence.options.map(({ field, value, cost }) => ({
      message: `${cost.client}: ${cost.name}${value === '' ? '' : ` is ${value}`}: ${cost.costs}`,
      restsOn: [`${field}, by ${cost.source}`],
      toDo: `${field}: ${cost.instead}`,
      field,
      weight: cost.turnsCacheOff ? (figures.shares?.store ?? 0.9) : 0.2,
    })),
};

export const requestCauses: readonly CauseRow[] = [storeFails, storeSlow, metadata, options];
