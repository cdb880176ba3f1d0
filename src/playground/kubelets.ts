/** Scheduler and kubelets of the playground: what pods would do, with no program that runs. */
import type { ApiServer } from '../api-server/index.ts';
import { controllerClient } from '../api-server/controllers/client.ts';
import { eachOf } from '../api-server/controllers/index.ts';
import { addressOf, hasEnded } from '../api-server/pods.ts';
import { canRunOn, type PodSpec } from '../api-server/controllers/scheduling.ts';
import { type Clock, timestamp } from '../kube/clock.ts';
import type { KubeObject } from '../kube/types.ts';
import { createNodePlugin } from './node-plugin.ts';
import { whyNotStarted } from './container-config.ts';
import { createPodEvents } from './pod-events.ts';

/** How long a container takes to start, and how long a program that ends by itself runs, ms. */
const START_MS = 250;
const RUN_MS = 1_500;
/** How long a volume may take before its pod says so, ms. */
const PATIENCE_MS = 3_000;

/** What a program that runs would have written, by pod. */
export const LOG = 'This pod is simulated: no program runs in it.\n';

interface Status {
  readonly phase?: string;
  readonly startTime?: string;
}
const specOf = (pod: KubeObject): PodSpec & { readonly restartPolicy?: string } => pod['spec'] as PodSpec;
const statusOf = (object: KubeObject): Status => (object['status'] ?? {}) as Status;

export interface Kubelets {
  /** Looks at each pod once, and does what is due; yields between them. Returns whether anything was done. */
  pass(): Generator<undefined, boolean>;
  /** In how many ms there is more to do. */
  againMs(): number | undefined;
}

/** @param onFault is told of a pod that cannot be read, which then stops no other */
export function createKubelets(server: ApiServer, clock: Clock, onFault: (error: unknown) => void): Kubelets {
  const { wall, monotonic } = clock;
  const events = createPodEvents(server, clock);
  const scheduler = controllerClient(server, 'kube-scheduler');
  const kubelet = controllerClient(server, 'kubelet');
  const plugin = createNodePlugin(server);
  /** When what waits may go on, by UID. */
  const due = new Map<string, number>();
  /** How many pods each node has. */
  let load = new Map<string | undefined, number>();

  function isDue(pod: KubeObject, what: 'mounts' | 'starts' | 'ends', ms: number): boolean {
    const key = `${pod.metadata.uid} ${what}`;
    const at = due.get(key) ?? monotonic() + ms;
    due.set(key, at);
    if (at > monotonic()) return false;
    due.delete(key);
    return true;
  }

  function syncPod(pod: KubeObject): boolean {
    const { phase = 'Pending' } = statusOf(pod);
    if (pod.metadata.deletionTimestamp) {
      kubelet.delete(pod, 'now');
      return true;
    }
    if (hasEnded(pod)) return false;
    const { nodeName } = specOf(pod);
    if (!nodeName) {
      const node = emptiest(scheduler.all('Node').filter((each) => canRunOn(each, specOf(pod))));
      if (!node) {
        const message = `0/${scheduler.all('Node').length} nodes are available: none takes the pod.`;
        events.say(pod, { type: 'Warning', reason: 'FailedScheduling', message });
        return false;
      }
      const message = `Successfully assigned ${pod.metadata.namespace}/${pod.metadata.name} to ${node.metadata.name}`;
      events.say(pod, { type: 'Normal', reason: 'Scheduled', message });
      const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: now() };
      scheduler.patch(pod, { spec: { nodeName: node.metadata.name } });
      load.set(node.metadata.name, loadOf(node) + 1);
      return scheduler.patch(pod, { status: { conditions: [scheduled], startTime: now() } }, 'status');
    }
    if (phase === 'Pending') return start(pod);
    return endsByItself(pod) && isDue(pod, 'ends', RUN_MS) && end(pod);
  }

  /** Once all is there that its containers need. */
  function start(pod: KubeObject): boolean {
    const claim = plugin.waitsFor(pod);
    if (claim !== undefined) {
      const message = `MountVolume.SetUp failed for the volume of claim ${claim}: the claim is not bound, or its file system is not mounted yet`;
      // Most are there within a moment.
      if (isDue(pod, 'mounts', PATIENCE_MS)) events.say(pod, { type: 'Warning', reason: 'FailedMount', message });
      return false;
    }
    const missing = whyNotStarted(server, pod);
    if (missing !== undefined) {
      events.say(pod, { type: 'Warning', reason: 'Failed', message: `Error: ${missing}` });
      const waiting = { reason: 'CreateContainerConfigError', message: missing };
      return kubelet.patch(pod, { status: { containerStatuses: containers(pod, { waiting }, false) } }, 'status');
    }
    if (!isDue(pod, 'starts', START_MS)) return false;
    events.say(pod, { type: 'Normal', reason: 'Started', message: 'Started containers (simulated: no program runs)' });
    return run(pod);
  }

  /** Where the fewest pods are, so that workers spread. */
  const emptiest = (nodes: readonly KubeObject[]): KubeObject | undefined => nodes.toSorted((a, b) => loadOf(a) - loadOf(b))[0];
  const loadOf = ({ metadata: { name } }: KubeObject): number => load.get(name) ?? 0;

  function run(pod: KubeObject): boolean {
    const podIP = addressOf(pod, '10.2');
    const status = { phase: 'Running', hostIP: hostOf(pod), podIP, podIPs: [{ ip: podIP }], startTime: statusOf(pod).startTime ?? now() };
    const running = { running: { startedAt: now() } };
    return kubelet.patch(
      pod,
      { status: { ...status, conditions: conditions('True'), containerStatuses: containers(pod, running, true) } },
      'status',
    );
  }

  /** The address of its node, if that has one. */
  function hostOf(pod: KubeObject): string | undefined {
    const { addresses = [] } = (kubelet.get('Node', undefined, specOf(pod).nodeName ?? '')?.['status'] ?? {}) as {
      readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    };
    return addresses.find(({ type }) => type === 'InternalIP')?.address;
  }

  function end(pod: KubeObject): boolean {
    const terminated = { exitCode: 0, reason: 'Completed', message: LOG.trim(), finishedAt: now() };
    return kubelet.patch(
      pod,
      { status: { phase: 'Succeeded', conditions: conditions('False'), containerStatuses: containers(pod, { terminated }, false) } },
      'status',
    );
  }

  const now = (): string => timestamp(wall());
  const conditions = (ready: 'True' | 'False') =>
    ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
      type,
      status: type.endsWith('Ready') ? ready : 'True',
      lastTransitionTime: now(),
    }));

  return {
    *pass() {
      events.clean();
      let did = plugin.unlabel();
      load = new Map([...Map.groupBy(server.all('Pod'), (pod) => specOf(pod).nodeName)].map(([node, pods]) => [node, pods.length]));
      did = (yield* eachOf(server, 'Pod', syncPod, onFault)) || did;
      return did;
    },
    againMs() {
      let next = Number.POSITIVE_INFINITY;
      for (const [key, at] of due)
        if (at + 60_000 < monotonic()) due.delete(key);
        else next = Math.min(next, at);
      return Number.isFinite(next) ? Math.max(0, next - monotonic()) : undefined;
    },
  };
}

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
