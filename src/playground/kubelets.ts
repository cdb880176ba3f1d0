/** Scheduler and kubelets of the playground: what pods would do, with no program that runs. */
import type { ApiServer } from '../api-server/index.ts';
import { controllerClient } from '../api-server/controllers/client.ts';
import type { Done, Task } from '../api-server/controllers/index.ts';
import { addressOf, hasEnded } from '../api-server/pods.ts';
import type { PodSpec, PodStatus } from '../api/index.ts';
import { canRunOn, labelsChanged } from '../api-server/controllers/scheduling.ts';
import { type Clock, timestamp } from '../kube/clock.ts';
import type { KubeObject } from '../kube/types.ts';
import { createNodePlugin } from './node-plugin.ts';
import { whyNotStarted } from './container-config.ts';
import { createPodEvents } from './pod-events.ts';

/** How long a container takes to start, and how long a program that ends by itself runs, ms. */
const START_MS = 250;
const RUN_MS = 1_500;
/** How long the garbage collector of pods leaves one whose node does not exist, ms: as Kubernetes' own. */
const COLLECTED_MS = 40_000;
/** How long a volume may take before its pod says so, ms. */
const PATIENCE_MS = 3_000;

/** The log of every simulated container. */
export const LOG = 'This pod is simulated: no program runs in it.\n';

type Wait = 'mounts' | 'starts' | 'ends' | 'collected';
type Container = NonNullable<PodSpec['containers']>[number];
const specOf = (pod: KubeObject): PodSpec => pod['spec'] as PodSpec;
const statusOf = (object: KubeObject): PodStatus => (object['status'] ?? {}) as PodStatus;

/** The simulated scheduler, kubelets and node plugins. */
export function createKubelets(server: ApiServer, clock: Clock): readonly Task[] {
  const { wall, monotonic } = clock;
  const events = createPodEvents(server, clock);
  const scheduler = controllerClient(server, 'kube-scheduler');
  const kubelet = controllerClient(server, 'kubelet');
  const { podsByNode } = kubelet.indexes;
  const plugin = createNodePlugin(server);
  /** When what waits may go on, by UID of the pod. */
  const due = new Map<string, Partial<Record<Wait, number>>>();

  /** How long a pod still has to wait, ms. The first call begins the wait. */
  function leftMs({ metadata: { uid = '' } }: KubeObject, what: Wait, ms: number): number {
    const of = due.get(uid) ?? {};
    const at = (of[what] ??= monotonic() + ms);
    due.set(uid, of);
    return Math.max(0, at - monotonic());
  }

  server.follow(({ object, old }) => {
    if (object || !old) return;
    const { uid = '' } = old.metadata;
    due.delete(uid);
    events.forget(uid);
  });

  function syncPod(pod: KubeObject): Done {
    const { phase = 'Pending' } = statusOf(pod);
    // Only finalizers are left, which are not the kubelet's.
    if (pod.metadata.deletionTimestamp && pod.metadata['deletionGracePeriodSeconds'] === 0) return false;
    const { nodeName } = specOf(pod);
    if (nodeName && !scheduler.get('Node', undefined, nodeName)) {
      const left = leftMs(pod, 'collected', COLLECTED_MS);
      if (left > 0) return left;
      scheduler.delete(pod, 'now');
      return true;
    }
    if (pod.metadata.deletionTimestamp) {
      kubelet.delete(pod, 'now');
      return true;
    }
    if (hasEnded(pod)) return false;
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
      return scheduler.patch(pod, { status: { conditions: [scheduled], startTime: now() } }, 'status');
    }
    if (phase === 'Pending') return start(pod);
    return endsByItself(pod) && (leftMs(pod, 'ends', RUN_MS) || end(pod));
  }

  /** Once everything exists that its containers need. */
  function start(pod: KubeObject): Done {
    const [claim] = plugin.startClients(pod);
    if (claim !== undefined) {
      const message = `MountVolume.SetUp failed for the volume of claim ${claim}: the claim is not bound, or its file system is not mounted yet`;
      // Most are there within a moment.
      if (leftMs(pod, 'mounts', PATIENCE_MS) === 0) events.say(pod, { type: 'Warning', reason: 'FailedMount', message });
      return kubelet.againMs(pod);
    }
    const missing = whyNotStarted(server, pod);
    if (missing !== undefined) {
      events.say(pod, { type: 'Warning', reason: 'Failed', message: `Error: ${missing}` });
      const waiting = { reason: 'CreateContainerConfigError', message: missing };
      return kubelet.patch(pod, { status: { containerStatuses: containers(pod, { waiting }, false) } }, 'status') || kubelet.againMs(pod);
    }
    const left = leftMs(pod, 'starts', START_MS);
    if (left > 0) return left;
    events.say(pod, { type: 'Normal', reason: 'Started', message: 'Started containers (simulated: no program runs)' });
    return run(pod);
  }

  /** Where the fewest pods are, so that workers spread. */
  const emptiest = (nodes: readonly KubeObject[]): KubeObject | undefined => nodes.toSorted((a, b) => loadOf(a) - loadOf(b))[0];
  const loadOf = ({ metadata: { name } }: KubeObject): number => podsByNode.count(name);

  function run(pod: KubeObject): boolean {
    const podIP = addressOf(pod, '10.2');
    const status = { phase: 'Running', hostIP: hostOf(pod), podIP, podIPs: [{ ip: podIP }], startTime: statusOf(pod).startTime ?? now() };
    const running = { running: { startedAt: now() } };
    const terminated = { exitCode: 0, reason: 'Completed', startedAt: now(), finishedAt: now() };
    return kubelet.patch(
      pod,
      {
        status: {
          ...status,
          conditions: conditions('True'),
          initContainerStatuses: initContainers(pod, running, { terminated }),
          containerStatuses: containers(pod, running, true),
        },
      },
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

  const pods: Task = {
    kinds: ['Pod'],
    work: syncPod,
    concerned: (change) => [
      ...(labelsChanged(change).length > 0 ? podsByNode.of('') : []),
      ...(isNode(change.old) && !change.object ? podsByNode.of(change.old.metadata.name) : []),
    ],
  };
  return [pods, plugin.labels];
}

const isNode = (object: KubeObject | undefined): object is KubeObject => object?.kind === 'Node' && object.apiVersion === 'v1';

/** Pods of Jobs, and all that nobody starts again. */
const endsByItself = (pod: KubeObject): boolean =>
  specOf(pod).restartPolicy === 'Never' || pod.metadata.labels?.['batch.kubernetes.io/job-name'] !== undefined;

const containers = (pod: KubeObject, state: object, ready: boolean): readonly object[] =>
  (specOf(pod).containers ?? []).map((container) => containerStatus(pod, container, state, ready));

/** Sidecars run beside the containers, the others have ended before; undefined of a pod without any. */
function initContainers(pod: KubeObject, running: object, ended: object): readonly object[] | undefined {
  return specOf(pod).initContainers?.map((container) =>
    container.restartPolicy === 'Always'
      ? containerStatus(pod, container, running, true)
      : { ...containerStatus(pod, container, ended, true), started: false },
  );
}

const containerStatus = (pod: KubeObject, { name, image = '' }: Container, state: object, ready: boolean): object => ({
  name,
  image,
  imageID: '',
  containerID: `simulated://${pod.metadata.uid}-${name}`,
  ready,
  started: ready,
  restartCount: 0,
  state,
});
