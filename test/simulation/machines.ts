import { sidecar } from '../../src/api/sidecars.ts';
import { labelOf } from '../../src/csi/stage/fuse-label.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { ApiServer } from '../../src/api-server/index.ts';
import type { Random } from './random.ts';
import type { VirtualTime } from './time.ts';

/** Nodes and pods, besides the work of the controllers of Kubernetes in memory. */
export interface Machines {
  /** Looks at all pods once more. */
  tick(): void;
  /** A container was told to end: a sidecar whose file system was unmounted. */
  ends(namespace: string, pod: string, container: string): void;
  /** No schedule fires from now on. */
  rest(): void;
}

interface PodSpec {
  readonly nodeName?: string;
  readonly containers?: readonly { readonly name: string }[];
  readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
}
const specOf = (pod: KubeObject): PodSpec => (pod['spec'] ?? {}) as PodSpec;
const phaseOf = (object: KubeObject): string => ((object['status'] ?? {}) as { phase?: string }).phase ?? '';
const JOB = 'batch.kubernetes.io/job-name';
/** Time between two runs of a CronJob, for every schedule and every number of them. */
const CRON_MS = 12_000;
const CRON_RUNS = 3;

export function createMachines(server: ApiServer, time: VirtualTime, random: Random): Machines {
  const ending = new Set<string>();
  const firing = new Map<string, number>();
  let isResting = false;

  const patch = (object: KubeObject, change: object, subresource?: 'status') => {
    const { kind, metadata } = object;
    const at = { type: server.typeOf(kind), namespace: metadata.namespace, name: metadata.name, ...(subresource && { subresource }) };
    if (server.get(kind, metadata.namespace, metadata.name)?.metadata.uid === metadata.uid)
      server.objects.patch(at, 'merge', change, { manager: 'kubelet' });
  };

  /** A pod of a Job runs for some seconds, then ends, well or not. */
  function endLater(pod: KubeObject): void {
    const { uid = '' } = pod.metadata;
    if (ending.has(uid)) return;
    ending.add(uid);
    const exitCode = random.chance(0.8) ? 0 : 3;
    time.after(random.int(200, 12_000), () => {
      const live = server.get('Pod', pod.metadata.namespace, pod.metadata.name);
      if (!live || live.metadata.uid !== uid || live.metadata.deletionTimestamp) return;
      const terminated = { exitCode, message: 'BackupLocationPath=pvc://backups/demo\n', finishedAt: now() };
      const statuses = (specOf(live).containers ?? []).map(({ name }) => ({ name, ready: false, restartCount: 0, state: { terminated } }));
      patch(live, { status: { phase: exitCode === 0 ? 'Succeeded' : 'Failed', containerStatuses: statuses } }, 'status');
    });
  }
  /** The application in a pod with a sidecar ends after some seconds; the sidecar does not. */
  function applicationEnds(pod: KubeObject): void {
    const { uid = '', namespace = '', name } = pod.metadata;
    if (ending.has(uid)) return;
    ending.add(uid);
    const state = (container: string) => (container === 'main' ? { terminated: { exitCode: 0, finishedAt: now() } } : { running: {} });
    time.after(random.int(200, 8000), () => {
      const containerStatuses = (specOf(pod).containers ?? []).map((each) => ({
        name: each.name,
        containerID: `containerd://${uid}-${each.name}`,
        ready: true,
        restartCount: 0,
        state: state(each.name),
      }));
      const live = server.get('Pod', namespace, name);
      if (live?.metadata.uid === uid) patch(live, { status: { containerStatuses } }, 'status');
    });
  }
  const now = (): string => `${new Date(time.nowMs).toISOString().slice(0, 19)}Z`;

  /** As the node plugin: a node has the label of a Dataset while a pod there mounts its claim. */
  function labelNodes(): void {
    const wanted = new Map<string, Set<string>>();
    for (const pod of server.all('Pod')) {
      const { nodeName, volumes = [] } = specOf(pod);
      const { namespace = '', labels } = pod.metadata;
      if (!nodeName || labels?.['app'] !== 'reader') continue;
      for (const { persistentVolumeClaim } of volumes) {
        const claim = persistentVolumeClaim && server.get('PersistentVolumeClaim', namespace, persistentVolumeClaim.claimName);
        const dataset = claim && server.get('Dataset', namespace, claim.metadata.name);
        if (!dataset || phaseOf(claim) !== 'Bound') continue;
        const key = labelOf(
          { namespace, name: claim.metadata.name },
          { uid: dataset.metadata.uid ?? '', labels: dataset.metadata.labels ?? {} },
        );
        if (key) wanted.set(nodeName, (wanted.get(nodeName) ?? new Set()).add(key));
      }
    }
    for (const node of server.all('Node')) {
      const { labels = {}, name } = node.metadata;
      const keys = wanted.get(name) ?? new Set();
      const has = Object.keys(labels).filter((key) => key.startsWith('fluid.io/f-'));
      const change = Object.fromEntries([
        ...[...keys].filter((key) => labels[key] !== 'true').map((key) => [key, 'true']),
        ...has.filter((key) => !keys.has(key)).map((key) => [key, null]),
      ]);
      if (Object.keys(change).length > 0) patch(node, { metadata: { labels: change } });
    }
  }

  /** As the CronJob controller, but for the times. */
  function fire(): void {
    for (const cron of server.all('CronJob')) {
      const { uid = '', name, namespace = '' } = cron.metadata;
      if (isResting || firing.has(uid)) continue;
      firing.set(uid, 0);
      const run = () => {
        const live = server.get('CronJob', namespace, name);
        const count = (firing.get(uid) ?? 0) + 1;
        if (isResting || live?.metadata.uid !== uid || count > CRON_RUNS) return;
        firing.set(uid, count);
        time.after(CRON_MS, run);
        const { suspend, jobTemplate } = live['spec'] as { suspend?: boolean; jobTemplate: { metadata?: object; spec: object } };
        const own = server.all('Job').filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
        if (suspend || live.metadata.deletionTimestamp || own.some(isUnfinished)) return;
        const owner = { apiVersion: live.apiVersion, kind: 'CronJob', name, uid, controller: true, blockOwnerDeletion: true };
        const job = {
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata: { ...jobTemplate.metadata, namespace, name: `${name}-${uid.slice(-4)}-${count}`, ownerReferences: [owner] },
          spec: jobTemplate.spec,
        };
        server.objects.create(server.typeOf('Job'), namespace, job as KubeObject, { manager: 'kube-controller-manager' });
        patch(live, { status: { lastScheduleTime: now() } }, 'status');
      };
      time.after(random.int(500, CRON_MS), run);
    }
  }

  return {
    tick() {
      for (const pod of server.all('Pod')) if (pod.metadata.labels?.[JOB] && phaseOf(pod) === 'Running') endLater(pod);
      for (const pod of server.all('Pod')) if (pod.metadata.labels?.[sidecar.done] && phaseOf(pod) === 'Running') applicationEnds(pod);
      labelNodes();
      fire();
    },
    ends(namespace, name, container) {
      const pod = server.get('Pod', namespace, name);
      if (!pod) return;
      const { containerStatuses = [] } = (pod['status'] ?? {}) as { containerStatuses?: readonly { name: string }[] };
      const ended = containerStatuses.map((each) =>
        each.name === container ? { ...each, state: { terminated: { exitCode: 0, finishedAt: now() } } } : each,
      );
      const isOver = ended.every((each) => 'terminated' in ((each as { state?: object }).state ?? {}));
      patch(pod, { status: { containerStatuses: ended, ...(isOver && { phase: 'Succeeded' }) } }, 'status');
    },
    rest() {
      isResting = true;
    },
  };
}

export const isUnfinished = (job: KubeObject): boolean =>
  !job.metadata.deletionTimestamp &&
  !(((job['status'] ?? {}) as { conditions?: readonly { type: string; status: string }[] }).conditions ?? []).some(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
