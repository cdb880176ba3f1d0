/** Scheduler, kubelets and node plugin of the playground: what pods would do, with no program that runs. */
import type { ApiServer } from '../api-server/index.ts';
import { handsOn } from '../api-server/controllers/hands.ts';
import { canRunOn, type PodSpec } from '../api-server/controllers/scheduling.ts';
import { labelOf } from '../csi/stage/fuse-label.ts';
import type { Clock } from '../kube/clock.ts';
import type { KubeObject } from '../kube/types.ts';

/** How long a container takes to start, and how long a program that ends by itself runs, ms. */
const START_MS = 250;
const RUN_MS = 1_500;

/** What a program that runs would have written, by pod. */
export const LOG = 'This pod is simulated: no program runs in it.\n';

interface Status {
  readonly phase?: string;
  readonly startTime?: string;
}
const specOf = (pod: KubeObject): PodSpec & { readonly restartPolicy?: string } => pod['spec'] as PodSpec;
const statusOf = (object: KubeObject): Status => (object['status'] ?? {}) as Status;

export interface Kubelets {
  /** Looks at all pods, and does what is due. Returns whether anything was done, and in how many ms there is more to do. */
  work(): { readonly did: boolean; readonly againMs: number | undefined };
}

export function createKubelets(server: ApiServer, { wall, monotonic }: Clock): Kubelets {
  const scheduler = handsOn(server, 'kube-scheduler');
  const kubelet = handsOn(server, 'kubelet');
  const plugin = handsOn(server, 'fuse.csi.fluid.io');
  /** When what waits may go on, by UID. */
  const due = new Map<string, number>();

  function isDue(pod: KubeObject, ms: number): boolean {
    const key = `${pod.metadata.uid} ${statusOf(pod).phase}`;
    const at = due.get(key) ?? monotonic() + ms;
    due.set(key, at);
    if (at > monotonic()) return false;
    due.delete(key);
    return true;
  }

  function tend(pod: KubeObject): boolean {
    const { phase = 'Pending' } = statusOf(pod);
    if (pod.metadata.deletionTimestamp) {
      kubelet.delete(pod, 'now');
      return true;
    }
    if (phase === 'Succeeded' || phase === 'Failed') return false;
    const { nodeName } = specOf(pod);
    if (!nodeName) {
      const node = emptiest(scheduler.all('Node').filter((each) => canRunOn(each, specOf(pod))));
      if (!node) return false;
      const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: timestamp() };
      scheduler.patch(pod, { spec: { nodeName: node.metadata.name } });
      return scheduler.patch(pod, { status: { conditions: [scheduled], startTime: timestamp() } }, 'status');
    }
    if (phase === 'Pending') return whyNotMounted(pod) === undefined && isDue(pod, START_MS) && run(pod);
    return endsByItself(pod) && isDue(pod, RUN_MS) && end(pod);
  }

  /** Where the fewest pods are, so that workers spread. */
  function emptiest(nodes: readonly KubeObject[]): KubeObject | undefined {
    const pods = Map.groupBy(server.all('Pod'), (pod) => specOf(pod).nodeName);
    return nodes.toSorted((a, b) => (pods.get(a.metadata.name)?.length ?? 0) - (pods.get(b.metadata.name)?.length ?? 0))[0];
  }

  /** Which claim it waits for: one that is not bound, or whose file system nothing has mounted on the node. */
  function whyNotMounted(pod: KubeObject): string | undefined {
    const { volumes = [], nodeName = '' } = specOf(pod);
    return volumes
      .flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? [])
      .find((claim) => {
        const { namespace } = pod.metadata;
        const found = server.get('PersistentVolumeClaim', namespace, claim);
        if (!found || statusOf(found).phase !== 'Bound') return true;
        const key = labelFor(namespace ?? '', claim);
        if (key === undefined) return false;
        const node = server.get('Node', undefined, nodeName);
        if (node && node.metadata.labels?.[key] !== 'true') plugin.patch(node, { metadata: { labels: { [key]: 'true' } } });
        return !server.all('Pod').some((fuse) => isFuseOf(fuse, key, nodeName));
      });
  }

  /** The label by which a node has the FUSE client of a Dataset; undefined for a claim that is none of a Dataset. */
  function labelFor(namespace: string, claim: string): string | undefined {
    const dataset = server.get('Dataset', namespace, claim);
    return dataset && labelOf({ namespace, name: claim }, { uid: dataset.metadata.uid ?? '', labels: dataset.metadata.labels ?? {} });
  }

  function run(pod: KubeObject): boolean {
    const status = { phase: 'Running', hostIP: '10.1.0.1', ...addresses(pod), startTime: statusOf(pod).startTime ?? timestamp() };
    const running = { running: { startedAt: timestamp() } };
    return kubelet.patch(
      pod,
      { status: { ...status, conditions: conditions('True'), containerStatuses: containers(pod, running, true) } },
      'status',
    );
  }

  function end(pod: KubeObject): boolean {
    const terminated = { exitCode: 0, reason: 'Completed', message: LOG.trim(), finishedAt: timestamp() };
    return kubelet.patch(
      pod,
      { status: { phase: 'Succeeded', conditions: conditions('False'), containerStatuses: containers(pod, { terminated }, false) } },
      'status',
    );
  }

  const timestamp = (): string => `${new Date(wall()).toISOString().slice(0, 19)}Z`;
  const conditions = (ready: 'True' | 'False') =>
    ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
      type,
      status: type.endsWith('Ready') ? ready : 'True',
      lastTransitionTime: timestamp(),
    }));

  /** Labels of nodes that no pod needs any more, as the node plugin removes them. */
  function unlabel(): boolean {
    const wanted = new Set(
      server.all('Pod').flatMap((pod) => {
        const { volumes = [], nodeName } = specOf(pod);
        const isOver = ['Succeeded', 'Failed'].includes(statusOf(pod).phase ?? '');
        return isOver
          ? []
          : volumes.flatMap(({ persistentVolumeClaim: claim }) =>
              claim ? `${nodeName} ${labelFor(pod.metadata.namespace ?? '', claim.claimName)}` : [],
            );
      }),
    );
    return server.all('Node').some((node) => {
      const { labels = {}, name } = node.metadata;
      const left = Object.keys(labels).filter((key) => key.startsWith('fluid.io/f-') && !wanted.has(`${name} ${key}`));
      return left.length > 0 && plugin.patch(node, { metadata: { labels: Object.fromEntries(left.map((key) => [key, null])) } });
    });
  }

  return {
    work() {
      let did = unlabel();
      for (const pod of server.all('Pod')) did = tend(pod) || did;
      for (const [key, at] of due) if (at + 60_000 < monotonic()) due.delete(key);
      const next = Math.min(...due.values());
      return { did, againMs: Number.isFinite(next) ? Math.max(0, next - monotonic()) : undefined };
    },
  };
}

/** A FUSE client that runs: its DaemonSet goes by the label. */
const isFuseOf = (pod: KubeObject, label: string, node: string): boolean =>
  specOf(pod).nodeSelector?.[label] === 'true' && specOf(pod).nodeName === node && statusOf(pod).phase === 'Running';

/** Pods of Jobs, and all that nobody starts again. */
const endsByItself = (pod: KubeObject): boolean =>
  specOf(pod).restartPolicy === 'Never' || pod.metadata.labels?.['batch.kubernetes.io/job-name'] !== undefined;

const containers = (pod: KubeObject, state: object, ready: boolean): readonly object[] =>
  (specOf(pod).containers ?? []).map(({ name, image = '' }) => ({
    name,
    image,
    imageID: '',
    containerID: `simulated://${pod.metadata.uid}-${name}`,
    ready,
    started: ready,
    restartCount: 0,
    state,
  }));

/** Any address, the same for a pod each time. */
function addresses({ metadata: { uid = '' } }: KubeObject): object {
  const number = [...uid].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_536, 0);
  const podIP = `10.2.${number >> 8}.${number & 255}`;
  return { podIP, podIPs: [{ ip: podIP }] };
}
