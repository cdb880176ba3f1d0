import { bindOver } from '../mounts/bind-over.ts';
import { hasEnded, podOf } from '../publish/consumer-pod.ts';
import type { Host } from '../mounts/host.ts';
import { NotBound } from '../mounts/not-bound.ts';
import { begunAt, handleOf } from '../kubelet.ts';
import { mountTree } from '../mounts/tree.ts';
import { type MountInfo, stackAt, topAt } from '../mounts/mountinfo.ts';
import type { BindMount } from '../mounts/binding.ts';
import type { NodeContext } from '../node-context.ts';
import { layersToDrop, needsTrimming, type Orphan, rebinding, startsOf } from './plan.ts';
import type { RebindResult } from './events.ts';
import { messageOf } from '../../kube/errors.ts';

/** How long the API server may take while a consumer waits for its volume. */
const ASK_MS = 300;

/** Binds one orphan to what its volume is now; undefined when there is nothing to do. @throws Error when its volume cannot be read */
export async function rebind(context: NodeContext, orphan: Orphan): Promise<RebindResult | undefined> {
  const { host, volumes, locks, layers, clock, log, kubeletDir } = context;
  const { target, at } = orphan;
  const handle = handleOf(kubeletDir, at);
  // By name: volumes with one handle may have sub paths of their own, and a pod must see no more than its own.
  const volume = handle === undefined ? undefined : await volumes.get(at.volumeName);
  // Before the lock: a publish call holds it for as long as it waits for this very mount.
  if (!volume || !rebinding(orphan, volume, await host.mounts())) return undefined;
  // The kubelet unmounts one layer, and retries for as long as another is below: what were bound again would keep the pod for ever.
  if (at.isSubPath && (await hasEnded(context, at.podUid, ASK_MS))) {
    await locks.run(target, () => clear(context, target));
    return undefined;
  }
  // Never while a call of the kubelet publishes or unpublishes the target; then decided again.
  return locks.run(target, async () => {
    const binding = rebinding(orphan, volume, await host.mounts());
    if (!binding) return undefined;
    const about = { runtime: volume.runtime, pod: at.podUid, fusePath: volume.fusePath };
    let dropped = 0;
    try {
      dropped = await trim(context, orphan);
      const seen = await bindPart(host, binding, at.isSubPath);
      const mount = topAt(await host.mounts(), target);
      if (mount) layers.add(target, mount.device, clock.wall());
      log.info({ target, volumeId: handle, source: binding.source, dropped, seen }, 'bound again');
      return { ...about, dropped, unseen: !seen };
    } catch (error) {
      const message = messageOf(error);
      log.warn({ target, volumeId: handle, error: message }, 'not bound again');
      // Only the kubelet can create the directory again, and when it starts the container it cannot pass a dead mount there.
      if (at.isSubPath && orphan.isDead && error instanceof NotBound && error.why === 'missing') {
        await clear(context, target);
        return {
          ...about,
          dropped,
          unseen: true,
          error: `${message}; the dead mount was removed, so that containers can be started again`,
        };
      }
      // The volume's client is still starting: the bind is retried, without an event.
      if (error instanceof NotBound && error.why === 'later') return { ...about, dropped, error: '' };
      return { ...about, dropped, error: message };
    }
  });
}

/** The sub path of a container may be a file. Returns whether running containers see it. */
async function bindPart(host: Host, binding: BindMount, isSubPath: boolean): Promise<boolean> {
  try {
    return await bindOver(host, binding);
  } catch (error) {
    if (!isSubPath || binding.source === binding.fusePath || !(error instanceof NotBound) || error.why !== 'missing') throw error;
    return bindOver(host, { ...binding, isFile: true });
  }
}

/** Unmounts all that is mounted at a path; running containers keep what they have. */
async function clear({ host }: NodeContext, target: string): Promise<void> {
  for (let left = stackAt(await host.mounts(), target).length; left > 0; left--) await host.unmount([target], true);
}

/** Unmounts the layers that no container uses, if the API server answers in time; returns how many. */
async function trim(context: NodeContext, { target, at }: Orphan): Promise<number> {
  const { host, layers } = context;
  const mounts = await host.mounts();
  if (!needsTrimming(mounts, target)) return 0;
  const pod = await podOf(context, at.podUid, ASK_MS);
  if (!pod) return 0;
  const most = layersToDrop(
    stackAt(mounts, target),
    layers.at(target),
    startsOf(pod, (container) => begunAt(context.kubeletDir, at.podUid, container)),
  );
  for (let dropped = 0; dropped < most; dropped++) {
    try {
      const top = topAt(await host.mounts(), target);
      const below = top ? mountTree(await host.mounts()).below(top, target) : new Map<string, MountInfo>();
      // Never lazily: a layer that a process uses stays.
      for (const path of [...below.keys()].toSorted().toReversed()) await host.unmount([`${target}/${path}`], false);
      await host.unmount([target], false);
    } catch {
      return dropped;
    }
  }
  return most;
}
