import { runtimes } from '../../../runtimes/_all.gen.ts';
import type { Role } from '../../../src/constructs/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import type { ApiServer } from '../../../src/api-server/index.ts';
import { nameOf } from '../plan.ts';
import { conditionsOf } from './converged.ts';

interface Counts {
  readonly desired: number;
  readonly ready: number;
}

/** Conditions that are True and do not hold, once everything is at rest; one sentence each. */
export function falseConditions(server: ApiServer): readonly string[] {
  const ofRuntimes = runtimes.flatMap((runtime) =>
    server.all(runtime.resource.kind).flatMap((object) => untrueOfRuntime(server, object, runtime.workloads(object.metadata.name))),
  );
  const forged = runtimes
    .flatMap(({ resource }) => server.all(resource.kind))
    .filter((object) => conditionsOf(object).some(({ type, message = '' }) => type === 'PodsOutdated' && /\bforged\b/.test(message)))
    .map((object) => `${nameOf(object)} counts a pod of another namespace as outdated (S10)`);
  return [
    ...forged,
    ...ofRuntimes,
    ...server.all('Dataset').flatMap((dataset) => untrueOfDataset(server, dataset)),
    ...untrueOfOperations(server),
  ];
}

function untrueOfRuntime(server: ApiServer, object: KubeObject, names: Readonly<Record<Role, string>>): readonly string[] {
  const { namespace = '', deletionTimestamp } = object.metadata;
  // While pods keep a Dataset from going, its runtime is served no longer, and reports nothing.
  if (deletionTimestamp || server.get('Dataset', namespace, object.metadata.name)?.metadata.deletionTimestamp) return [];
  const set = (role: 'master' | 'worker') => countsOf(server.get('StatefulSet', namespace, names[role]));
  const daemons = daemonCountsOf(server.get('DaemonSet', namespace, names.fuse));
  const isTrue = (type: string) => conditionsOf(object).some((condition) => condition.type === type && condition.status === 'True');
  const says = (type: string, counts: Counts | undefined, holds: (counts: Counts) => boolean) =>
    isTrue(type) && counts && !holds(counts)
      ? [`${nameOf(object)} says ${type}, and ${counts.ready} of ${counts.desired} pods are ready`]
      : [];
  // A runtime that another one serves, or that refers to another Dataset, has conditions of another time or of another runtime.
  if (!isTrue('Synced')) return [];
  const status = (object['status'] ?? {}) as Readonly<Record<string, number | undefined>>;
  const worker = set('worker');
  const counted =
    worker && status['workerNumberReady'] !== undefined && status['workerNumberReady'] !== worker.ready
      ? [`${nameOf(object)} counts ${status['workerNumberReady']} ready workers, and ${worker.ready} are`]
      : [];
  return [
    ...says('MasterReady', set('master'), ({ ready, desired }) => ready > 0 || desired === 0),
    ...says('WorkersReady', worker, ({ ready, desired }) => ready > 0 || desired === 0),
    ...says('FusesReady', daemons, ({ ready, desired }) => ready > 0 || desired === 0),
    ...counted,
  ];
}

function untrueOfDataset(server: ApiServer, dataset: KubeObject): readonly string[] {
  const { namespace, name, deletionTimestamp } = dataset.metadata;
  const ready = conditionsOf(dataset).find(({ type, status }) => type === 'Ready' && status === 'True');
  const { phase } = (dataset['status'] ?? {}) as { phase?: string };
  // With another reason it serves, though not as its newest spec says; and one that lost its runtime keeps what it was.
  if (deletionTimestamp || phase !== 'Bound' || ready?.reason !== 'DatasetReady') return [];
  if (!runtimes.some(({ resource }) => server.get(resource.kind, namespace, name))) return [];
  const claim = server.get('PersistentVolumeClaim', namespace, name);
  const isBound = ((claim?.['status'] ?? {}) as { phase?: string }).phase === 'Bound';
  return isBound ? [] : [`${nameOf(dataset)} says Ready, and its claim is not bound`];
}

function untrueOfOperations(server: ApiServer): readonly string[] {
  return ['DataLoad', 'DataMigrate', 'DataProcess', 'DataBackup'].flatMap((kind) =>
    server.all(kind).flatMap((operation) => {
      const { phase } = (operation['status'] ?? {}) as { phase?: string };
      const { uid } = operation.metadata;
      const jobs = server.all('Job').filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
      const ends = jobs.flatMap((job) =>
        conditionsOf(job).filter(({ type, status }) => status === 'True' && (type === 'Complete' || type === 'Failed')),
      );
      const [only, ...others] = jobs;
      if (
        !only ||
        others.length > 0 ||
        operation.metadata.deletionTimestamp ||
        (operation['spec'] as { policy?: string }).policy === 'Cron'
      )
        return [];
      const end = ends[0]?.type;
      if (end !== undefined && phase !== end && phase !== 'Pending')
        return [`${nameOf(operation)} has phase ${phase}, and its Job is ${end}`];
      if (end === undefined && (phase === 'Complete' || phase === 'Failed'))
        return [`${nameOf(operation)} has phase ${phase}, and its Job runs`];
      return [];
    }),
  );
}

function countsOf(set: KubeObject | undefined): Counts | undefined {
  const { spec, status } = (set ?? {}) as { spec?: { replicas?: number }; status?: { readyReplicas?: number } };
  return set && { desired: spec?.replicas ?? 1, ready: status?.readyReplicas ?? 0 };
}
function daemonCountsOf(set: KubeObject | undefined): Counts | undefined {
  const { status } = (set ?? {}) as { status?: { desiredNumberScheduled?: number; numberReady?: number } };
  return set && { desired: status?.desiredNumberScheduled ?? 0, ready: status?.numberReady ?? 0 };
}
