import { bindOver } from './bind-over.ts';
import type { Pod } from './cluster.ts';
import { NotBound } from './host.ts';
import { handleOf, type PodPath } from './kubelet.ts';
import { type Mount, stackAt, topAt } from './mountinfo.ts';
import type { NodeParts } from './parts.ts';
import { layersToDrop, needsTrimming, type Orphan, rebinding, startsOf } from './recover.ts';
import type { Outcome } from './recovery-events.ts';
import type { RuntimeName } from './volume.ts';

interface Rebinder {
  /** Binds a consumer to what its volume is now; undefined when there is nothing to do. @throws Error when it cannot be looked up */
  one(orphan: Orphan): Promise<Outcome | undefined>;
  /** What is not in the table any more. */
  forget(mounts: readonly Mount[]): void;
}

export function rebinder(parts: NodeParts): Rebinder {
  const { host, volumes, locks, log, kubeletDir } = parts;
  /** When we mounted the layers that lie at targets, by the id of the mount. */
  const mountedAt = new Map<number, number>();

  async function one(orphan: Orphan): Promise<Outcome | undefined> {
    const { target, at } = orphan;
    const handle = await handleOf(kubeletDir, at);
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
        dropped = await trim(orphan, volume.runtime);
        const seen = await bindOver(host, binding);
        const mount = topAt(await host.mounts(), target);
        if (mount) mountedAt.set(mount.id, parts.clock.now());
        log.info({ target, volumeId: handle, source: binding.source, dropped, seen }, 'bound again');
        return { ...about, dropped, unseen: !seen };
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        log.warn({ target, volumeId: handle, error: message }, 'not bound again');
        // Its client is still starting; the next try tells more.
        if (error instanceof NotBound && error.why === 'later') return { ...about, dropped, error: '' };
        return { ...about, dropped, error: message };
      }
    });
  }

  /** Takes away layers that no container stands on; returns how many. */
  async function trim({ target, at }: Orphan, runtime: RuntimeName | undefined): Promise<number> {
    const mounts = await host.mounts();
    if (!runtime || !needsTrimming(mounts, target)) return 0;
    const pod = await podOf(parts, at);
    if (!pod) return 0;
    const most = layersToDrop(stackAt(mounts, target), mountedAt, startsOf(pod));
    for (let dropped = 0; dropped < most; dropped++) {
      try {
        // Never lazily: a layer in which somebody works stays.
        await host.unmount(target, false);
      } catch {
        return dropped;
      }
    }
    return most;
  }

  return {
    one,
    forget(mounts) {
      const ids = new Set(mounts.map(({ id }) => id));
      for (const id of mountedAt.keys()) if (!ids.has(id)) mountedAt.delete(id);
    },
  };
}

/** The pod that has a volume; pods are of the namespace of the claim that they mount. */
async function podOf({ cluster, log }: NodeParts, { podUid, volumeName }: PodPath): Promise<Pod | undefined> {
  try {
    const claim = (await cluster.volume(volumeName))?.claim;
    return claim && (await cluster.pods(claim.namespace)).find(({ metadata }) => metadata.uid === podUid);
  } catch (error) {
    log.warn({ podUid, error: String(error) }, 'a consumer cannot be asked for');
    return undefined;
  }
}
