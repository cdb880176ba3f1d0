import { annotation, claimName, type Dataset, type Identity, label, runtimeFinalizer, volumeName } from '../../../api/index.ts';
import type { Runtime } from '../../../constructs/index.ts';
import { ApiError, NoAnswer } from '../../../kube/errors.ts';
import type { Cluster } from '../../cluster.ts';
import { identityOf } from '../../identity.ts';
import { notListed, stillMounted, type Teardown } from '../../teardown.ts';
import { causeOf } from '../../reasons.ts';
import type { Hold, Key, LiveObject, RuntimeObject } from '../../world.ts';
import { allTraces } from '../nodes/cache-labels.ts';
import { canRun } from '../commands/exec.ts';
import { observer } from './observe.ts';
import { isOurs } from '../store/owner.ts';
import { type Context, podChoice } from '../context.ts';
import { isServedByAnother, tracesOfOthers } from './survivors.ts';
import { unseen } from './unseen.ts';

/** How many times planning is tried before the caches are left uncleaned. */
const PLANNING_ATTEMPTS = 5;

/** Twice the default time that a pod may take to end. */
const PODS_GONE_MS = 60_000;

/** Observes what is left of a runtime that is being deleted, and which pods use it. */
export function teardownObserver(context: Context): Pick<Cluster, 'observeTeardown' | 'usersOf'> {
  const { store, labeler, jobs } = context;
  const observe = observer(context);

  /** The volume or claim of this runtime. One that Fluid created has no label and is not watched, so it is read. */
  async function ours(
    kind: 'PersistentVolume' | 'PersistentVolumeClaim',
    key: Key,
    name: string,
    uid: string,
  ): Promise<LiveObject | undefined> {
    const owner = { uid, namespace: key.namespace, name: key.name };
    const live = store.live(kind, kind === 'PersistentVolume' ? undefined : key.namespace, name);
    const found = live ?? (await unseen(context, kind, owner, name));
    if (!found || !isOurs(found, owner, store)) return undefined;
    // An object that Fluid created and that has no label yet belongs to the runtime that serves.
    return found.metadata.labels?.[label.owner] !== uid && isServedByAnother(store, key, uid) ? undefined : found;
  }

  /** The labels to remove from nodes: none for a runtime that was never set up, and none of another runtime. */
  function nodeLabels(
    key: Key,
    { type, engines }: Runtime,
    { metadata }: RuntimeObject,
    identity: Identity,
  ): Pick<Teardown, 'nodes' | 'traces' | 'refusals'> {
    const { uid = '', finalizers = [] } = metadata;
    const all = allTraces(engines, identity);
    if (!finalizers.includes(runtimeFinalizer(type)) || labeler.carrying(uid, all).length === 0) return { nodes: [] };
    const held = tracesOfOthers(store, key, uid, identity.uid);
    const traces = all.filter((trace) => !held.has(trace));
    const carriers = labeler.carrying(uid, traces);
    return {
      traces,
      nodes: carriers.map(({ node }) => node),
      refusals: carriers.flatMap(({ node, refusal }) => (refusal ? [`${node}: ${refusal}`] : [])),
    };
  }

  const usersOfClaim = async ({ namespace }: Key, claim: string | undefined) =>
    claim ? context.claimUsers.of(namespace, claim) : { mounting: [], ended: [] };
  const waitedMs = ({ metadata }: Pick<RuntimeObject, 'metadata'>): number =>
    metadata.deletionTimestamp ? context.now() - Date.parse(metadata.deletionTimestamp) : 0;

  /** A pod on a lost node is never deleted; the teardown does not wait for it. */
  const isOverdue = ({ kind, metadata: { deletionTimestamp } }: LiveObject): boolean =>
    kind === 'DaemonSet' && deletionTimestamp !== undefined && context.now() - Date.parse(deletionTimestamp) > PODS_GONE_MS;

  return {
    async observeTeardown(key, dataset, runtime, object) {
      const { uid = '' } = object.metadata;
      const identity = identityOf(key, { runtime: object });
      const inventory = store.inventory({ uid, ...key }).filter((object) => !isOverdue(object));
      const claim = await ours('PersistentVolumeClaim', key, claimName(identity), uid);
      // The volume of the inventory first: an earlier version may have given it another name.
      const volume =
        inventory.find(({ kind }) => kind === 'PersistentVolume') ?? (await ours('PersistentVolume', key, volumeName(identity), uid));
      const users = await usersOfClaim(key, claim?.metadata.name);
      const { plan, planError } = dataset ? await planOf(dataset) : {};
      const choice = podChoice(store, key, runtime, plan?.leader);
      const cleanable = plan?.cleanup !== undefined && canRun(choice, plan.cleanup.ask?.commands ?? plan.cleanup.commands(undefined));
      // Planning again counts as an attempt while a pod is ready that could clean.
      const askable = planError !== undefined && choice.pods('worker').some((pod) => pod['ready']);
      const { attempts, running, done, error } = jobs.state(`${uid}/clean`);
      return {
        key,
        runtime,
        object,
        ...(dataset && { dataset }),
        identity,
        ...(plan && { plan }),
        ...(planError !== undefined && { planError }),
        inventory,
        ...(claim && { claim }),
        ...(volume && { volume }),
        users,
        waitedMs: waitedMs(object),
        ...nodeLabels(key, runtime, object, identity),
        cleaning: {
          needed: cleanable || askable || running,
          running,
          done,
          attempts,
          limit: plan?.plan.cleaning.attempts ?? (askable ? PLANNING_ATTEMPTS : 0),
          ...(error && { error }),
        },
      };

      /** A spec that cannot be planned, or a request that is refused, must not keep the runtime for ever. */
      async function planOf(of: Dataset): Promise<Pick<Teardown, 'plan' | 'planError'>> {
        const invalid = store.runtimes(key).find((each) => each.object.metadata.uid === uid)?.invalid ?? store.faultOf(of);
        try {
          const seen = await observe(key, of, runtime, object, invalid);
          if ('world' in seen) return { plan: seen.world.plan };
          return causeOf(seen.hold.reason).isAnswer ? { planError: seen.hold.message } : {};
        } catch (error) {
          return error instanceof ApiError || error instanceof NoAnswer ? { planError: error.message } : {};
        }
      }
    },
    async usersOf(key, dataset): Promise<Hold | undefined> {
      const claim = store.live('PersistentVolumeClaim', key.namespace, key.name);
      const isFluids = claim?.metadata.annotations?.[annotation.createdBy] === 'fluid';
      const users = await usersOfClaim(key, isFluids ? claim.metadata.name : undefined);
      if ('askAgainMs' in users) return notListed(users);
      if (users.mounting.length > 0) return stillMounted(users.mounting, waitedMs(dataset));
      const references = (dataset.status?.datasetRef ?? []).filter((reference) => {
        const [namespace = '', name = ''] = reference.split('/');
        return store.dataset({ namespace, name }) !== undefined;
      });
      return references.length > 0
        ? { reason: 'StillReferenced', message: `waiting for datasets that refer to this one: ${references.join(', ')}`, retryMs: 10_000 }
        : undefined;
    },
  };
}
