import { claimName, type Dataset, isFluids, volumeName } from '../../../api/index.ts';
import { ApiError, NoAnswer } from '../../../kube/errors.ts';
import type { Cluster } from '../../cluster.ts';
import { identityOf } from '../../../planning/identity.ts';
import { type ClaimUsers, notListed, type NotListed, stillMounted, type Teardown } from '../../teardown-steps.ts';
import { causeOf } from '../../../planning/reasons.ts';
import { some } from '../../../planning/some.ts';
import { type Hold, type Key, keyText, type LiveObject, type RuntimeObject } from '../../world.ts';
import { canRun } from '../commands/exec.ts';
import { datasetRef } from './dataset-ref.ts';
import { observer } from './observe.ts';
import { type ClusterContext, podChoice } from '../cluster-context.ts';
import { adoptJobsOfEnded, idleHelpers, leftByOperations, withOperations } from './left-by-operations.ts';
import { ownNodeLabels, ownVolumeOrClaim } from './remains.ts';

/** How many times planning is tried before the caches are left uncleaned. */
const PLANNING_ATTEMPTS = 5;

/** Twice the default time that a pod may take to end. */
const PODS_GONE_MS = 60_000;

/** Observes what is left of a runtime that is being deleted, and which pods use it. */
export function teardownObserver(context: ClusterContext): Pick<Cluster, 'observeTeardown' | 'usersOf' | 'idleHelpers'> {
  const { store, jobs } = context;
  const observe = observer(context);

  const usersOfClaim = async ({ namespace }: Key, claim: string | undefined): Promise<ClaimUsers | NotListed> => {
    const users: ClaimUsers | NotListed = claim ? await context.claimUsers.of(namespace, claim) : { mounting: [], ended: [] };
    return 'ended' in users && users.ended.length > 0 ? { ...users, ended: withOperations(store, namespace, users.ended) } : users;
  };
  /** Datasets that lead to this one, and whose claims pods mount. All are asked at once, so that one list answers for a namespace. */
  async function mountedReferrers(key: Key): Promise<Teardown['referrers'] & {}> {
    const all = await Promise.all(
      store.referrersOf(key).map(async (each) => ({ key: keyText(each), users: await context.claimUsers.of(each.namespace, each.name) })),
    );
    const used = all.filter(({ users }) => 'mounting' in users && users.mounting.length > 0);
    if (used.length > 0) return used.map((each) => each.key);
    // The longest, so that all of them may be listed by then.
    const waits = all.flatMap(({ users }) => ('askAgainMs' in users ? users.askAgainMs : []));
    return waits.length > 0 ? { askAgainMs: Math.max(...waits) } : [];
  }
  const waitedMs = ({ metadata }: Pick<RuntimeObject, 'metadata'>): number =>
    metadata.deletionTimestamp ? context.clock.wall() - Date.parse(metadata.deletionTimestamp) : 0;

  /** A pod on a lost node is never deleted; the teardown does not wait for it. */
  const isOverdue = ({ kind, metadata: { deletionTimestamp } }: LiveObject): boolean =>
    kind === 'DaemonSet' && deletionTimestamp !== undefined && context.clock.wall() - Date.parse(deletionTimestamp) > PODS_GONE_MS;

  return {
    async observeTeardown(key, dataset, definition, object) {
      const { uid = '' } = object.metadata;
      const identity = identityOf(key, { runtime: object });
      const inventory = store.inventory({ uid, ...key }).filter((object) => !isOverdue(object));
      const claim = await ownVolumeOrClaim(context, 'PersistentVolumeClaim', key, claimName(identity), uid);
      // The volume of the inventory first: an earlier version may have given it another name.
      const volume =
        inventory.find(({ kind }) => kind === 'PersistentVolume') ??
        (await ownVolumeOrClaim(context, 'PersistentVolume', key, volumeName(identity), uid));
      const users = await usersOfClaim(key, claim?.metadata.name);
      if ('ended' in users) await adoptJobsOfEnded(context, key, users.ended);
      const { plan, planError } = dataset ? await planOf(dataset) : {};
      const choice = podChoice(context, key, definition, uid, plan?.leader);
      const cleanable = plan?.cleanup !== undefined && canRun(choice, plan.cleanup.ask?.commands ?? plan.cleanup.commands(undefined));
      // Planning again counts as an attempt while a pod is ready that could clean.
      const askable = planError !== undefined && choice.pods('worker').some((pod) => pod['ready']);
      const { attempts, running, done, error } = jobs.state(`${uid}/clean`);
      return {
        key,
        definition,
        object,
        ...(dataset && { dataset }),
        identity,
        ...(plan && { plan }),
        ...(planError !== undefined && { planError }),
        inventory,
        ...(claim && { claim }),
        ...(volume && { volume }),
        users,
        ...(claim && !claim.metadata.deletionTimestamp && { referrers: await mountedReferrers(key) }),
        ...(claim && { operations: leftByOperations(store, key), helpers: idleHelpers(store, key) }),
        waitedMs: waitedMs(object),
        ...ownNodeLabels(context, key, definition, object, identity),
        cleaning: {
          needed: cleanable || askable || running,
          running,
          done,
          attempts,
          limit: plan?.base.cleaning.attempts ?? (askable ? PLANNING_ATTEMPTS : 0),
          ...(error && { error }),
        },
      };

      /** A spec that cannot be planned, or a request that is refused, must not keep the runtime for ever. */
      async function planOf(of: Dataset): Promise<Pick<Teardown, 'plan' | 'planError'>> {
        const invalid = store.runtimes(key).find((each) => each.object.metadata.uid === uid)?.invalid ?? store.faultOf(of);
        try {
          const seen = await observe(key, of, definition, object, invalid);
          if ('world' in seen) return { plan: seen.world.plan };
          return causeOf(seen.hold.reason).isAnswer ? { planError: seen.hold.message } : {};
        } catch (error) {
          return error instanceof ApiError || error instanceof NoAnswer ? { planError: error.message } : {};
        }
      }
    },
    idleHelpers: (key) => idleHelpers(store, key),
    async usersOf(key, dataset): Promise<Hold | undefined> {
      const claim = store.live('PersistentVolumeClaim', key.namespace, key.name);
      const users = await usersOfClaim(key, claim && isFluids(claim) ? claim.metadata.name : undefined);
      if ('mounting' in users && users.mounting.length > 0) return stillMounted(users.mounting, waitedMs(dataset));
      const references = datasetRef(store, dataset) ?? [];
      if (references.length > 0)
        return { reason: 'StillReferenced', message: `waiting for Datasets that refer to this one: ${some(references)}`, afterMs: 10_000 };
      return 'askAgainMs' in users ? notListed(users) : undefined;
    },
  };
}
