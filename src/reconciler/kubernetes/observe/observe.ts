import { hash } from 'node:crypto';
import { ownerUid, volumeName } from '../../../api/index.ts';
import { PARTS, type Role } from '../../../constructs/index.ts';
import type { Cluster } from '../../cluster.ts';
import { identityOf } from '../../../planning/identity.ts';
import { keyText, type LiveObject, ROLES, type WorkloadView, type World } from '../../world.ts';
import { type ClusterContext, podChoice } from '../cluster-context.ts';
import { planner } from '../plans/planner.ts';
import { askPods } from './probes.ts';
import { refusedWorkloads } from './refused-workloads.ts';
import { engineStatusOf } from '../../status/cache.ts';
import { pendingAfterMs } from '../../status/pods-pending.ts';
import { evidence } from './survivors.ts';
import { isOurs } from '../../../planning/owner.ts';
import { unlabelled } from '../../takeover/unlabelled.ts';
import { isServed, workloadView } from '../../../planning/views.ts';

/** Observes the world of one pass: the objects from the watches, the plan with its facts, and the last results of the probes. */
export function observer(context: ClusterContext): Cluster['observe'] {
  const { store, secretMs = 300_000, clock } = context;
  const planned = planner(context);
  return async (key, dataset, definition, object, invalid) => {
    const { namespace, name } = key;
    const { uid = '' } = object.metadata;
    const claimNow = () => store.live('PersistentVolumeClaim', namespace, name);
    const identity = identityOf(key, evidence(store, key, { dataset, runtime: object, claimed: boundVolumeName(claimNow(), uid) }));
    const bound = isServed(dataset);
    const owner = { uid, namespace, name };
    const workload = await context.takeover.workloads(owner, definition, bound, object.status);
    const due = context.podTakeover.due(owner, [...ROLES.flatMap((role) => workload(role) ?? []), ...context.takeover.replaced(uid)]);
    if (due.length > 0) await context.podTakeover.adopt(owner, identity, due);
    const viewOf = (roles: readonly Role[]) => {
      const workloads: Partial<Record<Role, WorkloadView>> = {};
      for (const role of roles) {
        const live = workload(role);
        const moving = role === 'fuse' ? [] : context.takeover.moving(owner, definition.workloads(name)[role]);
        if (live || moving.length > 0) workloads[role] = workloadView(live, live ? store.pods(live.metadata) : [], moving);
      }
      return workloads;
    };

    const found = await planned({ key, dataset, definition, object, invalid, identity, bound, workload });
    if ('reason' in found) {
      const isGone = found.revokes && !claimNow() && !store.live('PersistentVolume', undefined, volumeName(identity));
      return { hold: found, bound: bound && !isGone, workloads: viewOf(ROLES) };
    }
    const { plan, desiredObjects, cacheAffinity, facts, missingSecrets, secretRetryMs, obstacle } = found;
    const podNames = (role: Role) => {
      const live = workload(role);
      return live ? store.pods(live.metadata).map(({ metadata }) => metadata.name) : [];
    };
    const { workloads, afterMs: crashAfterMs } = context.recentCrashes.added(uid, viewOf(plan.roles), podNames);
    const { results, afterMs } = askPods(context, podChoice(context, key, definition, uid, plan.leader), {
      key,
      dataset,
      runtime: object,
      plan,
      bound,
    });
    const { read } = engineStatusOf({ plan, workloads, probes: results.probes, dataset });
    if (read) context.onRead?.(keyText(key), uid, read);
    const readsSecrets = secretMs > 0 && (Object.keys(facts.secrets).length > 0 || writesSecrets(found));
    const now = clock.wall();
    const refused = refusedWorkloads(context, { now, key, uid, workloads, workload });
    const searchInMs = context.podTakeover.dueInMs(uid);
    const again = [
      ...afterMs,
      ...crashAfterMs,
      ...(searchInMs === undefined ? [] : [searchInMs]),
      ...refused.afterMs,
      ...pendingAfterMs({ workloads, now }),
      ...(readsSecrets ? [spread(uid, secretMs)] : []),
    ];

    const namesLeftVolume = (claim: LiveObject): boolean =>
      store.leftVolumes(key).some(({ metadata }) => metadata.name === volumeNameOf(claim) && metadata.name !== volumeName(identity));
    const workerSet = workload('worker')?.metadata.uid;
    const nodesRefused = context.labeler.refused(uid);
    const volume = store.live('PersistentVolume', undefined, volumeName(identity));
    // A bound volume has a claim; one that no watch shows has lost its label, or never had one.
    const claim = claimNow() ?? (isBound(volume) ? await unlabelled(context, 'PersistentVolumeClaim', owner, name) : undefined);
    const isLeft = claim !== undefined && isOurs(claim, owner, store) && namesLeftVolume(claim);
    const world: World = {
      now,
      key,
      dataset,
      runtime: object,
      plan,
      companions: Object.keys(facts.objects).flatMap((id) => {
        const [kind = '', companion = ''] = id.split('/');
        return store.seen(kind, undefined, companion) ?? [];
      }),
      desiredObjects,
      cacheAffinity,
      bound,
      workloads,
      refusals: refused.refusals,
      ...(workerSet !== undefined && { workerSet }),
      ...(nodesRefused !== undefined && { nodesRefused }),
      names: definition.workloads(name),
      ...(volume && { volume }),
      ...(claim && { claim }),
      ...(isLeft && { claimIsLeft: true }),
      missingSecrets,
      ...(secretRetryMs !== undefined && { secretRetryMs }),
      ...results,
      ...(obstacle && { obstacle }),
      ...(again.length > 0 && { afterMs: Math.min(...again) }),
    };
    return {
      world,
      identity,
      marks: {
        ports: facts.ports,
        claims: Object.entries(facts.claims).flatMap(([claimed, { uid: claimUid }]) =>
          claimUid ? [{ name: claimed, uid: claimUid }] : [],
        ),
      },
    };
  };
}

/** Secrets are not watched, nor are the Secrets that they are copied from, so they are read again by the clock. */
const writesSecrets = ({ desiredObjects }: Pick<World, 'desiredObjects'>): boolean =>
  PARTS.some((part) => desiredObjects(part).some(({ kind }) => kind === 'Secret'));

/** Between half of `ms` and all of it, so that runtimes which were set up together do not read at the same time. */
const spread = (uid: string, ms: number): number => Math.round(ms * (0.5 + Number.parseInt(hash('sha1', uid).slice(0, 4), 16) / 0x1ffff));

const isBound = (volume: LiveObject | undefined): boolean => volume?.status?.['phase'] === 'Bound';

/** The name of the volume of a claim that this runtime owns. */
const boundVolumeName = (claim: LiveObject | undefined, owner: string): string | undefined =>
  claim && ownerUid(claim) === owner ? volumeNameOf(claim) : undefined;
const volumeNameOf = (claim: LiveObject): string | undefined => (claim['spec'] as { volumeName?: string }).volumeName;
