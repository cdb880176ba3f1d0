import pLimit from 'p-limit';
import { redactedText } from '../../api/redact.ts';
import type { FuseContainerStatus, NodeCluster, FusePod } from './node-cluster.ts';
import { podsOfNode } from './pod-names.ts';
import type { RuntimeName } from '../volume.ts';

const LONGEST = 400;
const AT_ONCE = 4;
/** The name that the controller gives the DaemonSet: `<runtime>-fuse`, `<runtime>-jindofs-fuse`, or `<runtime>-client` of a CacheRuntime. */
const ROLES = ['fuse', 'jindofs-fuse', 'client'];

interface Asking {
  readonly cluster: Pick<NodeCluster, 'pod'>;
  readonly podLogsDir: string;
}

/** The fuse pod of a runtime on this node, as far as the node knows of it; undefined when none exists. */
export async function fusePod({ cluster, podLogsDir }: Asking, { namespace, name }: RuntimeName): Promise<FusePod | undefined> {
  const candidates = podsOfNode(podLogsDir).filter(
    (pod) => pod.namespace === namespace && ROLES.some((role) => pod.name.startsWith(`${name}-${role}-`)),
  );
  const found = await pLimit(AT_ONCE).map(candidates, async (each) => {
    const pod = await cluster.pod(each);
    // Log directories of deleted pods stay for a while.
    return pod?.metadata.uid === each.uid ? [pod] : [];
  });
  return fusePodOf(name, found.flat());
}

/**
 * Why a mount does not exist yet, as far as the fuse pod of this node shows: one sentence for the events of the pod that waits. Messages of
 * its containers may contain anything, and names are the affair of its namespace: both are included only with `inPrivate`, for pods of its own
 * namespace.
 */
export function whyNotMounted({ namespace, name }: RuntimeName, nodeId: string, pod: FusePod | undefined, inPrivate: boolean): string {
  if (!pod) return `fuse pod of ${namespace}/${name} on node ${nodeId} does not exist yet, or waits for its volumes`;
  return `fuse pod ${inPrivate ? `${namespace}/${pod.metadata.name}` : `of ${namespace}/${name} on node ${nodeId}`} ${stateOf(pod, inPrivate)}`;
}

/** The fuse pod among these, one that is not being deleted before one that is. */
export function fusePodOf(runtime: string, pods: readonly FusePod[]): FusePod | undefined {
  const fuse = pods.filter((pod) => isFuseOf(runtime, pod));
  // One that is being deleted says nothing about its successor.
  return fuse.find(({ metadata }) => !metadata.deletionTimestamp) ?? fuse[0];
}

/** threat-model: R-fuse-pod */
function isFuseOf(runtime: string, { metadata }: FusePod): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ kind, name }) => kind === 'DaemonSet' && ROLES.some((role) => name === `${runtime}-${role}`),
  );
}

function stateOf({ metadata, status = {} }: FusePod, inPrivate: boolean): string {
  const said = (what: string, reason?: string, message?: string) => sentence(what, reason, inPrivate ? message : undefined);
  if (metadata.deletionTimestamp) return 'is being deleted';
  const { phase = 'Pending', reason, message, conditions = [] } = status;
  if (phase === 'Failed') return said('failed', reason, message);
  const unscheduled = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (unscheduled) return said('cannot be scheduled', unscheduled.reason, unscheduled.message);
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  for (const container of containers) {
    const trouble = troubleOf(container, inPrivate, said);
    if (trouble) return trouble;
  }
  return phase === 'Running' ? 'runs, but has not mounted yet' : 'is starting';
}

/** Why a container does not run; undefined when it runs, has completed, or will start by itself. */
function troubleOf(
  { name, state = {}, lastState = {}, restartCount = 0 }: FuseContainerStatus,
  inPrivate: boolean,
  said: Say,
): string | undefined {
  const { waiting, terminated, running } = state;
  const ended = terminated ?? lastState.terminated;
  if (ended && ended.exitCode !== 0 && !(running && restartCount === 0)) {
    const again = waiting?.reason ? `, now ${waiting.reason}` : '';
    return said(
      `has restarted ${inPrivate ? `its container ${name}` : 'a container'} ${restartCount} times${again}; it ended with code ${ended.exitCode}`,
      ended.reason,
      ended.message,
    );
  }
  if (waiting && waiting.reason !== 'PodInitializing')
    return said(`is waiting for ${inPrivate ? `container ${name}` : 'a container'}`, waiting.reason, waiting.message);
  return undefined;
}

type Say = (what: string, reason?: string, message?: string) => string;

function sentence(what: string, reason: string | undefined, message: string | undefined): string {
  const text = [what, reason && `(${reason})`].filter(Boolean).join(' ');
  const detail = message && redactedText(message).trim().replace(/\s+/g, ' ');
  if (!detail) return text;
  return `${text}: ${detail.length > LONGEST ? `…${detail.slice(-LONGEST)}` : detail}`;
}
