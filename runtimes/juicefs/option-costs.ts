import { isSwitchedOn, type OptionCost, valueBelow, valueIs, valueIsNone } from '../../src/constructs/index.ts';

const HELP = '`juicefs mount --help`, 1.4.2';
const CACHE = 'juicefs.com/docs/community/guide/cache';
const CLOUD = 'juicefs.com/docs/cloud/guide/cache';

const cost = (
  name: string,
  values: string,
  isCostly: OptionCost['isCostly'],
  costs: string,
  instead: string,
  source: string = HELP,
): OptionCost => ({ client: 'JuiceFS', name, values, isCostly, costs, instead, source });

/** Options of `juicefs mount` that make reads slow; both editions have most of them. */
export const optionCosts: readonly OptionCost[] = [
  {
    ...cost('cache-size', '0', valueIsNone, 'nothing is cached: each read asks the store', 'leave it out, and size spec.tieredstore'),
    turnsCacheOff: true,
  },
  cost('buffer-size', 'below 100', valueBelow(100, 'M'), 'a client reads few blocks at once', 'leave it out: 300 MiB'),
  cost('max-readahead', 'below 8', valueBelow(8, 'M'), 'a file that is read in order waits for each block', 'leave it out'),
  cost('max-downloads', 'below 10', valueBelow(10), 'few requests to the store at once', 'leave it out: 200'),
  cost('download-limit', '', (value) => !valueIsNone(value), 'the client may not read faster, in Mbit/s', 'leave it out, or raise it'),
  cost('cache-partial-only', '', isSwitchedOn, 'whole blocks are not cached, so sequential reads ask the store', 'leave it out', CACHE),
  cost('verify-cache-checksum', 'full', valueIs('full'), 'each read of the cache is checked as a whole', 'leave it out: extend', CACHE),
  cost(
    'attr-cache',
    '0',
    valueIsNone,
    'the kernel asks the client for each attribute',
    'leave it out: 1 s, 2 hours if pods may only read',
    CACHE,
  ),
  cost(
    'entry-cache',
    '0',
    valueIsNone,
    'the kernel asks the client for each name in a path',
    'leave it out: 1 s, 2 hours if pods may only read',
    CACHE,
  ),
  cost('attrcacheto', '0', valueIsNone, 'the kernel asks the client for each attribute', 'leave it out', CLOUD),
  cost('entrycacheto', '0', valueIsNone, 'the kernel asks the client for each name in a path', 'leave it out', CLOUD),
  cost('debug', '', isSwitchedOn, 'each request is logged', 'leave it out'),
  cost('trace', '', isSwitchedOn, 'each request is logged, with details', 'leave it out'),
];
