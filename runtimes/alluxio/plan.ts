import { type BasePlan, basePlan, cleaningOf, type Needs, optionNeeds, type PlanInput, together } from '../../src/constructs/index.ts';
import { socketOf } from './domain-socket.ts';
import { environmentPlan } from './environment.ts';
import { hadoopOf } from './hadoop.ts';
import { type Image, imagesOf } from './images.ts';
import { mastersOf } from './masters.ts';
import { type Mounts, mountsOf } from './mounts.ts';
import { clientTakesArguments } from './fuse.ts';
import { fusePod, masterPod, volumesByRole, workerPod } from './pod.ts';
import { portNeeds, type Ports, portsOf } from './ports.ts';
import { checkProperties } from './properties.ts';
import { restoreOf } from './restore.ts';
import type { AlluxioRuntimeSpec } from './spec.ts';
import { tiersOf } from './tiers.ts';
import { type Account, accountOf } from './users.ts';
import { specWarnings } from './warnings.ts';

export interface AlluxioPlan extends BasePlan {
  /** Image of all pods but the client's. */
  readonly image: Image;
  readonly mounts: Mounts;
  readonly ports: Ports;
  /** By the names of their pods. */
  readonly masters: readonly string[];
  /** Environment of every container; data of the ConfigMap `<name>-config`. */
  readonly environment: Readonly<Record<string, string>>;
  readonly master: ReturnType<typeof masterPod>;
  readonly worker: ReturnType<typeof workerPod>;
  readonly client: ReturnType<typeof fusePod>;
  readonly account: Account | undefined;
  readonly user: { readonly runAsUser: number; readonly runAsGroup: number };
  readonly hasGateway: boolean;
  readonly isMonitored: boolean;
  /** Directories of nodes, each of this runtime alone. */
  readonly nodeCaches: readonly string[];
  readonly syncsMetadata: boolean;
  /** The kubelet's root directory on the nodes. */
  readonly kubeletDir: string;
}

/** As the node plugin has it. */
export const KUBELET_ROOT = 'KUBELET_ROOTDIR';

type Input = PlanInput<AlluxioRuntimeSpec>;

export const needs = (input: Input): Needs => ({
  secrets: optionNeeds(input.dataset.spec),
  ports: portNeeds(input),
  masters: true,
  ...(input.spec.hadoopConfig && { configMaps: [input.spec.hadoopConfig] }),
});

export function plan(input: Input): AlluxioPlan {
  const { name, namespace, spec, dataset, facts } = input;
  const images = imagesOf(input);
  const { base, masters, tiers, mounts, ports, hadoop, socket, account, volumes, restore, takesArguments } = together({
    base: () => basePlan(input, { mountType: 'fuse.alluxio-fuse', mountDir: 'alluxio-fuse', fuseNodeSelector: spec.fuse?.nodeSelector }),
    masters: () => mastersOf(input),
    tiers: () => tiersOf(spec.tieredstore?.levels, input),
    mounts: () => mountsOf(dataset.spec, `Dataset ${namespace}/${name}`),
    ports: () => portsOf(input),
    hadoop: () => hadoopOf(spec.hadoopConfig, facts.configMaps[spec.hadoopConfig ?? '']),
    socket: () => socketOf(input),
    account: () => accountOf(input),
    volumes: () => volumesByRole(input),
    restore: () => restoreOf(input),
    takesArguments: () => clientTakesArguments(images.fuse),
    properties: () => checkProperties(spec),
  });
  const of = { engine: images.engine, image: images.fuse, host: base.hostPath, mountPath: base.mountPath };
  const given = { masters, tiers, mounts, hadoop: hadoop.mounted, socket, volumes, restore, takesArguments };
  const parts = { ...of, ...given, users: account?.mounted ?? [], readOnly: base.readOnly };
  const { master, worker, client } = together({
    master: () => masterPod(input, parts),
    worker: () => workerPod(input, parts),
    client: () => fusePod(input, parts),
  });
  const { cleanCachePolicy, metadataSyncPolicy } = spec.management ?? {};
  return {
    ...base,
    image: images.engine,
    mounts,
    ports,
    masters,
    environment: environmentPlan(input, {
      masters,
      tiers,
      mounts,
      ports,
      readOnly: base.readOnly,
      hadoop: hadoop.properties,
      workerMemory: worker.worker.resources.requests?.['memory'],
    }),
    master,
    worker,
    client,
    account,
    user: { runAsUser: spec.runAs?.uid ?? 0, runAsGroup: spec.runAs?.gid ?? 0 },
    hasGateway: spec.apiGateway?.enabled === true,
    isMonitored: spec.disablePrometheus !== true,
    kubeletDir: input.settings.env[KUBELET_ROOT] ?? '/var/lib/kubelet',
    nodeCaches: [...tiers.levels.flatMap(({ isOnNode, paths }) => (isOnNode ? paths : [])), ...socket.map(({ mount }) => mount.mountPath)],
    syncsMetadata: metadataSyncPolicy?.autoSync !== false,
    replicas: { master: masters.length, worker: spec.replicas ?? 0 },
    cacheOnNode: tiers.onNode,
    cleaning: cleaningOf(cleanCachePolicy, { ...base.cleaning, attempts: 3 }),
    warnings: [...base.warnings, ...specWarnings(spec, dataset.spec, base.readOnly)],
  };
}
