import { backoff } from '../kube/clock.ts';
import { bindOver } from './bind-over.ts';
import type { Pod } from './cluster.ts';
import { handleOf, type PodPath } from './kubelet.ts';
import { NotBound } from './host.ts';
import { stackAt, topAt } from './mountinfo.ts';
import type { NodeParts } from './parts.ts';
import { layersToDrop, needsTrimming, type Orphan, orphans, rebinding, startsOf } from './recover.ts';
import { type Outcome, tell } from './recovery-events.ts';
import type { RuntimeName } from './volume.ts';

/** Binds at a time: each is a child or two. */
const AT_ONCE = 4;

/**
 * Binds consumers again whose FUSE client died and came back. It looks at the mount table whenever that changes below the mount root, and
 * once when it starts: everything it needs to know is in the table, in what the kubelet has written beside its mounts, and in volumes.
 */
export function startRecovery(parts: NodeParts): { stop(): Promise<void> } {
  const { watch, clock, log } = parts;
  const stopping = Promise.withResolvers<'stop'>();
  const pass = passes(parts);

  async function run(): Promise<void> {
    let failures = 0;
    for (;;) {
      const change = watch.next();
      const failed = await pass().catch((error: unknown) => {
        log.error({ err: error }, 'broken mounts cannot be looked for');
        return 1;
      });
      failures = failed > 0 ? failures + 1 : 0;
      const retry = Promise.withResolvers<void>();
      const cancel = failures > 0 ? clock.after(backoff(failures, clock.random), retry.resolve) : () => {};
      const woken = await Promise.race([change, retry.promise, stopping.promise]);
      cancel();
      if (woken === 'stop') return;
    }
  }

  const running = run();
  return {
    async stop() {
      stopping.resolve('stop');
      await running;
    },
  };
}

/** One look at the table, and all that follows; returns how many consumers are to be tried again soon. */
function passes(parts: NodeParts): () => Promise<number> {
  const { host, volumes, locks, log, kubeletDir } = parts;
  /** When we mounted the layers that lie at targets, by the id of the mount. */
  const mountedAt = new Map<number, number>();

  async function recover(orphan: Orphan): Promise<Outcome | undefined> {
    const { target, at } = orphan;
    const handle = await handleOf(kubeletDir, at);
    // By name: volumes of one id may have sub paths of their own, of which a pod must see no more than its own.
    const volume = handle === undefined ? undefined : await volumes.get(at.volumeName);
    if (!volume) return undefined;
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

  return async () => {
    const mounts = await host.mounts();
    const ids = new Set(mounts.map(({ id }) => id));
    for (const id of mountedAt.keys()) if (!ids.has(id)) mountedAt.delete(id);
    const waiting = [...orphans(mounts, parts)];
    const outcomes: Outcome[] = [];
    let lost = 0;
    const worker = async () => {
      for (let orphan = waiting.shift(); orphan; orphan = waiting.shift()) {
        const { target } = orphan;
        const outcome = await recover(orphan).catch((error: unknown) => {
          lost++;
          log.warn({ target, error: String(error) }, 'a consumer cannot be looked up');
        });
        if (outcome) outcomes.push(outcome);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    tell(parts, outcomes);
    return lost + outcomes.filter(({ error }) => error !== undefined).length;
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
