import { GROUP, InvalidSpec, type Manifest, operationFinalizer, VERSION } from '../../../api/index.ts';
import { operationNames } from '../../../constructs/operation-names.ts';
import { ignoreNotFound, isAbsent, isConflict } from '../../../kube/errors.ts';
import { redactedText } from '../../../kube/redact.ts';
import { choose } from '../../choose.ts';
import type { Cluster } from '../../cluster.ts';
import { LEADER_AGAIN_MS } from '../../lifecycle.ts';
import type { OperationCluster } from '../../operations/cluster.ts';
import { predecessorOf } from '../../operations/predecessor.ts';
import type { Hold, OperationKey, PlanInForce } from '../../world.ts';
import { askProbe, type PodChoice } from '../commands/exec.ts';
import type { OperationObject, Prepared } from '../../operations/world.ts';
import type { Applier } from '../apply/apply.ts';
import { confirm } from '../apply/fresh.ts';
import type { UserObjects } from '../apply/user-objects.ts';
import { type ClusterContext, podChoice } from '../cluster-context.ts';
import { ownedKinds } from '../kinds.ts';
import { targetOf } from '../store/operations.ts';
import { faultOf } from '../store/resources.ts';
import { isServed, podFacts } from '../store/views.ts';
import { createLines } from './lines.ts';
import { jobView, latestOf, scheduleView } from './job-view.ts';
import { lastPod, progressOf } from './job-pods.ts';
import { operationApplier } from './operation-objects.ts';

interface OperationClusterOptions {
  readonly context: ClusterContext;
  readonly users: UserObjects;
  readonly applier: Applier;
  readonly observe: Cluster['observe'];
  /** Drops all that this process keeps for a runtime. */
  readonly forget: (uid: string) => void;
}

/** What a construct renders, or why it refuses. */
function rendered(key: OperationKey, render: () => Prepared): Prepared {
  try {
    return render();
  } catch (error) {
    if (!(error instanceof InvalidSpec)) throw error;
    const { reason = 'InvalidSpec', message } = error;
    return { refused: { reason, message: `${key.kind} ${key.namespace}/${key.name}: ${message}` } };
  }
}

