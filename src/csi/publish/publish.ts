import { bindOver } from '../mounts/bind-over.ts';
import type { FusePod } from '../cluster/node-cluster.ts';
import { within } from '../../kube/clock.ts';
import { podOf } from './consumer-pod.ts';
import { CsiError, status, unavailable } from '../grpc/errors.ts';
import { fusePod, whyNotMounted } from '../cluster/fuse-pods.ts';
import { NotBound } from '../mounts/not-bound.ts';
import { podPathOf } from '../kubelet.ts';
import { type MountInfo, stackAt, topAt } from '../mounts/mountinfo.ts';
import type { NodeContext } from '../node-context.ts';
import { methodFor, type PublishPlan, type PublishRequest, planPublish } from './plan.ts';
import type { TargetState } from '../mounts/binding.ts';
import type { Call } from '../grpc/unary.ts';
import type { RuntimeName, CsiVolume } from '../volume.ts';

/** A call returns so long before its deadline: with a reason in place of a timeout. */
const MARGIN_MS = 2_000;
/** How late a mount is seen that a publish call waits for. */
const SEEN_MS = 50;
/** When a failed bind is retried: a client that replaced one just like it may have left the mount table as it was. */
const AGAIN_MS = 2_000;
/** How long the API server may take to answer when the reason is looked up. */
const ASK_MS = 1_000;
/** How late it is seen that a pod that waits is deleted, once its events show why it waits. */
const WANTED_MS = 5_000;
/** How often to retry what may appear without a change of the mount table. */
const LOOK_MS = 500;
/** After its node's label was removed, a fuse pod is deleted within this time; one that is not stays. */
const DELETION_MS = 3_000;
/** How long a fuse pod is taken for one that is being deleted while the API server does not answer. */
const DEPARTURE_MS = 60_000;

/** A request of the kubelet for a volume that it has staged by this handle. */
export interface PublishCall extends PublishRequest {
  readonly volumeId: string;
}

/**
 * Mounts the volume at the target, and waits for the fuse pod's mount for a while: reads the mount table, decides, acts. When it is too
 * early it does all of that again as soon as the table has changed.
 *
 * @throws CsiError UNAVAILABLE when the kubelet should retry, NOT_FOUND for a sub path that does not exist, INVALID_ARGUMENT for one that
 *   leads out of the volume
 */
export async function publish(context: NodeContext, request: PublishCall, call: Call): Promise<void> {
  const { host, watch, clock, log, explained } = context;
  const { signal } = call;
  const { volume, target, readOnly } = request;
  // gRPC's deadline is a time of the wall clock.
  const end = clock.monotonic() + (call.deadline - clock.wall()) - MARGIN_MS;
  let until = Math.min(clock.monotonic() + context.patienceMs, end);
  if (volume.method === 'symlink' && methodFor(volume, readOnly) === 'bind')
    log.info({ target, readOnly }, 'bound, not linked: a symbolic link can be neither read-only nor restricted to a sub path');
  for (;;) {
    const { mounts, found, plan } = await planned(context, request);
    // Also of a reading that shows no mount: the next client's may get the number of the device.
    const departsFor = context.departing.since(volume.fusePath, topAt(mounts, volume.fusePath));
    let because: string;
    let again = Number.POSITIVE_INFINITY;
    if (plan.do === 'nothing') return;
    if (plan.do === 'wait') because = plan.because;
    else if (departsFor !== undefined && (await isDeparting(context, volume, departsFor))) {
      because = `${volume.fusePath} is mounted by a fuse pod that is being deleted`;
      again = LOOK_MS;
    } else {
      try {
        if (plan.do === 'link') {
          log.info({ source: plan.binding.source, target }, 'Creating symlink');
          return await host.link(plan.binding);
        }
        // A link of an earlier method: bound through it, the volume would be mounted on the FUSE client's own mount point.
        if (found.is === 'link') host.removeTarget(target);
        if (stackAt(mounts, target).length === 0) host.makeTarget(target);
        if (!(await bindOver(host, plan.binding))) log.warn({ target }, 'bound in place of a directory that was removed');
        return;
      } catch (error) {
        if (!(error instanceof NotBound) || error.why === 'failed' || error.why === 'dead end') throw error;
        if (error.why === 'escaped') throw new CsiError(status.INVALID_ARGUMENT, error.message, { cause: error });
        // Another pod may create the missing directory, which the mount table does not show: so the kubelet retries.
        if (error.why === 'missing') throw new CsiError(status.NOT_FOUND, error.message, { cause: error });
        because = error.message;
        again = AGAIN_MS;
        // A volume that need not be a mount appears without a change of the table.
        if (volume.mountType === undefined) again = LOOK_MS;
      }
    }
    const left = until - clock.monotonic();
    const ms = Math.min(left, again);
    if (left > 0 && ((await watch.changed(mounts, volume.fusePath, { everyMs: SEEN_MS, ms, signal })) || ms < left)) continue;
    // The kubelet retries with back-off, up to two minutes apart: once the pod's events show the reason, the call itself waits.
    if (!explained.has(target) || clock.monotonic() >= end || !(await isWanted(context, request))) {
      explained.add(target);
      throw unavailable(await reasonOf(context, request, because));
    }
    until = Math.min(clock.monotonic() + Math.min(context.patienceMs, WANTED_MS), end);
  }
}

