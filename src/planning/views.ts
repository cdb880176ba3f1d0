import { annotation, type Dataset, fuseGenerationOf, isOwnedBy, type Manifest, type ObjectMeta, valueFile } from '../api/index.ts';
import type { Facts, PodFact, Runtime } from '../constructs/index.ts';
import type { KubeObject } from '../kube/types.ts';
import type { Crash, CrashingPod, LiveObject, RuntimeObject, Unstarted, UnstartedPod, WorkloadView } from './objects.ts';

type Numbers = Readonly<Record<string, number | undefined>>;

/**
 * The counts of a StatefulSet or DaemonSet, its pods that still run an older template, those that crash, and those that do not start.
 *
 * @param moving pods that run and that the StatefulSet is still to adopt, also while it does not exist yet: its controller counts none of them
 */
export function workloadView(
  workload: LiveObject | undefined,
  pods: readonly KubeObject[],
  moving: readonly KubeObject[] = [],
): WorkloadView {
  const status = (workload?.status ?? {}) as Numbers;
  const isAhead = workload?.kind === 'StatefulSet' && podsCreated(workload) < pods.length && readyIn(pods) > (status['readyReplicas'] ?? 0);
  if (!workload || moving.length > 0 || isAhead) return viewOfPods(workload, [...pods, ...moving]);
  const current = podsCreated(workload);
  const told = { outdated: outdatedPods(workload, pods), crashing: crashingPods(pods), unstarted: unstartedPods(pods) };
  if (workload.kind === 'DaemonSet')
    return {
      desired: status['desiredNumberScheduled'] ?? 0,
      current,
      ready: status['numberReady'] ?? 0,
      available: status['numberAvailable'] ?? 0,
      ...told,
    };
  return {
    desired: podsWanted(workload),
    current,
    ready: status['readyReplicas'] ?? 0,
    available: status['availableReplicas'] ?? 0,
    ...told,
  };
}

/** The same by the pods themselves, before the StatefulSet's controller has counted them. */
function viewOfPods(workload: LiveObject | undefined, pods: readonly KubeObject[]): WorkloadView {
  const { readyReplicas = 0, availableReplicas = 0 } = (workload?.status ?? {}) as Numbers;
  const ready = readyIn(pods);
  return {
    desired: workload ? podsWanted(workload) : pods.length,
    current: pods.length,
    ready: Math.max(ready, readyReplicas),
    available: Math.max(ready, availableReplicas),
    outdated: workload ? outdatedPods(workload, pods) : [],
    crashing: crashingPods(pods),
    unstarted: unstartedPods(pods),
  };
}

const readyIn = (pods: readonly KubeObject[]): number =>
  pods.filter((pod) => pod['ready'] === true && !pod.metadata.deletionTimestamp).length;

/** How many pods of a StatefulSet exist, or on how many nodes a DaemonSet has one, as its controller counted last. */
export function podsCreated({ kind, status }: LiveObject): number {
  const { replicas, currentNumberScheduled } = (status ?? {}) as Numbers;
  return (kind === 'DaemonSet' ? currentNumberScheduled : replicas) ?? 0;
}

/** How many pods a StatefulSet is to have. */
export const podsWanted = ({ spec }: KubeObject): number => (spec as { readonly replicas?: number } | undefined)?.replicas ?? 1;

const crashingPods = (pods: readonly KubeObject[]): readonly CrashingPod[] =>
  byName(
    pods.flatMap(({ metadata: { name, deletionTimestamp }, crash }) =>
      crash && !deletionTimestamp ? [{ name, ...(crash as Crash) }] : [],
    ),
  );

const unstartedPods = (pods: readonly KubeObject[]): readonly UnstartedPod[] =>
  byName(
    pods.flatMap(({ metadata: { name, deletionTimestamp }, unstarted }) =>
      unstarted && !deletionTimestamp ? [{ name, ...(unstarted as Unstarted) }] : [],
    ),
  );

const byName = <T extends { readonly name: string }>(pods: readonly T[]): readonly T[] =>
  pods.toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));

export function outdatedPods(workload: LiveObject, pods: readonly KubeObject[]): readonly string[] {
  const { generation } = workload.metadata;
  const status = (workload.status ?? {}) as { observedGeneration?: number; updateRevision?: string };
  // Until the workload's controller has seen the template, its status does not say which revision is the newest.
  if (status.observedGeneration !== generation) return [];
  const old = pods.filter((pod) => !pod.metadata.deletionTimestamp && hasOlderTemplate(workload, pod));
  return old.map(({ metadata }) => metadata.name).toSorted();
}
export const hasOlderTemplate = (workload: LiveObject, { metadata: { labels } }: KubeObject): boolean =>
  workload.kind === 'DaemonSet'
    ? differs(labels?.['pod-template-generation'], workload.metadata.annotations?.['deprecated.daemonset.template.generation'])
    : differs(labels?.['controller-revision-hash'], workload.status?.['updateRevision'] as string | undefined);
const differs = (a: string | undefined, b: string | undefined): boolean => a !== undefined && b !== undefined && a !== b;

/**
 * Fuse image, script and generation of the DaemonSet; the image as it was rendered, where admission has changed it.
 * threat-model: R-fuse-generation
 */
export function fuseFact(workload: Manifest | LiveObject | undefined): Facts['fuse'] | undefined {
  const template = (
    workload?.['spec'] as
      | { template?: { metadata?: Pick<ObjectMeta, 'labels' | 'annotations'>; spec?: { containers?: readonly { image?: string }[] } } }
      | undefined
  )?.template;
  const generation = Number(fuseGenerationOf(template?.metadata?.labels));
  const image = workload?.metadata.annotations?.[annotation.fuseImage] ?? template?.spec?.containers?.[0]?.image;
  const scriptHash = template?.metadata?.annotations?.[annotation.scriptHash];
  return image && Number.isSafeInteger(generation) && generation > 0 ? { image, generation, ...(scriptHash && { scriptHash }) } : undefined;
}

/** How many masters the StatefulSet of this runtime has. */
export function liveMasters(workload: Manifest | LiveObject | undefined, uid: string | undefined): number | undefined {
  const isOwn = isOwnedBy(workload, uid);
  return isOwn ? (workload?.['spec'] as { readonly replicas?: number } | undefined)?.replicas : undefined;
}

/** The pods that are ready and have an address and a node, sorted by name. */
export const podFacts = (pods: readonly KubeObject[]): readonly PodFact[] =>
  pods
    .flatMap(({ metadata: { name, uid = '' }, ready, ip, nodeName, ports }) =>
      ready === true && typeof ip === 'string' && typeof nodeName === 'string'
        ? [{ name, uid, ip, node: nodeName, ...(ports !== undefined && { ports: ports as NonNullable<PodFact['ports']> }) }]
        : [],
    )
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));

/** The engine that the status records; undefined for a kind that has one engine. */
export const liveEngine = (
  { engines }: Pick<Runtime, 'engines'>,
  { metadata, status }: Pick<RuntimeObject, 'metadata' | 'status'>,
): string | undefined =>
  engines.length > 1 ? engines.find((engine) => status?.valueFile === valueFile(metadata.name, engine)) : undefined;

const SERVED = new Set(['Bound', 'Updating', 'Failed', 'DataMigrating']);
/** Whether the Dataset was bound before, in whichever phase it is now. threat-model: R-status */
export const isServed = ({ status }: Pick<Dataset, 'status'>): boolean => SERVED.has(status?.phase ?? '');

export const phaseOf = ({ status }: KubeObject): unknown => (status as { readonly phase?: unknown } | undefined)?.phase;
