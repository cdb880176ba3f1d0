import type { BytesRead, Role, Runtime, Settings } from '../../constructs/index.ts';
import type { Clock } from '../../kube/clock.ts';
import type { KubeClient } from '../../kube/contract.ts';
import type { EventSink } from '../../kube/events/events.ts';
import type { KubeObject, Log } from '../../kube/types.ts';
import { type Key, keyText, type OperationKey, type Question, type Where, type World } from '../world.ts';
import type { ExpectedObject } from './apply/fresh.ts';
import type { UserObjects } from './apply/user-objects.ts';
import type { createBindings } from '../../planning/bindings.ts';
import type { createRecentCrashes } from './observe/recent-crashes.ts';
import type { createRecounts } from './observe/recounts.ts';
import type { createClaimUsers } from './observe/claim-users.ts';
import type { PodExec } from '../../kube/exec.ts';
import { canRun, type PodChoice } from './commands/exec.ts';
import type { createLookups } from './plans/lookups.ts';
import type { createJobs } from './commands/jobs.ts';
import { workloadKind } from '../../planning/kinds.ts';
import type { LastValid } from '../../planning/last-valid.ts';
import type { MountTries } from './commands/mount-tries.ts';
import type { PodTakeover } from '../takeover/pods.ts';
import type { WorkloadTakeover } from '../takeover/workloads.ts';
import type { MountsClock } from '../operations/mounts-clock.ts';
import type { NodeLabeler } from './nodes/node-labels.ts';
import type { JobEnd } from '../operations/world.ts';
import type { PortAllocator, PortPolicy } from '../../planning/ports.ts';
import type { Store } from './store/store.ts';

export interface KubernetesClusterOptions {
  readonly client: KubeClient;
  readonly store: Store;
  readonly labeler: NodeLabeler;
  readonly events: EventSink;
  readonly exec: PodExec;
  readonly settings: Settings;
  readonly portPolicy: PortPolicy;
  /** Milliseconds between two probes of a cache; 0 = never. */
  readonly probeMs: number;
  /** Milliseconds between two reads of Secrets that the controller writes, and of their sources. Default 300,000; 0 = only with other changes. */
  readonly secretMs?: number;
  /** A Dataset may refer to any other one, as in Fluid. Otherwise one of another namespace must allow it. */
  readonly openReferences?: boolean;
  readonly wake: (key: Key | OperationKey) => void;
  /** A run of an operation has ended. */
  readonly onRun?: (kind: string, result: JobEnd['type'], seconds: number) => void;
  /** A pass has seen how many bytes readers of this Dataset got. */
  readonly onRead?: (dataset: string, uid: string, read: readonly BytesRead[]) => void;
  readonly log: Log;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Aborted when this process is no longer the leader. */
  readonly signal?: AbortSignal;
}

/** The shared parts of the Kubernetes cluster. */
export interface ClusterContext extends KubernetesClusterOptions {
  readonly clock: Clock;
  readonly jobs: ReturnType<typeof createJobs>;
  readonly lookups: ReturnType<typeof createLookups>;
  readonly bindings: ReturnType<typeof createBindings>;
  /** By UID of the runtime. */
  readonly lastValid: Map<string, LastValid>;
  /** Since when a workload lacks pods, monotonic, in ms, by UID of the workload, by UID of the runtime. */
  readonly lacksSince: Map<string, ReadonlyMap<string, number>>;
  readonly mountTries: MountTries;
  readonly mountsClock: MountsClock;
  readonly ports: PortAllocator;
  readonly recentCrashes: ReturnType<typeof createRecentCrashes>;
  readonly recounts: ReturnType<typeof createRecounts>;
  readonly claimUsers: ReturnType<typeof createClaimUsers>;
  /** Writes on users' objects. */
  readonly users: UserObjects;
  /** Workloads that Fluid created. */
  readonly takeover: WorkloadTakeover;
  /** Pods that Fluid created. */
  readonly podTakeover: PodTakeover;
  /** Reads these afresh. @throws ApiError 409 if one of them is not as it was seen */
  readonly confirmed: (seen: readonly ExpectedObject[]) => Promise<void>;
}

/** The definition of the runtime that is observed. */
export function runtimeOf(store: Pick<Store, 'runtimes'>, { key, runtime }: Pick<World, 'key' | 'runtime'>): Runtime {
  const found = store.runtimes(key).find(({ object }) => object.metadata.uid === runtime.metadata.uid);
  if (!found) throw new Error(`${runtime.kind} ${keyText(key)} is gone`);
  return found.definition;
}

/** The pods of the runtime with this UID, by role; also those of workloads that Fluid left and no watch shows. */
export function podChoice(
  { store, takeover }: Pick<ClusterContext, 'store' | 'takeover'>,
  { namespace, name }: Key,
  { workloads }: Pick<Runtime, 'workloads'>,
  uid: string,
  leader?: PodChoice['leader'],
): PodChoice {
  const names = workloads(name);
  const pods = (role: Role): readonly KubeObject[] => {
    const workload = store.live(workloadKind(role), namespace, names[role]) ?? takeover.left(uid, role);
    return workload ? store.pods(workload.metadata) : [];
  };
  return { namespace, pods, leader };
}

export const canAsk = <T>(choice: PodChoice, probe: Question<T> | undefined): probe is Question<T> =>
  probe !== undefined && canRun(choice, whereOf(probe));
export const whereOf = (probe: Question<unknown>): readonly Where[] => probe.where ?? probe.commands;
