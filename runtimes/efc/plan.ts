import { NODE_DAEMONS } from '../../src/api/index.ts';
import { type BasePlan, basePlan, cleaningOf, type Needs, type PlanInput, together } from '../../src/constructs/index.ts';
import { endpointsName, endpointsOf } from './endpoints.ts';
import { fusePod, MOUNT_AT, MOUNT_DIR, masterPod, workerPod } from './pods.ts';
import { hasWorkers, portNeeds, portOf } from './ports.ts';
import { sessionDirectory } from './session-manager.ts';
import { sourceOf } from './source.ts';
import type { EFCRuntimeSpec } from './spec.ts';
import { tierOf } from './tier.ts';
import { specWarnings } from './warnings.ts';

export interface EfcPlan extends BasePlan {
  readonly master: ReturnType<typeof masterPod>;
  readonly worker: ReturnType<typeof workerPod>;
  readonly client: ReturnType<typeof fusePod>;
  /** Where workers serve their caches: `<address>:<port>`. No pod template depends on it. */
  readonly endpoints: readonly string[];
  /** Directory of nodes with the cache, of this runtime alone. */
  readonly nodeCache?: string;
}

type Input = PlanInput<EFCRuntimeSpec>;

export const needs = (input: Input): Needs => ({
  ports: portNeeds(input),
  ...(hasWorkers(input.spec) && { pods: ['worker'] }),
});

export function plan(input: Input): EfcPlan {
  const { name, namespace, spec, dataset, facts, settings } = input;
  const options = {
    mountType: 'alifuse.aliyun-alinas-efc',
    mountDir: MOUNT_DIR,
    mountAt: MOUNT_AT,
    fuseNodeSelector: spec.fuse?.nodeSelector,
  };
  const ofDataset = () => together({ source: () => sourceOf(dataset.spec) }, `Dataset ${namespace}/${name}`).source;
  const { base, tier, source } = together({ base: () => basePlan(input, options), tier: () => tierOf(input), source: ofDataset });
  const port = portOf(input);
  return {
    ...base,
    master: masterPod(input, source),
    worker: workerPod(input, tier, port),
    client: fusePod(input, source),
    endpoints: hasWorkers(spec) ? endpointsOf(facts.pods.worker, port) : [],
    ...(tier.isOnNode && hasWorkers(spec) && { nodeCache: tier.directory }),
    replicas: {
      ...(!spec.master?.disabled && { master: spec.master?.replicas ?? 1 }),
      ...(hasWorkers(spec) && { worker: spec.replicas ?? 0 }),
    },
    // Masters and clients follow the list while they run.
    config: { name: endpointsName(name), roles: ['master', 'fuse'] },
    volume: {
      ...base.volume,
      attributes: { ...base.volume.attributes, [NODE_DAEMONS.efc.attribute]: sessionDirectory(settings.mountRoot) },
    },
    cacheOnNode: tier.bytes > 0 ? { [tier.isMemory ? 'memory' : 'disk']: tier.bytes } : {},
    cleaning: cleaningOf(spec.cleanCachePolicy, base.cleaning),
    warnings: [...base.warnings, ...specWarnings(spec, dataset.spec)],
  };
}
