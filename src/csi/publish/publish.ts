import { attempt } from './attempt.ts';
import { isWanted } from './ask.ts';
import { unavailable } from '../grpc/errors.ts';
import type { NodeContext } from '../node-context.ts';
import { methodFor } from './plan.ts';
import { type PublishCall, reasonOf } from './reason.ts';
import type { Call } from '../grpc/unary.ts';

/** A call returns so long before its deadline: with a reason in place of a timeout. */
const MARGIN_MS = 2_000;
/** How late a mount is seen that a publish call waits for. */
const SEEN_MS = 50;
/** How late it is seen that a pod that waits is deleted, once its events show why it waits. */
const WANTED_MS = 5_000;

/**
 * Mounts the volume at the target, and waits for the fuse pod's mount for a while.
 *
 * @throws CsiError UNAVAILABLE when the kubelet should retry, NOT_FOUND for a sub path that does not exist, INVALID_ARGUMENT for one that
 *   leads out of the volume
 */
export async function publish(context: NodeContext, request: PublishCall, { deadline, signal }: Call): Promise<void> {
  const { clock, log, explained, patienceMs } = context;
  const { volume, target, readOnly } = request;
  // gRPC's deadline is a time of the wall clock.
  const end = clock.monotonic() + (deadline - clock.wall()) - MARGIN_MS;
  if (volume.method === 'symlink' && methodFor(volume, readOnly) === 'bind')
    log.info({ target, readOnly }, 'bound, not linked: a symbolic link can be neither read-only nor restricted to a sub path');
  for (let waitMs = patienceMs; ; waitMs = Math.min(patienceMs, WANTED_MS)) {
    const because = await attemptUntil(context, request, Math.min(clock.monotonic() + waitMs, end), signal);
    if (because === undefined) return;
    // The kubelet retries with back-off, up to two minutes apart: once the pod's events show the reason, the call itself waits.
    if (explained.has(target) && clock.monotonic() < end && (await isWanted(context, request))) continue;
    explained.add(target);
    throw unavailable(await reasonOf(context, request, because));
  }
}

/** Attempts it again each time that the mount table has changed. Returns why it is too early when the time is over; undefined: it is done. */
async function attemptUntil(context: NodeContext, request: PublishCall, until: number, signal: AbortSignal): Promise<string | undefined> {
  for (;;) {
    const attempted = await attempt(context, request);
    if (attempted === 'done') return undefined;
    const { because, againMs, mounts } = attempted;
    const left = until - context.clock.monotonic();
    const ms = Math.min(left, againMs);
    const isAgain =
      left > 0 && ((await context.watch.changed(mounts, request.volume.fusePath, { everyMs: SEEN_MS, ms, signal })) || ms < left);
    if (!isAgain) return because;
  }
}