/** The effects of passes over operations: reads from the watches, writes through the client. */
export function operationCluster({ context, users, applier, observe, forget }: OperationClusterOptions): OperationCluster {
  const { client, store, events, now, confirmed, jobs, exec, wake } = context;

  /** The name of the pod that leads, if the engine can say. The answer wakes the operation. */
  function leaderOf(key: OperationKey, { metadata }: OperationObject, probe: PlanInForce['leader'], choice: PodChoice) {
    if (!probe) return undefined;
    const due = { namespace: key.namespace, version: '', everyMs: LEADER_AGAIN_MS };
    const asked = jobs.ask(
      `${metadata.uid}/leader`,
      due,
      () => askProbe(exec, choice, probe),
      () => wake(key),
    );
    return asked.running ? 'asking' : (asked.value ?? 'none');
  }

  const jobOf = (key: OperationKey, { metadata }: OperationObject) =>
    jobView(store.live('Job', key.namespace, operationNames(key).job), metadata.uid ?? '');
  /** A schedule may start a Job while an earlier one runs. */
  const hasJob = (key: OperationKey, operation: OperationObject): boolean => {
    if (operation.spec.policy !== 'Cron') return jobOf(key, operation) !== undefined;
    const { uid = '' } = operation.metadata;
    const views = store.inventory({ uid, namespace: key.namespace }).map((each) => (each.kind === 'Job' ? jobView(each, uid) : undefined));
    return views.some((view) => view && !view.end);
  };
  const lines = createLines(store, hasJob);

  return {
    observe(key) {
      const operation = store.operations.get(key);
      if (!operation) return undefined;
      const invalid = faultOf(operation);
      const { uid = '' } = operation.metadata;
      const schedule = scheduleView(store.live('CronJob', key.namespace, operationNames(key).job), uid);
      const latest = schedule && latestOf(schedule, store.inventory({ uid, namespace: key.namespace }));
      const isCron = operation.spec.policy === 'Cron';
      const own = jobOf(key, operation);
      const job = isCron ? jobView(latest, uid) : own;
      const target = targetOf(operation);
      const dataset = store.dataset(target);
      const { get: find } = store.operations;
      return {
        now: now(),
        key,
        operation,
        target,
        predecessor: predecessorOf(operation, find),
        line: lines.of(target, key.kind),
        isAwaited: store.operations.isAwaited(key),
        ...(invalid && { invalid }),
        ...(dataset && { dataset }),
        ...(job && { job }),
        ...(isCron && own && { former: own }),
        ...(schedule && { schedule }),
      };
    },
    awaits: (key, objects) => store.operations.wakeWith(key, objects),
    starting: lines.starting,

    async prepare({ key, operation, target, predecessor }, dataset): Promise<Prepared> {
      const wait = (message: string, why: Partial<Hold> = {}): Prepared => ({ hold: { ...why, reason: 'RuntimeNotReady', message } });
      const { chosen } = choose(dataset, store.runtimes(target));
      if (!chosen || !isServed(dataset) || dataset.metadata.deletionTimestamp) return wait(`Dataset ${target.name} is not bound`);
      const { runtime, object, invalid = store.faultOf(dataset) } = chosen;
      const seen = await observe(target, dataset, runtime, object, invalid);
      // The runtime was deleted meanwhile, and forgotten before this pass remembered something of it.
      if (!store.isOwner(object.metadata.uid ?? '')) forget(object.metadata.uid ?? '');
      if ('hold' in seen) return wait(`${object.kind} ${target.name}: ${seen.hold.message}`, seen.hold);
      const { plan, workloads } = seen.world;
      const operate = plan.operations[key.kind];
      if (!operate) {
        const message = `${key.kind} ${key.namespace}/${key.name}: the runtime of Dataset ${target.name} is a ${object.kind}, which does not support ${key.kind}`;
        return { refused: { reason: 'DataOperationNotSupport', message, event: 'DataOperationNotSupport' } };
      }
      const { name, namespace } = key;
      const { spec, metadata } = operation;
      // The cast: each kind of operation is rendered from a spec that was parsed as that kind.
      const render = operate as (operation: object) => readonly Manifest[];
      const given = { kind: key.kind, name, namespace, uid: metadata.uid ?? '', spec };
      const near = predecessor.is === 'done' && predecessor.near ? { near: predecessor.near } : {};
      // It reads through the claim, as any pod does.
      if (key.kind === 'DataProcess') return rendered(key, () => ({ manifests: render({ ...given, facts: { pods: {}, ...near } }) }));
      const choice = podChoice(store, target, runtime);
      const ready = { master: podFacts(choice.pods('master')), worker: podFacts(choice.pods('worker')) };
      for (const role of ['master', 'worker'] as const) {
        if (!plan.roles.includes(role) || (workloads[role]?.ready && ready[role].length > 0)) continue;
        // The watch of pods may be behind that of their workload, and its events wake no operation.
        return wait(`no ${role} pod of ${object.kind} ${target.name} is ready`, workloads[role]?.ready ? { retryMs: 1000 } : {});
      }
      const leader = leaderOf(key, operation, plan.leader, choice);
      if (leader === 'asking') return wait(`which master of ${object.kind} ${target.name} leads is being asked`, { silent: true });
      if (leader === 'none') return wait(`no master of ${object.kind} ${target.name} reports that it leads`, { retryMs: LEADER_AGAIN_MS });
      const leading = ready.master.find((pod) => pod.name === leader);
      if (leader && !leading) return wait(`${leader}, which leads, is not ready`, { retryMs: LEADER_AGAIN_MS });
      const told = { ...given, facts: { pods: ready, ...near, ...(leading && { leader: leading }) } };
      return rendered(key, () => ({ manifests: render(told), warnings: plan.operationWarnings(told) }));
    },

    async mark(operation, dataset) {
      const { name, uid = '' } = dataset.metadata;
      // Garbage collection deletes an operation whose owner is a Dataset that is gone, and the watch of Datasets may be behind.
      const isOwned = operation.metadata.ownerReferences?.some((owner) => owner.uid === uid);
      if (!isOwned && !users.isThere(dataset)) await confirmed([dataset]);
      await users.mark(store.typeOf(operation.kind), operation, {
        finalizer: operationFinalizer(operation.kind),
        labels: {},
        owners: [{ apiVersion: `${GROUP}/${VERSION}`, kind: 'Dataset', name, uid }],
      });
    },
    async expire(operation) {
      const { uid, namespace, name } = operation.metadata;
      const type = store.typeOf(operation.kind);
      await confirm(client, store, [operation], (seen, fresh) => seen.resourceVersion === fresh.resourceVersion);
      await client.delete(type, { namespace, name }, { uid, propagation: 'Background' }).catch(ignoreNotFound);
    },
    unmark: (operation) => users.unmark(store.typeOf(operation.kind), operation, operationFinalizer(operation.kind)),
    apply: operationApplier(context, applier),
    async deleteJobs({ namespace }, { job, schedule }) {
      const those = [schedule && ([ownedKinds.CronJob, schedule] as const), job && ([ownedKinds.Job, job] as const)];
      for (const [type, { name, uid }] of those.filter((each) => each !== undefined))
        await client.delete(type, { namespace, name }, { uid, propagation: 'Background' }).catch((error: unknown) => {
          // Deleted already, or another one has its name by now.
          if (!isAbsent(error) && !isConflict(error)) throw error;
        });
    },
    progress: (world, job) => progressOf(context, world, job),
    lastPod: (of, job) => lastPod(context, of, job),
    writeStatus: (operation, status) => users.writeStatus(store.typeOf(operation.kind), operation, status, 'given'),
    notice: ({ apiVersion, kind, metadata: { namespace = '', name, uid = '' } }, { note, ...notice }) =>
      events.emit({ regarding: { apiVersion, kind, namespace, name, uid }, ...notice, note: redactedText(note) }),
  };
}
