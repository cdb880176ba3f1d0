import { label, publishMethodOf } from '../../src/api/index.ts';
import { type BasePlan, basePlan, must, type Needs, type PlanInput, together } from '../../src/constructs/index.ts';
import { externalOf, mastersOf } from './etcd.ts';
import { fusePod, MOUNT_DIR } from './fuse-pod.ts';
import { levelsOf } from './levels.ts';
import { masterPod } from './master-pod.ts';
import { workerOptions } from './options.ts';
import { type Ports, portNeeds, portsOf } from './ports.ts';
import type { VineyardRuntimeSpec } from './spec.ts';
import { specWarnings } from './warnings.ts';
import { workerPod } from './worker-pod.ts';

export interface VineyardPlan extends BasePlan {
  readonly ports: Ports;
  readonly master: ReturnType<typeof masterPod>;
  readonly worker: ReturnType<typeof workerPod>;
  readonly client: ReturnType<typeof fusePod>;
  /** Where each worker listens, for applications on nodes without one. */
  readonly addresses: string;
  /** Memory of a worker for objects. */
  readonly bytes: number;
  /** A directory of nodes, of this runtime alone, with what did not fit in memory. */
  readonly spill?: string;
}

type Input = PlanInput<VineyardRuntimeSpec>;

export const needs = (input: Input): Needs => ({ ports: portNeeds(input), masters: true });

export function plan(input: Input): VineyardPlan {
  const { namespace, spec, runtime } = input;
  const { base, count, external, workers, ports, levels, options } = together({
    base: () => basePlan(input, { mountType: 'vineyard-fuse', mountDir: MOUNT_DIR }),
    count: () => mastersOf(input),
    external: () => externalOf(input),
    workers: () => workersOf(spec),
    ports: () => portsOf(input),
    levels: () => levelsOf(input),
    options: () => workerOptions(input),
  });
  const podsOf = (role: 'master' | 'worker', length: number) => Array.from({ length }, (_, i) => `${runtime.workloads[role]}-${i}`);
  const masters = podsOf('master', count);
  const own = masters.map((pod) => `http://${pod}.${runtime.workloads.master}.${namespace}:${ports.client}`).join();
  const endpoints = external ?? own;
  const { hostPath, mountPath } = base;
  const { master, worker, client } = together({
    master: () => masterPod(input, { masters, ports }),
    worker: () => workerPod(input, { endpoints, ports, levels, options, hostPath }),
    client: () => fusePod(input, { endpoints, options, hostPath, mountPath, rpcConf: rpcConfOf(input) }),
  });
  return {
    ...base,
    ports,
    master,
    worker,
    client,
    addresses: podsOf('worker', workers)
      .map((pod) => `${pod}.${runtime.workloads.worker}.${namespace}:${ports.rpc}`)
      .join(),
    bytes: levels.bytes,
    ...(levels.spill?.isOnNode && { spill: levels.spill.directory }),
    config: { name: rpcConfOf(input), roles: ['fuse'] },
    volume: linked(base.volume),
    replicas: { ...(count > 0 && { master: count }), worker: workers },
    cacheOnNode: { memory: levels.bytes, ...(levels.spill && levels.spill.bytes > 0 && { disk: levels.spill.bytes }) },
    warnings: [...base.warnings, ...specWarnings(input)],
  };
}

/** A ConfigMap has the address of each, and no more than fit. */
const MOST_WORKERS = 5000;
function workersOf({ replicas = 0 }: VineyardRuntimeSpec): number {
  must(replicas >= 0 && replicas <= MOST_WORKERS, 'spec.replicas', `0 to ${MOST_WORKERS}`, replicas);
  return replicas;
}

export const rpcConfOf = ({ name }: { readonly name: string }): string => `${name}-rpc-conf`;

/** As in Fluid, pods get a link: in it they see a socket that is made again. What the user says in `data.fluid.io/metadataList` wins. */
function linked({ metadata, ...volume }: BasePlan['volume']): BasePlan['volume'] {
  const { labels, annotations } = metadata.volume;
  const method = publishMethodOf(labels) ?? 'symlink';
  return {
    ...volume,
    attributes: { ...volume.attributes, ...(method === 'symlink' && { node_publish_method: method }) },
    metadata: { ...metadata, volume: { annotations, labels: { ...labels, [label.nodePublishMethod]: method } } },
  };
}
