import { bindOver } from '../mounts/bind-over.ts';
import type { Pod } from '../cluster/node-cluster.ts';
import { podOf, within } from './consumer-pod.ts';
import { CsiError, status, unavailable } from '../grpc/errors.ts';
import { fusePod, whyNotMounted } from '../cluster/fuse-pods.ts';
import { NotBound } from '../mounts/host.ts';
import { podPathOf } from '../kubelet.ts';
import { type Mount, stackAt, topAt } from '../mounts/mountinfo.ts';
import type { NodeContext } from '../node-context.ts';
import { methodFor, type PublishPlan, type PublishRequest, planPublish } from './plan.ts';
import type { Target } from '../mounts/binding.ts';
import type { Call } from '../grpc/unary.ts';
import type { RuntimeName, Volume } from '../volume.ts';

/** Answer before the caller gives up on us, with a reason in place of a timeout. */
const MARGIN_MS = 2_000;
/** How late a mount may be seen that somebody waits for. */
const SEEN_MS = 50;
/** When what could not be bound is tried again: a client that took the place of its like may have left the mount table as it was. */
const AGAIN_MS = 2_000;
/** How long the API server may take to tell the reason. */
const ASK_MS = 1_000;
/** How often to look for what comes without a change of the mount table. */
const LOOK_MS = 500;
/** So long a pod may take to be deleted after its node's label was: one that is not by then stays. */
const DELETION_MS = 3_000;
/** How long a pod that is deleted may keep its mount, where nobody tells whether it is. */
const DEPARTURE_MS = 60_000;

/**
 * Makes the volume appear at the target, waiting for the fuse pod's mount for a while: read the mount table, decide, do it, and when it
 * is too early do all of it again as soon as the table has changed.
 */
export async function publish(context: NodeContext, request: PublishRequest, call: Call): Promise<void> {
  const { host, watch, clock, log, told } = context;
  const { signal } = call;
  const { volume, target, readOnly } = request;
  const end = call.deadline - MARGIN_MS;
  let until = Math.min(clock.now() + context.patienceMs, end);
  if (volume.method === 'symlink' && methodFor(volume, readOnly) === 'bind')
    log.info({ target, readOnly }, 'bound, not linked: a link can be neither read-only nor of a sub path');
  for (;;) {
    const { mounts, found, plan } = await planned(context, request);
    let because: string;
    let again = Number.POSITIVE_INFINITY;
    if (plan.do === 'nothing') return;
    if (plan.do === 'wait') because = plan.because;
    else if (await isDeparting(context, volume, topAt(mounts, volume.fusePath))) {
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
        // A directory that is missing may be made by another pod; there is no table to watch for that, so the kubelet asks again.
        if (error.why === 'missing') throw new CsiError(status.NOT_FOUND, error.message, { cause: error });
        because = error.message;
        again = AGAIN_MS;
        // What need not be a mount comes without a change of the table.
        if (volume.mountType === undefined) again = LOOK_MS;
      }
    }
    const left = until - clock.now();
    const ms = Math.min(left, again);
    if (left > 0 && ((await watch.changed(mounts, volume.fusePath, { everyMs: SEEN_MS, ms, signal })) || ms < left)) continue;
    // The kubelet asks again ever more seldom, up to two minutes apart: once the pod's events say why it waits, it waits with us.
    if (!told.has(target) || clock.now() >= end || !(await isWanted(context, request))) {
      told.add(target);
      throw unavailable(await explained(context, request, because));
    }
    until = Math.min(clock.now() + context.patienceMs, end);
  }
}

interface Planned {
  readonly mounts: readonly Mount[];
  readonly found: Target;
  readonly plan: PublishPlan;
}

/** What is bound is looked at again by who binds it, so for that a reading of just now will do; to wait, or to do nothing, it will not. */
async function planned({ host, watch }: NodeContext, request: PublishRequest): Promise<Planned> {
  const { target } = request;
  const by = (mounts: readonly Mount[]): Planned => {
    const found: Target = stackAt(mounts, target).length > 0 ? { is: 'directory' } : host.look(target);
    return { mounts, found, plan: planPublish(request, mounts, found) };
  };
  const recent = watch.recent(target);
  const first = recent && by(recent);
  return first?.plan.do === 'bind' && first.plan.binding.mount !== undefined ? first : by(await host.mounts());
}

/** A pod that was deleted goes only when the call has been answered. */
async function isWanted(context: NodeContext, { target, pod: name }: PublishRequest): Promise<boolean> {
  const at = podPathOf(target, context.kubeletDir);
  const pod = at && (await podOf(context, at.podUid, ASK_MS, name));
  return pod !== undefined && pod.metadata.deletionTimestamp === undefined;
}

/** Whether what is mounted belongs to a fuse pod that this node has just let go: it may have been called back in time, or not. */
async function isDeparting(context: NodeContext, { fusePath, runtime }: Volume, mounted: Mount | undefined): Promise<boolean> {
  const { departing } = context;
  const since = departing.since(fusePath, mounted);
  if (since === undefined) return false;
  if (since < DELETION_MS) return true;
  const { pod } = (runtime && (await askFor(context, runtime))) ?? {};
  const goes = pod ? pod.metadata.deletionTimestamp !== undefined : since < DEPARTURE_MS;
  if (!goes) departing.stays(fusePath);
  return goes;
}

async function explained(context: NodeContext, { volume: { runtime }, pod }: PublishRequest, because: string): Promise<string> {
  if (!runtime) return because;
  const asked = await askFor(context, runtime);
  if (!asked) return because;
  return `${because}: ${whyNotMounted(runtime, context.nodeId, asked.pod, pod?.namespace === runtime.namespace)}`;
}

/** The fuse pod of this node; undefined where nobody tells in time whether there is one. */
async function askFor(context: NodeContext, runtime: RuntimeName): Promise<{ readonly pod: Pod | undefined } | undefined> {
  try {
    return await within(
      context.clock,
      ASK_MS,
      fusePod(context, runtime).then((pod) => ({ pod })),
    );
  } catch (error) {
    context.log.warn({ runtime, error: String(error) }, 'the fuse pod cannot be asked for');
    return undefined;
  }
}
