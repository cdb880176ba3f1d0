import type { KubeClient } from '../../kube/contract.ts';
import { isGone, isNotFound } from '../../kube/errors.ts';
import type { KubeObject } from '../../kube/types.ts';
import { Pod } from './kinds.ts';

/** Pods that name a claim. */
export interface ClaimUsers {
  readonly mounting: readonly string[];
  /** They have ended, and Kubernetes keeps the claim for them until they are deleted. */
  readonly ended: readonly string[];
}
interface Snapshot {
  readonly at: number;
  readonly tookMs: number;
  readonly byClaim: ReadonlyMap<string, ClaimUsers>;
}

/** 1 MB of pods at a time: between two pages others have their turn. */
const PAGE = 250;
/** A list is good for so long, and for the longer the more it costs. */
const FRESH_MS = 2000;
const PACE = 20;
/** Until then a pod that is still there is enough to say no; afterwards its neighbours are named anew. */
const KEEP_MS = 60_000;
const nobody: ClaimUsers = { mounting: [], ended: [] };

/**
 * Who mounts a claim. The API server cannot select pods by claim, so all of a namespace are listed: page by page, keeping names only, once
 * for all who ask in that namespace, and never more than a twentieth of the time. While a pod that was found is still there, it alone is
 * asked for. A pod that comes between a list and the deletion of the claim keeps it nonetheless: Kubernetes sees to that.
 */
export function createClaimUsers(client: KubeClient, now: () => number) {
  const snapshots = new Map<string, Snapshot>();
  const running = new Map<string, Promise<Snapshot>>();

  function list(namespace: string): Promise<Snapshot> {
    const known = running.get(namespace);
    if (known) return known;
    const listing = listed(client, namespace, now)
      .then((snapshot) => {
        snapshots.set(namespace, snapshot);
        return snapshot;
      })
      .finally(() => running.delete(namespace));
    running.set(namespace, listing);
    return listing;
  }

  async function stillMounts(namespace: string, name: string, claim: string): Promise<boolean> {
    try {
      const pod = await client.get(Pod, { namespace, name });
      return mounts(pod, claim);
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  return {
    async of(namespace: string, claim: string): Promise<ClaimUsers> {
      for (const [old, { at }] of snapshots) if (now() - at >= KEEP_MS) snapshots.delete(old);
      const last = snapshots.get(namespace);
      const age = last ? now() - last.at : Infinity;
      const users = last?.byClaim.get(claim) ?? nobody;
      const mayList = !last || age >= Math.min(KEEP_MS, Math.max(FRESH_MS, last.tookMs * PACE));
      if (users.mounting.length > 0 && age < FRESH_MS) return users;
      for (const [i, name] of users.mounting.entries())
        if (await stillMounts(namespace, name, claim)) return { ...users, mounting: users.mounting.slice(i) };
      // The last of them has gone; whether another came meanwhile is known when it may be asked again.
      if (!mayList) return { ...users, mounting: users.mounting.slice(-1) };
      return (await list(namespace)).byClaim.get(claim) ?? nobody;
    },
  };
}

async function listed(client: KubeClient, namespace: string, now: () => number): Promise<Snapshot> {
  const at = now();
  const byClaim = new Map<string, { mounting: string[]; ended: string[] }>();
  let next: string | undefined;
  do {
    const page = await client.list(Pod, { namespace, limit: PAGE, ...(next && { continue: next }) }).catch((error: unknown) => {
      // The pages were compacted away under us.
      if (isGone(error) && next) return undefined;
      throw error;
    });
    if (!page) return listed(client, namespace, now);
    for (const pod of page.items)
      for (const claim of claimsOf(pod)) {
        const users = byClaim.get(claim) ?? { mounting: [], ended: [] };
        byClaim.set(claim, users);
        users[hasEnded(pod) ? 'ended' : 'mounting'].push(pod.metadata.name);
      }
    next = page.continue;
  } while (next !== undefined);
  return { at, tookMs: now() - at, byClaim };
}

/** Whether a pod that has not ended names the claim. */
export const mounts = (pod: KubeObject, claim: string): boolean => claimsOf(pod).includes(claim) && !hasEnded(pod);

function claimsOf({ spec }: KubeObject): readonly string[] {
  const { volumes = [] } = (spec ?? {}) as { volumes?: readonly { persistentVolumeClaim?: { claimName?: string } }[] };
  return [...new Set(volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []))];
}
const hasEnded = ({ status }: KubeObject): boolean =>
  ['Succeeded', 'Failed'].includes((status as { phase?: string } | undefined)?.phase ?? '');
