import { bindOver } from '../mounts/bind-over.ts';
import { podOf } from '../publish/consumer-pod.ts';
import { type Host, NotBound } from '../mounts/host.ts';
import { begunAt, handleOf } from '../kubelet.ts';
import { mountTree } from '../mounts/tree.ts';
import { type Mount, stackAt, topAt } from '../mounts/mountinfo.ts';
import type { Binding } from '../mounts/binding.ts';
import type { NodeContext } from '../node-context.ts';
import { layersToDrop, needsTrimming, type Orphan, rebinding, startsOf } from './plan.ts';
import type { Outcome } from './events.ts';

/** How long the API server is waited for while a consumer waits for its volume. */
const ASK_MS = 300;

/** Binds a consumer to what its volume is now; undefined when there is nothing to do. @throws Error when it cannot be looked up */
export async function rebind(context: NodeContext, orphan: Orphan): Promise<Outcome | undefined> {
  const { host, volumes, locks, layers, clock, log, kubeletDir } = context;
  const { target, at } = orphan;
  const handle = handleOf(kubeletDir, at);
  // By name: volumes of one id may have sub paths of their own, of which a pod must see no more than its own.
  const volume = handle === undefined ? undefined : await volumes.get(at.volumeName);
  // Before the lock: a publication holds it for as long as it waits for this very mount.
  if (!volume || !rebinding(orphan, volume, await host.mounts())) return undefined;
  // Not while the kubelet has it published or unpublished.
  return locks.run(target, async () => {
    const binding = rebinding(orphan, volume, await host.mounts());
    if (!binding) return undefined;
    const about = { runtime: volume.runtime, pod: at.podUid, fusePath: volume.fusePath };
    let dropped = 0;
    try {
      dropped = await trim(context, orphan);
      const seen = await bindPart(host, binding, at.isSubPath);
      const mount = topAt(await host.mounts(), target);
      if (mount) layers.add(target, mount.device, clock.now());
      log.info({ target, volumeId: handle, source: binding.source, dropped, seen }, 'bound again');
      return { ...about, dropped, unseen: !seen };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      log.warn({ target, volumeId: handle, error: message }, 'not bound again');
      // Nobody but the kubelet can make it again, and a kubelet that starts the container anew cannot pass what is dead there.
      if (at.isSubPath && orphan.isDead && error instanceof NotBound && error.why === 'missing') {
        await clear(context, target);
        return { ...about, dropped, unseen: true, error: `${message}; what was there is taken away, so containers can be started again` };
      }
      // Its client is still starting; the next try tells more.
      if (error instanceof NotBound && error.why === 'later') return { ...about, dropped, error: '' };
      return { ...about, dropped, error: message };
    }
  });
}

/** A part that a container has asked for may be a file. Whether containers that run see it. */
async function bindPart(host: Host, binding: Binding, isSubPath: boolean): Promise<boolean> {
  try {
    return await bindOver(host, binding);
  } catch (error) {
    if (!isSubPath || binding.source === binding.fusePath || !(error instanceof NotBound) || error.why !== 'missing') throw error;
    return bindOver(host, { ...binding, isFile: true });
  }
}

/** Takes away all that is mounted at a path; containers that run keep what they have. */
async function clear({ host }: NodeContext, target: string): Promise<void> {
  for (let left = stackAt(await host.mounts(), target).length; left > 0; left--) await host.unmount(target, true);
}

/** Takes away layers that no container stands on, if the API server says at once which those are; returns how many. */
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
      const below = top ? mountTree(await host.mounts()).below(top, target) : new Map<string, Mount>();
      // Never lazily: a layer in which somebody works stays.
      for (const path of [...below.keys()].toSorted().toReversed()) await host.unmount(`${target}/${path}`, false);
      await host.unmount(target, false);
    } catch {
      return dropped;
    }
  }
  return most;
}
