import { keyPath } from '../../src/api/index.ts';
import type { ThinRuntimeSpec } from '../../src/api/index.ts';
import {
  type ChosenOption,
  type Diagnosis,
  type DiagnosedSpecs,
  type OptionCost,
  valueBelow,
  valueIs,
  valueIsNone,
} from '../../src/constructs/index.ts';

const cost = (
  client: string,
  name: string,
  values: string,
  isCostly: OptionCost['isCostly'],
  costs: string,
  instead: string,
  source: string,
): OptionCost => ({ client, name, values, isCostly, costs, instead, source });
const fuse = (name: string, values: string, isCostly: OptionCost['isCostly'], costs: string) =>
  cost('any client with libfuse', name, values, isCostly, costs, 'leave it out', 'mount.fuse3(8)');

/** Options that a client of any image may have. */
const optionCosts: readonly OptionCost[] = [
  fuse('direct_io', '', () => true, 'no page cache: each read asks the client, also of what the node has just read'),
  fuse('attr_timeout', '0', valueIsNone, 'the kernel asks the client for each attribute'),
  fuse('entry_timeout', '0', valueIsNone, 'the kernel asks the client for each name in a path'),
  fuse('max_read', 'below 131072', valueBelow(131_072), 'reads come in small pieces'),
  fuse('max_readahead', 'below 131072', valueBelow(131_072), 'the kernel does not read ahead'),
  cost(
    'rclone',
    'vfs-cache-mode',
    'off, minimal',
    valueIs('off', 'minimal'),
    'no file is cached: each read asks the store',
    'full',
    'rclone mount --help',
  ),
  cost('s3fs', 'max_stat_cache_size', '0', valueIsNone, 'each look-up asks the store', 'leave it out: 100,000', 's3fs(1)'),
];

/** Most caches of such clients are in the fuse pods; no command is known that prints what any of them counts. */
export const diagnosis: Diagnosis<ThinRuntimeSpec> = {
  cache: () => ({ in: 'fuse', field: 'spec.fuse' }),
  costs: optionCosts,
  chosen,
};

/** Options of the runtime win over those of the mount, and these over shared ones. Those of a profile are not looked at. */
function chosen({ spec, dataset }: DiagnosedSpecs<ThinRuntimeSpec>): readonly ChosenOption[] {
  const parts = [
    ['Dataset spec.sharedOptions', dataset.sharedOptions],
    ['Dataset spec.mounts[0].options', dataset.mounts?.[0]?.options],
    ['spec.fuse.options', spec.fuse?.options],
  ] as const;
  const named = parts.flatMap(([path, options = {}]) =>
    Object.entries(options).map(([name, value]) => ({ field: keyPath(path, name), name: name.replace(/^-{1,2}/, ''), value })),
  );
  const words = [...(spec.fuse?.command ?? []), ...(spec.fuse?.args ?? [])].flatMap((text) => text.split(/[\s,]+/));
  const ofArguments = words.map((word) => {
    const [, name = '', value = ''] = /^(?:-o|--?)?([^=]*)=?(.*)$/s.exec(word) ?? [];
    return { field: 'spec.fuse.args', name, value };
  });
  return [...new Map([...ofArguments, ...named].map((each) => [each.name, each])).values()];
}
