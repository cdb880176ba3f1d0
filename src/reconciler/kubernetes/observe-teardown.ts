import { annotation, claimName, type Identity, label, runtimeFinalizer, volumeName } from '../../api/index.ts';
import type { BoundRuntime, Runtime } from '../../constructs/index.ts';
import { ApiError, NoAnswer } from '../../kube/errors.ts';
import type { Cluster } from '../cluster.ts';
import { identityOf } from '../identity.ts';
import { stillMounted, type Teardown } from '../teardown.ts';
import type { Hold, Key, LiveObject, RuntimeObject } from '../world.ts';
import { isOurs } from './apply.ts';
import { allTraces } from './cache-labels.ts';
import { canRun } from './exec.ts';
import { observer } from './observe.ts';
import { type Parts, podChoice } from './parts.ts';
import { isServedByAnother, tracesOfOthers } from './survivors.ts';
import { unseen } from './unseen.ts';

/** What is left of a runtime, and who uses it. */
export function teardownObserver(parts: Parts): Pick<Cluster, 'observeTeardown' | 'usersOf'> {
  const { store, labeler, jobs } = parts;
  const observe = observer(parts);

  /** A volume or claim of ours; one that Fluid made carries no label and is not watched. */
  async function ours(
    kind: 'PersistentVolume' | 'PersistentVolumeClaim',
    key: Key,
    name: string,
    uid: string,
  ): Promise<LiveObject | undefined> {
    const owner = { uid, namespace: key.namespace, name: key.name };
    const live = store.live(kind, kind === 'PersistentVolume' ? undefined : key.namespace, name);
    const found = live ?? (await unseen(parts, kind, owner, name));
    if (!found || !isOurs(found, owner, store)) return undefined;
    // What Fluid made and nobody has labelled yet is of the runtime that serves.
    return found.metadata.labels?.[label.owner] !== uid && isServedByAnother(store, key, uid) ? undefined : found;
  }

  /** What is to go from nodes: nothing for a runtime that was never set up, and nothing of anybody else. */
  function nodeLabels(
    key: Key,
    { type }: Runtime,
    { metadata }: RuntimeObject,
    identity: Identity,
  ): Pick<Teardown, 'nodes' | 'traces' | 'refusals'> {
    const { uid = '', finalizers = [] } = metadata;
    const all = allTraces(type, identity);
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
    claim ? parts.claimUsers.of(namespace, claim) : { mounting: [], ended: [] };
  const waitedMs = ({ metadata }: Pick<RuntimeObject, 'metadata'>): number =>
    metadata.deletionTimestamp ? parts.now() - Date.parse(metadata.deletionTimestamp) : 0;

  return {
    async observeTeardown(key, dataset, runtime, object) {
      const { uid = '' } = object.metadata;
      const identity = identityOf(key, { runtime: object });
      const inventory = store.inventory({ uid, ...key });
      const claim = await ours('PersistentVolumeClaim', key, claimName(identity), uid);
      // Under whatever name it was made.
      const volume =
        inventory.find(({ kind }) => kind === 'PersistentVolume') ?? (await ours('PersistentVolume', key, volumeName(identity), uid));
      const { mounting, ended } = await usersOfClaim(key, claim?.metadata.name);
      const plan = dataset && (await planOf());
      const cleanable =
        plan?.cleanup !== undefined && canRun(podChoice(store, key), plan.cleanup.ask?.commands ?? plan.cleanup.commands(undefined));
      const { attempts, running, done, error } = jobs.state(`${uid}/clean`);
      return {
        key,
        runtime,
        object,
        ...(dataset && { dataset }),
        identity,
        ...(plan && { plan }),
        inventory,
        ...(claim && { claim }),
        ...(volume && { volume }),
        pods: mounting,
        endedPods: ended,
        waitedMs: waitedMs(object),
        ...nodeLabels(key, runtime, object, identity),
        cleaning: {
          needed: cleanable || running,
          running,
          done,
          attempts,
          limit: plan?.plan.cleaning.attempts ?? 0,
          ...(error && { error }),
        },
      };

      async function planOf(): Promise<BoundRuntime | undefined> {
        try {
          const seen = await observe(key, dataset!, runtime, object);
          return 'world' in seen ? seen.world.plan : undefined;
        } catch (failure) {
          // A request that failed is made again. A spec on which planning fails, in whatever way, must not keep the runtime for ever.
          if (failure instanceof ApiError || failure instanceof NoAnswer) throw failure;
          return undefined;
        }
      }
    },
    async usersOf(key, dataset): Promise<Hold | undefined> {
      const claim = store.live('PersistentVolumeClaim', key.namespace, key.name);
      const isFluids = claim?.metadata.annotations?.[annotation.createdBy] === 'fluid';
      const { mounting } = await usersOfClaim(key, isFluids ? claim.metadata.name : undefined);
      if (mounting.length > 0) return stillMounted(mounting, waitedMs(dataset));
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
