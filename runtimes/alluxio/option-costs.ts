import { type OptionCost, valueBelow, valueIs, valueIsNone } from '../../src/constructs/index.ts';

const FUSE = 'mount.fuse3(8)';
const PROPERTIES = 'docs.alluxio.io: Configuration Properties, 2.9';

const cost = (
  name: string,
  values: string,
  isCostly: OptionCost['isCostly'],
  costs: string,
  instead: string,
  source: string,
): OptionCost => ({
  client: 'Alluxio',
  name,
  values,
  isCostly,
  costs,
  instead,
  source,
});
const property = (name: string, values: string, isCostly: OptionCost['isCostly'], costs: string, instead: string): OptionCost =>
  cost(`alluxio.${name}`, values, isCostly, costs, instead, PROPERTIES);

/** A value that `chosen` gives an option which the client's arguments lack. */
export const ABSENT = 'absent';

/** Options of the client's `fuse-opts`, and properties, that make reads slow. */
export const optionCosts: readonly OptionCost[] = [
  cost('direct_io', '', () => true, 'no page cache: each read asks the client, also of what the node has just read', 'leave it out', FUSE),
  cost(
    'kernel_cache',
    ABSENT,
    valueIs(ABSENT),
    'the kernel drops what it has cached of a file each time the file is opened',
    'add kernel_cache',
    FUSE,
  ),
  cost('attr_timeout', '0', valueIsNone, 'the kernel asks the client for each attribute', 'attr_timeout=7200 if pods may only read', FUSE),
  cost(
    'entry_timeout',
    '0',
    valueIsNone,
    'the kernel asks the client for each name in a path',
    'entry_timeout=7200 if pods may only read',
    FUSE,
  ),
  cost('max_read', 'below 131072', valueBelow(131_072), 'reads come in small pieces', 'leave it out', FUSE),
  cost('max_readahead', 'below 131072', valueBelow(131_072), 'the kernel does not read ahead', 'leave it out', FUSE),
  {
    ...property(
      'user.file.readtype.default',
      'NO_CACHE',
      valueIs('no_cache'),
      'nothing is cached: each read asks the store',
      'leave it out: CACHE',
    ),
    turnsCacheOff: true,
  },
  property('user.metadata.cache.enabled', 'false', valueIs('false'), 'each look-up asks the master', 'leave it out: true'),
  property(
    'user.short.circuit.enabled',
    'false',
    valueIs('false'),
    'a client reads also from the worker on its node over the network',
    'leave it out',
  ),
  property('fuse.debug.enabled', 'true', valueIs('true'), 'each request is logged', 'leave it out: false'),
];
