import type { Dataset, Identity } from '../api/index.ts';
import type { Runtime } from '../constructs/index.ts';
import { some } from './status/some.ts';
import type { Hold, Key, LiveObject, PlanInForce, RuntimeObject } from './world.ts';

/** What is left of a runtime that is being deleted. It does not depend on planning: an invalid spec can always be deleted. */
export interface Teardown {
  readonly key: Key;
  readonly runtime: Runtime;
  readonly object: RuntimeObject;
  readonly dataset?: Dataset;
  readonly identity: Identity;
  /** Present while the spec still plans; needed only to know what to clean. */
  readonly plan?: PlanInForce;
  /** Why there is none, where what it needs could not be asked for. */
  readonly planError?: string;
  /** What carries our inventory label, the volume and the claim among it. */
  readonly inventory: readonly LiveObject[];
  readonly claim?: LiveObject;
  readonly volume?: LiveObject;
  readonly users: ClaimUsers | NotListed;
  /** Since its deletion was asked for. */
  readonly waitedMs?: number;
  /** Nodes that carry a label that goes with it. */
  readonly nodes: readonly string[];
  /** What tells these labels; those of another runtime that lives are not among them. */
  readonly traces?: readonly string[];
  /** Of nodes that could not be written, `<node>: <why>`. */
  readonly refusals?: readonly string[];
  readonly cleaning: Cleaning;
}
/** Pods that name the claim. */
export interface ClaimUsers {
  readonly mounting: readonly string[];
  /** They have ended, and Kubernetes keeps the claim for them until they are deleted. */
  readonly ended: readonly string[];
}
/** Not known before the next list of pods, which may begin then. */
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
  | { readonly clean: true }
  /** With `andPods` they stay, being deleted, until their pods are gone. */
  | { readonly delete: readonly LiveObject[]; readonly andPods?: true }
  | { readonly unlabelNodes: true }
  | { readonly unbind: true }
  | { readonly unmark: true };
export interface TeardownDecision {
  readonly action?: TeardownAction;
  readonly hold?: Hold;
}
type TeardownStep = (left: Teardown) => TeardownDecision | undefined;

const refuseWhileMounted: TeardownStep = ({ users, waitedMs }) => {
  if ('askAgainMs' in users) return { hold: notListed(users) };
  return users.mounting.length === 0 ? undefined : { hold: stillMounted(users.mounting, waitedMs) };
};

export const notListed = ({ askAgainMs }: NotListed): Hold => ({
  reason: 'Deleting',
  message: 'waiting for the next list of the namespace’s pods, which says whether one mounts the dataset',
  retryMs: askAgainMs,
});

/** Nothing tells us when such a pod has gone. Who has waited for long need not know it to the second. */
export const stillMounted = (pods: readonly string[], waitedMs = 0): Hold => ({
  reason: 'StillMounted',
  message: `waiting for pods that mount the dataset: ${some(pods)}`,
  retryMs: Math.min(30_000, Math.max(2000, Math.round(waitedMs / 10))),
});

/** Best effort: what cannot be cleaned must not keep the runtime for ever. */
const cleanCaches: TeardownStep = ({ cleaning }) => {
  if (!willClean(cleaning)) return undefined;
  const { running, attempts, limit, error } = cleaning;
  const hold: Hold = {
    reason: 'CleaningCache',
    message: error ? `attempt ${attempts} of ${limit} failed: ${error}` : 'the cache is being cleaned',
    isError: error !== undefined,
    retryMs: 1000,
  };
  return running ? { hold } : { action: { clean: true }, hold };
};

const willClean = ({ needed, running, done, attempts, limit }: Cleaning): boolean => needed && !done && (running || attempts < limit);

const gone =
  (
    what: string,
    which: (left: Teardown) => readonly (LiveObject | undefined)[],
    why: (left: Teardown) => string = () => '',
  ): TeardownStep =>
  (left) => {
    const present = which(left).filter((object) => object !== undefined);
    if (present.length === 0) return undefined;
    const names = present.map(({ kind, metadata }) => `${kind}/${metadata.name}`).join(', ');
    const deletable = present.filter(({ metadata }) => !metadata.deletionTimestamp);
    const hold: Hold = { reason: 'Deleting', message: `${what}: ${names}${why(left)}`, retryMs: 10_000 };
    return deletable.length > 0 ? { action: { delete: deletable }, hold } : { hold };
  };

/** Clients that still run would fill a cache again while workers empty it; nobody mounts the claim, so nobody needs them. */
const stopWriters: TeardownStep = (left) => {
  const step = willClean(left.cleaning)
    ? gone('fuse pods go before their caches', ({ inventory }) => inventory.filter(isFuse))(left)
    : undefined;
  return step?.action && 'delete' in step.action ? { ...step, action: { ...step.action, andPods: true } } : step;
};
const isFuse = ({ kind }: LiveObject): boolean => kind === 'DaemonSet';

/** Each node is written by itself, and again with back-off: we are woken when all are done, or one refuses. */
const unlabelNodes: TeardownStep = ({ nodes, refusals = [] }) =>
  nodes.length === 0
    ? undefined
    : {
        action: { unlabelNodes: true },
        hold: {
          reason: 'NodesLabelled',
          message: `nodes still carry labels of the dataset: ${some(refusals.length > 0 ? refusals : nodes)}`,
          isError: refusals.length > 0,
          retryMs: 10_000,
        },
      };

/** The dataset can be bound again, by another runtime. */
const unbindDataset: TeardownStep = ({ dataset, object, runtime }) =>
  dataset &&
  !dataset.metadata.deletionTimestamp &&
  dataset.status?.runtimes?.some(
    ({ name, namespace, type }) => name === object.metadata.name && namespace === object.metadata.namespace && type === runtime.type,
  )
    ? { action: { unbind: true } }
    : undefined;

const unmark: TeardownStep = ({ object }) => (object.metadata.finalizers?.length ? { action: { unmark: true } } : undefined);

const claimKept = ({ users }: Teardown): string =>
  'ended' in users && users.ended.length > 0 ? `; pods that have ended keep it until they are deleted: ${some(users.ended)}` : '';

/** The reverse of set-up. Each step is done before the next begins; the claim goes first, so that no new pod mounts what is going away. */
const teardown: readonly TeardownStep[] = [
  refuseWhileMounted,
  gone('the claim goes first', ({ claim }) => [claim], claimKept),
  gone('then the volume', ({ volume }) => [volume]),
  stopWriters,
  cleanCaches, // nobody can mount it any more, and the pods that know what to clean are still there
  gone('then the workloads', ({ inventory }) => inventory.filter(({ kind }) => !kind.startsWith('PersistentVolume'))),
  unlabelNodes,
  unbindDataset,
  unmark,
];

/** The first step that is not done. */
export function decideTeardown(left: Teardown, steps: readonly TeardownStep[] = teardown): TeardownDecision {
  for (const step of steps) {
    const decision = step(left);
    if (decision) return decision;
  }
  return {};
}

/** What Fluid leaves in the status of a dataset whose runtime is gone. */
export const unboundStatus = {
  phase: 'NotBound',
  ufsTotal: '',
  fileNum: '',
  conditions: [],
  cacheStates: {},
  runtimes: [],
  hcfs: null,
} as const;
