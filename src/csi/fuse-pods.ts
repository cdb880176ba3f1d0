import type { ContainerStatus, Pod } from './cluster.ts';
import type { RuntimeName } from './volume.ts';

const LONGEST = 400;

/** Why a mount is not there, as far as the fuse pods of this node tell: one sentence for the events of the pod that waits. */
export function whyNotMounted({ namespace, name }: RuntimeName, nodeId: string, pods: readonly Pod[]): string {
  const pod = fusePodOf(name, pods);
  if (!pod) return `there is no fuse pod of ${namespace}/${name} on node ${nodeId} yet`;
  return `fuse pod ${namespace}/${pod.metadata.name} ${stateOf(pod)}`;
}

/** The fuse pod of a runtime among the pods of its namespace on one node. */
export function fusePodOf(runtime: string, pods: readonly Pod[]): Pod | undefined {
  const fuse = pods.filter((pod) => isFuseOf(runtime, pod));
  // One that goes away says nothing about the one that comes.
  return fuse.find(({ metadata }) => !metadata.deletionTimestamp) ?? fuse[0];
}

/** A DaemonSet of the runtime made it: `<runtime>-fuse`, `<runtime>-jindofs-fuse`, or `<runtime>-client` of a CacheRuntime. */
function isFuseOf(runtime: string, { metadata }: Pod): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ kind, name }) => kind === 'DaemonSet' && ['fuse', 'jindofs-fuse', 'client'].some((role) => name === `${runtime}-${role}`),
  );
}

function stateOf({ metadata, status = {} }: Pod): string {
  if (metadata.deletionTimestamp) return 'is being deleted';
  const { phase = 'Pending', reason, message, conditions = [] } = status;
  if (phase === 'Failed') return said('failed', reason, message);
  const unscheduled = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (unscheduled) return said('cannot be scheduled', unscheduled.reason, unscheduled.message);
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  for (const container of containers) {
    const trouble = troubleOf(container);
    if (trouble) return trouble;
  }
  return phase === 'Running' ? 'runs, but has not mounted yet' : 'is starting';
}

/** What stops a container; undefined when it runs, has done its work, or will start by itself. */
function troubleOf({ name, state = {}, lastState = {}, restartCount = 0 }: ContainerStatus): string | undefined {
  const { waiting, terminated, running } = state;
  const ended = terminated ?? lastState.terminated;
  if (ended && ended.exitCode !== 0 && !(running && restartCount === 0)) {
    const again = waiting?.reason ? `, now ${waiting.reason}` : '';
    return said(
      `has restarted its container ${name} ${restartCount} times${again}; it ended with code ${ended.exitCode}`,
      ended.reason,
      ended.message,
    );
  }
  if (waiting && waiting.reason !== 'PodInitializing') return said(`is waiting for container ${name}`, waiting.reason, waiting.message);
  return undefined;
}

function said(what: string, reason: string | undefined, message: string | undefined): string {
  const text = [what, reason && `(${reason})`].filter(Boolean).join(' ');
  const detail = message?.trim().replace(/\s+/g, ' ');
  if (!detail) return text;
  return `${text}: ${detail.length > LONGEST ? `…${detail.slice(-LONGEST)}` : detail}`;
}
