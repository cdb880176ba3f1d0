import { type Dataset, type Identity, runtimeFinalizer } from '../api/index.ts';
import type { Runtime } from '../constructs/index.ts';
import { withDatasetHealth } from './status/health.ts';
import { keptOf } from './status/kept.ts';
import { some } from '../planning/some.ts';
import type { Step } from './steps.ts';
import type { Hold, Key, LiveObject, PlanInForce, RuntimeObject } from './world.ts';

/** The rest of a runtime that is being deleted. It needs no plan, so that a runtime with an invalid spec can always be deleted. */
export interface Teardown {
  readonly key: Key;
  readonly definition: Runtime;
  readonly object: RuntimeObject;
  readonly dataset?: Dataset;
  readonly identity: Identity;
  /** Present while the spec can be planned; needed only to know what to clean. */
  readonly plan?: PlanInForce;
  /** Why there is none, when the API server did not answer for what it needs. */
  readonly planError?: string;
  /** Objects with our inventory label, the volume and the claim among them. */
  readonly inventory: readonly LiveObject[];
  readonly claim?: LiveObject;
  readonly volume?: LiveObject;
  readonly users: ClaimUsers | NotListed;
  /** Datasets that refer to this one and whose claims pods mount: these pods read by the clients of this runtime. Not asked once the claim goes. */
  readonly referrers?: readonly string[] | NotListed;
  /** Jobs that have ended and schedules, of operations on the Dataset, while there is a claim that their pods may keep. */
  readonly operations?: readonly LiveObject[];
  /** Workloads that helped Jobs of operations which are not at work. */
  readonly helpers?: readonly LiveObject[];
  /** Milliseconds since its deletion was requested. */
  readonly waitedMs?: number;
  /** Nodes with a label that is removed with it. */
  readonly nodes: readonly string[];
  /** The IDs of these labels (cache-labels.ts), without those of another runtime that lives. */
  readonly labelIds?: readonly string[];
  /** Nodes whose labels could not be removed: `<node>: <why>`. */
  readonly refusals?: readonly string[];
  readonly cleaning: Cleaning;
}
/** Pods that name the claim. */
export interface ClaimUsers {
  readonly mounting: readonly string[];
  /** Ended pods, for which Kubernetes keeps the claim until they are deleted. */
  readonly ended: readonly PodKeepingClaim[];
}
/** A pod that has ended, and for which Kubernetes keeps the claim. */
export interface PodKeepingClaim {
  readonly name: string;
  /** The Job that created it. */
  readonly job?: string;
  /** The operation of that Job: `DataMigrate out`. */
  readonly operation?: string;
}
/** The users are not known before the next list of pods, which may begin after so many milliseconds. */
export interface NotListed {
  readonly askAgainMs: number;
}
export interface Cleaning {
  /** There is something to clean, and a pod that can do it. */
  readonly needed: boolean;
  readonly running: boolean;
  readonly done: boolean;
  readonly attempts: number;
  readonly limit: number;
  readonly error?: string;
}

export type TeardownAction =
  | { readonly do: 'clean' | 'unlabelNodes' | 'unbind' | 'unmark' }
  /** With `andPods` the objects stay, being deleted, until their pods are gone (foreground propagation). */
  | { readonly do: 'delete'; readonly objects: readonly LiveObject[]; readonly andPods?: true };
type TeardownStep = Step<Teardown, TeardownAction>;

const refuseWhileMounted: TeardownStep = ({ users, referrers = [], waitedMs }) => {
  if ('mounting' in users && users.mounting.length > 0) return { hold: stillMounted(users.mounting, waitedMs) };
  // A known pod that mounts it is a reason also while other pods are not listed: lists come and go, and the condition stays.
  if (!('askAgainMs' in referrers) && referrers.length > 0) {
    const hold = stillMounted(referrers, waitedMs);
    // The pods are of other namespaces, and not named.
    return { hold: { ...hold, message: `waiting for pods that mount Datasets which refer to this one: ${some(referrers)}` } };
  }
  const unlisted = [users, referrers].find((each) => 'askAgainMs' in each);
  return unlisted && { hold: notListed(unlisted) };
};

export const notListed = ({ askAgainMs }: NotListed): Hold => ({
  reason: 'Deleting',
  message: 'waiting for the next list of the pods in the namespace, which shows whether one mounts the dataset',
  afterMs: askAgainMs,
});

/** Users' pods are not watched, so they are listed again: the longer the wait has lasted, the less often. */
export const stillMounted = (pods: readonly string[], waitedMs = 0): Hold => ({
  reason: 'StillMounted',
  message: `waiting for pods that mount the dataset: ${some(pods)}`,
  afterMs: Math.min(30_000, Math.max(2000, Math.round(waitedMs / 10))),
});

/** Best effort: a cache that cannot be cleaned must not keep the runtime for ever. */
const cleanCaches: TeardownStep = ({ cleaning }) => {
  if (!willClean(cleaning)) return undefined;
  const { running, attempts, limit, error } = cleaning;
  const hold: Hold = {
    reason: 'CleaningCache',
    message: error ? `attempt ${attempts} of ${limit} failed: ${error}` : 'the cache is being cleaned',
    isError: error !== undefined,
    afterMs: 1000,
  };
  return running ? { hold } : { actions: [{ do: 'clean' }], hold };
};