interface Planned {
  readonly mounts: readonly MountInfo[];
  readonly found: TargetState;
  readonly plan: PublishPlan;
}

/** Binding checks its source once more, so a recent reading of the table is enough for it; to wait or to do nothing, it is not. */
async function planned({ host, watch }: NodeContext, request: PublishRequest): Promise<Planned> {
  const { target } = request;
  const by = (mounts: readonly MountInfo[]): Planned => {
    const found: TargetState = stackAt(mounts, target).length > 0 ? { is: 'directory' } : host.look(target);
    return { mounts, found, plan: planPublish(request, mounts, found) };
  };
  const recent = watch.recent(target);
  const first = recent && by(recent);
  return first?.plan.do === 'bind' && first.plan.binding.mount !== undefined ? first : by(await host.mounts());
}

/** Kubernetes removes a deleted pod only after its publish call has returned, so that call must not wait on. */
async function isWanted(context: NodeContext, { target, pod: name }: PublishRequest): Promise<boolean> {
  const at = podPathOf(target, context.kubeletDir);
  const pod = at && (await podOf(context, at.podUid, ASK_MS, name));
  return pod !== undefined && pod.metadata.deletionTimestamp === undefined;
}

/** Whether what is mounted belongs to a fuse pod whose label this node has just removed: the pod may have been kept in time, or not. */
async function isDeparting(context: NodeContext, { fusePath, runtime }: CsiVolume, forMs: number): Promise<boolean> {
  if (forMs < DELETION_MS) return true;
  const { pod } = (runtime && (await askFor(context, runtime))) ?? {};
  const goes = pod ? pod.metadata.deletionTimestamp !== undefined : forMs < DEPARTURE_MS;
  if (!goes) context.departing.stays(fusePath);
  return goes;
}

async function reasonOf(context: NodeContext, request: PublishCall, because: string): Promise<string> {
  const { runtime } = request.volume;
  const { pod } = request;
  if (!runtime) return because;
  const asked = await askFor(context, runtime);
  if (!asked) return because;
  const lost = asked.pod || !(await mayLabel(context, request, runtime)) ? undefined : await lostLabel(context, request);
  if (lost !== undefined) return `${because}: ${lost}`;
  return `${because}: ${whyNotMounted(runtime, context.nodeId, asked.pod, pod?.namespace === runtime.namespace)}`;
}

/** The kubelet unstages only what is staged, and the controller removes labels only of a runtime that exists: no other label is set again. */
async function mayLabel({ clock, cluster, staged }: NodeContext, { volumeId }: PublishCall, runtime: RuntimeName): Promise<boolean> {
  if (!staged.get(volumeId)) return false;
  const found = await within(clock, ASK_MS, cluster.runtime(runtime)).catch(() => undefined);
  return found !== undefined;
}

/**
 * Whether the node has lost the label that brings the fuse pod here, which is then set again; the controller does the same where it runs and
 * the record of the label is left. Undefined when the node has it, or the API server does not answer in time.
 */
async function lostLabel({ clock, cluster, labels, log, nodeId, staged }: NodeContext, request: PublishCall): Promise<string | undefined> {
  const label = request.volume.nodeLabel ?? staged.get(request.volumeId)?.fuse?.nodeLabel;
  if (label === undefined) return undefined;
  const found = await within(clock, ASK_MS, cluster.hasLabel(label)).catch((error: unknown) => {
    log.warn({ label, error: String(error) }, 'the labels of the node cannot be read');
    return undefined;
  });
  if (found !== false) return undefined;
  const set = labels.renew(label).then(
    () => 'the node plugin has set it again',
    (error: unknown) => `it cannot be set again: ${error instanceof Error ? error.message : String(error)}`,
  );
  const result = (await within(clock, ASK_MS, set)) ?? 'the API server has not answered to set it again';
  log.warn({ label, result }, 'the node has lost a label');
  return `node ${nodeId} had lost the label ${label}, without which no fuse pod starts there; ${result}`;
}

/** The fuse pod of this node; undefined when the API server does not answer in time. */
async function askFor(context: NodeContext, runtime: RuntimeName): Promise<{ readonly pod: FusePod | undefined } | undefined> {
  try {
    return await within(
      context.clock,
      ASK_MS,
      fusePod(context, runtime).then((pod) => ({ pod })),
    );
  } catch (error) {
    context.log.warn({ runtime, error: String(error) }, 'the fuse pod cannot be read');
    return undefined;
  }
}
