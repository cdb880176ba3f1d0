import { GROUP, isOwnedBy, operationFinalizer, VERSION } from '../../api/index.ts';
import { operationNames } from '../../constructs/operation-names.ts';
import { redactedText } from '../../api/redact.ts';
import { choose } from '../../planning/choose.ts';
import type { Cluster } from '../cluster.ts';
import type { OperationCluster } from './cluster.ts';
import { predecessorOf } from './predecessor.ts';
import { datasetsOf, workerOf } from './references.ts';
import type { RunningOn } from './running-on.ts';
import { hasReported, isRunning } from './state.ts';
import type { OperationKey } from '../world.ts';
import type { OperationObject } from './world.ts';
import type { Applier } from '../kubernetes/apply/apply.ts';
import { deleteByUid } from '../kubernetes/apply/deletion.ts';
import { confirm, isSameVersion } from '../kubernetes/apply/fresh.ts';
import type { UserObjects } from '../kubernetes/apply/user-objects.ts';
import type { ClusterContext } from '../kubernetes/cluster-context.ts';
import { ownedKinds } from '../../planning/kinds.ts';
import { faultOf } from '../kubernetes/store/resources.ts';
import { adoptJob, operationApplier, runEnder, suspender } from './objects.ts';
import { createLines } from './lines.ts';
import { helpersOf, helperView, isAtWork, jobView, latestOf, scheduleView, workOf, worksOf } from './job-view.ts';
import { lastPod, podRefusalOf, progressOf } from './job-pods.ts';
import { preparer } from './prepare.ts';
import { withOperationHealth } from '../status/health.ts';

interface OperationClusterOptions {
  readonly context: ClusterContext;
  readonly users: UserObjects;
  readonly applier: Applier;
  readonly observe: Cluster['observe'];
  /** Drops all that this process keeps for a runtime. */
  readonly forget: (uid: string) => void;
  readonly runningOn: RunningOn;
}

/** The effects of passes over operations: reads from the watches, writes through the client. */
export function operationCluster({ context, users, applier, observe, forget, runningOn }: OperationClusterOptions): OperationCluster {
  const { client, store, events, clock, confirmed, mountsClock } = context;

  const liveJob = (key: OperationKey) => store.live('Job', key.namespace, operationNames(key).job);
  /** A schedule may start a Job while an earlier one runs. Until its status says how it ended, a Job counts as one that runs. */
  function hasJob(key: OperationKey, operation: OperationObject): boolean {
    const { uid = '' } = operation.metadata;
    if (operation.spec.policy === 'Cron') return worksOf(store, key, uid).some(isAtWork);
    const job = liveJob(key);
    const end = jobView(job, uid)?.end;
    return end ? !hasReported(operation, end) : isAtWork(workOf(job, uid));
  }
  const lines = createLines(store, hasJob);

  return {
    observe(key) {
      const operation = store.operations.get(key);
      if (!operation) return undefined;
      const invalid = faultOf(operation);
      const { uid = '' } = operation.metadata;
      const schedule = scheduleView(store.live('CronJob', key.namespace, operationNames(key).job), uid);
      const isCron = operation.spec.policy === 'Cron';
      const latest = isCron && schedule && jobView(latestOf(schedule, store.inventory({ uid, namespace: key.namespace })), uid);
      const run = jobView(liveJob(key), uid);
      const datasets = datasetsOf(operation);
      const target = workerOf(operation, datasets, (each) => choose(store.dataset(each), store.runtimes(each)).chosen?.definition);
      const dataset = store.dataset(target);
      const other = datasets.find((each) => each !== target);
      const otherDataset = other && store.dataset(other);
      const { get: find } = store.operations;
      const helpers = helpersOf(store, operation);
      return {
        now: clock.wall(),
        key,
        operation,
        target,
        predecessor: predecessorOf(operation, find),
        ...lines.of(datasets, key),
        works: worksOf(store, key, uid),
        hasHelpers: helpers.some(({ metadata }) => !metadata.deletionTimestamp),
        helpers: helpers.flatMap(helperView),
        ...(operation.spec.policy === 'OnEvent' && {
          mounts: mountsClock.see(uid, other ? [dataset, otherDataset] : [dataset], operation.status?.observedMounts),
        }),
        isAwaited: store.operations.isAwaited(key),
        ...(invalid && { invalid }),
        ...(dataset && { dataset }),
        ...(other && { other: { key: other, ...(otherDataset && { dataset: otherDataset }) } }),
        ...(run && { run }),
        ...(schedule && { schedule }),
        ...(latest && { latest }),
      };
    },
    awaits: (key, objects) => store.operations.wakeWith(key, objects),
    starting: lines.starting,

    adoptJob: ({ key, operation }) => adoptJob(context, { ...key, uid: operation.metadata.uid ?? '' }, operationNames(key).job),
    prepare: preparer({ context, observe, forget }),

    async mark(operation, dataset) {
      const { name, uid = '' } = dataset.metadata;
      // Garbage collection deletes an operation whose owner is a Dataset that is gone, and the watch of Datasets may be behind.
      const isOwned = isOwnedBy(operation, uid);
      if (!isOwned && !users.isThere(dataset)) await confirmed([dataset]);
      await users.mark(store.typeOf(operation.kind), operation, {
        finalizer: operationFinalizer(operation.kind),
        labels: {},
        owners: [{ apiVersion: `${GROUP}/${VERSION}`, kind: 'Dataset', name, uid }],
      });
    },
    async expire(operation) {
      const { uid = '', namespace, name } = operation.metadata;
      await confirm(client, store, [operation], isSameVersion);
      await deleteByUid(client, store.typeOf(operation.kind), { namespace, name }, uid);
    },
    unmark: (operation) => users.unmark(store.typeOf(operation.kind), operation, operationFinalizer(operation.kind)),
    apply: operationApplier(context, applier),
    async deleteJobs({ namespace }, { run, schedule, latest }) {
      if (schedule) await deleteByUid(client, ownedKinds.CronJob, { namespace, name: schedule.name }, schedule.uid);
      for (const { name, uid } of [latest, run].filter((job) => job !== undefined))
        await deleteByUid(client, ownedKinds.Job, { namespace, name }, uid);
    },
    endRun: runEnder(context),
    suspend: suspender(context),
    progress: (world, job) => progressOf(context, world, job),
    podRefusal: (world, job) => podRefusalOf(context, world, job),
    lastPod: (of, job) => lastPod(context, of, job),
    writeStatus(operation, status) {
      const observedGeneration = operation.metadata.generation ?? 0;
      const healthy = withOperationHealth(operation, { ...status, observedGeneration }, clock.wall());
      const write = () => users.writeStatus(store.typeOf(operation.kind), operation, healthy, 'given');
      return healthy.phase === 'Executing' && !isRunning(operation) ? runningOn.named(operation, write) : write();
    },
    ended({ kind }, { createdAt }, { type, at }) {
      const ms = Date.parse(at) - Date.parse(createdAt);
      if (ms >= 0) context.onRun?.(kind, type, ms / 1000);
    },
    notice: ({ apiVersion, kind, metadata: { namespace = '', name, uid = '' } }, { note, ...notice }) =>
      events.emit({ regarding: { apiVersion, kind, namespace, name, uid }, ...notice, note: redactedText(note) }),
  };
}