const willClean = ({ needed, running, done, attempts, limit }: Cleaning): boolean => needed && !done && (running || attempts < limit);

const gone =
  (
    what: string,
    which: (left: Teardown) => readonly (LiveObject | undefined)[],
    why: (left: Teardown) => Pick<Hold, 'reason' | 'message'> | undefined = () => undefined,
    andPods?: true,
  ): TeardownStep =>
  (left) => {
    const present = which(left).filter((object) => object !== undefined);
    if (present.length === 0) return undefined;
    const names = present.map(nameOf).join(', ');
    const deletable = present.filter(({ metadata }) => !metadata.deletionTimestamp);
    const { reason, message } = why(left) ?? { reason: 'Deleting', message: '' };
    const hold: Hold = { reason, message: `${what}: ${names}${message}`, afterMs: 10_000 };
    return deletable.length > 0 ? { actions: [{ do: 'delete', objects: deletable, ...(andPods && { andPods }) }], hold } : { hold };
  };

const nameOf = (object: LiveObject): string => {
  const [kept] = keptOf(object);
  return `${object.kind}/${object.metadata.name}${kept ? ` (kept by finalizers: ${some(kept.finalizers)})` : ''}`;
};

/** Clients that still run would fill a cache again while workers empty it. No pod mounts the claim by now, so no pod needs them. */
const stopWriters: TeardownStep = (left) => (willClean(left.cleaning) ? fusesGone(left) : undefined);
const fusesGone = gone(
  'deleting fuse pods before their caches are cleaned',
  ({ inventory }) => inventory.filter(({ kind }) => kind === 'DaemonSet'),
  undefined,
  true,
);

/** Each node is written by itself and retried with back-off. The key is requeued when all are done, or one has refused. */
const unlabelNodes: TeardownStep = ({ nodes, refusals = [] }) =>
  nodes.length === 0
    ? undefined
    : {
        actions: [{ do: 'unlabelNodes' }],
        hold: {
          reason: 'NodesLabelled',
          message: `nodes still carry labels of the dataset: ${some(refusals.length > 0 ? refusals : nodes)}`,
          isError: refusals.length > 0,
          afterMs: 10_000,
        },
      };

/** After this another runtime can bind the dataset. */
const unbindDataset: TeardownStep = ({ dataset, object, definition }) =>
  dataset &&
  !dataset.metadata.deletionTimestamp &&
  dataset.status?.runtimes?.some(
    ({ name, namespace, type }) => name === object.metadata.name && namespace === object.metadata.namespace && type === definition.type,
  )
    ? { actions: [{ do: 'unbind' }], again: true }
    : undefined;

const unmark: TeardownStep = ({ object, definition }) => {
  const { finalizers = [] } = object.metadata;
  const others = finalizers.filter((each) => each !== runtimeFinalizer(definition.type));
  if (others.length < finalizers.length) return { actions: [{ do: 'unmark' }], ...(others.length > 0 && { again: true }) };
  if (others.length === 0) return undefined;
  return { hold: { reason: 'Deleting', message: `deleted but for the finalizers of others: ${some(others)}` } };
};

function claimKept({ users }: Teardown): Pick<Hold, 'reason' | 'message'> | undefined {
  if (!('ended' in users) || users.ended.length === 0) return undefined;
  const pods = users.ended.map(({ name, operation }) => (operation ? `${name} of ${operation}` : name));
  return { reason: 'ClaimKept', message: `; pods that have ended keep it until they are deleted: ${some(pods)}` };
}

/** The reverse of set-up. Each step is done before the next begins. The claim is deleted first, so that no new pod mounts the volume. */
export const teardownSteps: readonly TeardownStep[] = [
  gone('deleting pods that helped Jobs of operations', ({ helpers = [] }) => helpers),
  refuseWhileMounted,
  gone('deleting Jobs of operations, whose pods keep the claim', ({ operations = [] }) => operations),
  gone('deleting the claim first', ({ claim }) => [claim], claimKept),
  gone('deleting the volume', ({ volume }) => [volume]),
  stopWriters,
  cleanCaches, // no pod can mount the volume any more, and the pods that know what to clean still run
  gone('deleting the workloads', ({ inventory }) => inventory.filter(({ kind }) => !kind.startsWith('PersistentVolume'))),
  unlabelNodes,
  unbindDataset,
  unmark,
];

/** Fluid's status of a dataset whose runtime is gone. Without a condition it would count as ready until the next report. */
export const unboundStatus = (now: number) => ({
  phase: 'NotBound',
  ufsTotal: '',
  fileNum: '',
  conditions: withDatasetHealth([], { reason: 'RuntimeDeleting', message: 'The runtime is deleted.' }, now),
  cacheStates: {},
  runtimes: [],
  hcfs: null,
});
