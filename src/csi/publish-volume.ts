import { status } from '@grpc/grpc-js';
import { bindOver } from './bind-over.ts';
import { podOf, within } from './consumer-pod.ts';
import { CsiError, unavailable } from './errors.ts';
import { whyNotMounted } from './fuse-pods.ts';
import type { Call } from './grpc.ts';
import { NotBound } from './host.ts';
import { podPathOf } from './kubelet.ts';
import { stackAt } from './mountinfo.ts';
import type { NodeParts } from './parts.ts';
import { methodOf, type PublishRequest, planPublish, type Target } from './publish.ts';

/** Answer before the caller gives up on us, with a reason in place of a timeout. */
const MARGIN_MS = 2_000;
/** How late a mount may be seen that somebody waits for. */
const SEEN_MS = 50;
/** When what could not be bound is tried again: a client that took the place of its like may have left the mount table as it was. */
const AGAIN_MS = 2_000;
/** How long the API server may take to tell the reason. */
const ASK_MS = 1_000;

/**
 * Makes the volume appear at the target, waiting for the fuse pod's mount for a while: read the mount table, decide, do it, and when it
 * is too early do all of it again as soon as the table has changed.
 */
export async function publish(parts: NodeParts, request: PublishRequest, call: Call): Promise<void> {
  const { host, watch, clock, log, told } = parts;
  const { signal } = call;
  const { volume, target, readOnly } = request;
  const end = call.deadline - MARGIN_MS;
  let until = Math.min(clock.now() + parts.patienceMs, end);
  if (volume.method === 'symlink' && methodOf(volume, readOnly) === 'bind')
    log.info({ target, readOnly }, 'bound, not linked: a link can be neither read-only nor of a sub path');
  for (;;) {
    const mounts = await host.mounts();
    const found: Target = stackAt(mounts, target).length > 0 ? { is: 'directory' } : await host.look(target);
    const plan = planPublish(request, mounts, found);
    let because: string;
    let again = Number.POSITIVE_INFINITY;
    if (plan.do === 'nothing') return;
    if (plan.do === 'wait') because = plan.because;
    else {
      try {
        if (plan.do === 'link') {
          log.info({ source: plan.binding.source, target }, 'Creating symlink');
          return await host.link(plan.binding);
        }
        // A link of an earlier method: bound through it, the volume would be mounted on the FUSE client's own mount point.
        if (found.is === 'link') await host.removeTarget(target);
        if (stackAt(mounts, target).length === 0) await host.makeTarget(target);
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
        if (volume.mountType === undefined) throw unavailable(await explained(parts, request, because));
      }
    }
    const left = until - clock.now();
    const ms = Math.min(left, again);
    if (left > 0 && ((await watch.changed(mounts, volume.fusePath, { everyMs: SEEN_MS, ms, signal })) || ms < left)) continue;
    // The kubelet asks again ever more seldom, up to two minutes apart: once the pod's events say why it waits, it waits with us.
    if (!told.has(target) || clock.now() >= end || !(await isWanted(parts, target))) {
      told.add(target);
      throw unavailable(await explained(parts, request, because));
    }
    until = Math.min(clock.now() + parts.patienceMs, end);
  }
}

/** A pod that was deleted goes only when the call has been answered. */
async function isWanted(parts: NodeParts, target: string): Promise<boolean> {
  const at = podPathOf(target, parts.kubeletDir);
  const pod = at && (await podOf(parts, at, ASK_MS));
  return pod !== undefined && pod.metadata.deletionTimestamp === undefined;
}

async function explained(
  { cluster, clock, nodeId, log }: NodeParts,
  { volume: { runtime } }: PublishRequest,
  because: string,
): Promise<string> {
  if (!runtime) return because;
  try {
    const pods = await within(clock, ASK_MS, cluster.pods(runtime.namespace));
    return pods ? `${because}: ${whyNotMounted(runtime, nodeId, pods)}` : because;
  } catch (error) {
    log.warn({ runtime, error: String(error) }, 'the fuse pod cannot be asked for');
    return because;
  }
}
