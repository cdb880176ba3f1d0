import { joinedOptions, literal, type Options, type PlanInput } from '../../src/constructs/index.ts';
import { hasWorkers } from './ports.ts';
import type { Source } from './source.ts';
import type { EFCRuntimeSpec } from './spec.ts';
import type { Tier } from './tier.ts';

type Input = Pick<PlanInput<EFCRuntimeSpec>, 'spec' | 'namespace' | 'name'>;

/** Options of workers that follow from the spec. A property of the same name would name another port or directory than the pod has. */
export const DECIDED: readonly string[] = ['cache_media', 'server_port'];

const protocolOf = ({ isCpfs }: Source): Options => (isCpfs ? { protocol: 'nfs3' } : {});

export const masterOptions = ({ spec, namespace, name }: Input, source: Source): string => {
  const identity = `${namespace}-${name}-master`;
  return optionText({ ...protocolOf(source), client_owner: identity, assign_uuid: identity }, spec.master?.properties);
};

export const fuseOptions = ({ spec, namespace, name }: Input, source: Source): string =>
  optionText(
    {
      ...protocolOf(source),
      ...(hasWorkers(spec) && { g_tier_EnableClusterCache: 'true', g_tier_EnableClusterCachePrefetch: 'true' }),
      assign_uuid: `${namespace}-${name}-fuse`,
    },
    spec.fuse?.properties,
  );

export const workerOptions = ({ spec }: Input, { directory, gibibytes, isMemory }: Tier, port: number): string =>
  optionText(
    {
      cache_media: directory,
      server_port: String(port),
      cache_capacity_gb: String(gibibytes),
      ...(isMemory && { tmpfs: 'true' }),
    },
    Object.fromEntries(Object.entries(spec.worker?.properties ?? {}).filter(([name]) => !DECIDED.includes(name))),
  );

/** In the order of Fluid. A user's property replaces the default of its name. */
function optionText(defaults: Options, properties: Options = {}): string {
  const kept = Object.entries(defaults)
    .filter(([name]) => !(name in properties))
    .map(([name, value]) => `${name}=${value}`);
  return literal([...kept, joinedOptions(properties)].filter(Boolean).join(','));
}
