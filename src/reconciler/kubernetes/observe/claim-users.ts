import type { KubeClient } from '../../../kube/contract.ts';
import { isNotFound } from '../../../kube/errors.ts';
import type { ClaimUsers, NotListed } from '../../teardown.ts';
import { Pod } from '../kinds.ts';
import { claimsOf, fromPods, hasEnded, mounts } from '../pod-pages.ts';

interface Answer extends ClaimUsers {
  readonly at: number;
  toldAt?: number;
}
/** One list at a time, for all who asked before it. */
interface Listing {
  readonly claims: ReadonlySet<string>;
  readonly ended: Promise<unknown>;
}
interface Space {
  /** Claims that somebody asked about since the last list was begun. */
  asked: Set<string>;
  readonly answers: Map<string, Answer>;
  listing?: Listing | undefined;
  begunAt: number;
  nextAt: number;
}

/** Between two lists, and the longer the more they cost; and so long an answer may be given again. */
const FRESH_MS = 2000;
const PACE = 20;
/** Until then a pod that is still there is enough to say no; afterwards its neighbours are named anew. */
const KEEP_MS = 60_000;

/**
 * Who mounts a claim. The API server cannot select pods by claim, so all of a namespace are listed: page by page, keeping names only, once
 * for all who ask in that namespace, and never more than a twentieth of the time. While a pod that was found is still there, it alone is
 * asked for. That there is none only a list can say that was begun after the question: until there may be one, the answer is to ask again.
 * A pod that comes between that list and the deletion of the claim keeps it nonetheless: Kubernetes sees to that.
 */
export function createClaimUsers(client: KubeClient, now: () => number) {
  const spaces = new Map<string, Space>();

  function spaceOf(namespace: string): Space {
    for (const [name, { listing, begunAt }] of spaces) if (!listing && now() - begunAt >= KEEP_MS) spaces.delete(name);
    const space = spaces.get(namespace) ?? { asked: new Set(), answers: new Map(), begunAt: now(), nextAt: 0 };
    spaces.set(namespace, space);
    return space;
  }

  /** What is known already, as far as it still holds. */
  async function known(namespace: string, claim: string, answer: Answer): Promise<ClaimUsers | undefined> {
    const { mounting, at } = answer;
    if (now() - at >= KEEP_MS) return undefined;
    if (mounting.length === 0) {
      answer.toldAt ??= now();
      return now() - answer.toldAt < FRESH_MS ? answer : undefined;
    }
    if (now() - at < FRESH_MS) return answer;
    for (const [i, name] of mounting.entries())
      if (await stillMounts(namespace, name, claim)) return { ...answer, mounting: mounting.slice(i) };
    return undefined;
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

  async function list(namespace: string, space: Space): Promise<void> {
    // Who asks in the same turn is answered by it too.
    await new Promise(setImmediate);
    const claims = space.asked;
    space.asked = new Set();
    const at = now();
    space.begunAt = at;
    try {
      // Whose users are known has asked too.
      const used = [...space.answers].flatMap(([claim, { mounting }]) => (mounting.length > 0 ? [claim] : []));
      const found = await listed(client, namespace, new Set([...claims, ...used]));
      for (const [claim, answer] of space.answers) if (at - answer.at >= KEEP_MS && !found.has(claim)) space.answers.delete(claim);
      // A question may have come anew meanwhile.
      for (const [claim, users] of found) if (claims.has(claim) || space.answers.has(claim)) space.answers.set(claim, { ...users, at });
    } finally {
      space.nextAt = at + Math.min(KEEP_MS, Math.max(FRESH_MS, (now() - at) * PACE));
      space.listing = undefined;
    }
  }

  return {
    async of(namespace: string, claim: string): Promise<ClaimUsers | NotListed> {
      const space = spaceOf(namespace);
      const before = space.answers.get(claim);
      const users = before && (await known(namespace, claim, before));
      if (users) return users;
      if (before && space.answers.get(claim) === before) space.answers.delete(claim);
      if (!space.listing?.claims.has(claim)) space.asked.add(claim);
      if (!space.listing) {
        const waitMs = Math.min(KEEP_MS, space.nextAt - now());
        if (waitMs > 0) return { askAgainMs: waitMs };
        space.listing = { claims: space.asked, ended: list(namespace, space) };
      }
      const { claims, ended } = space.listing;
      // The one under way was begun before.
      if (!claims.has(claim)) return { askAgainMs: FRESH_MS };
      await ended;
      const answer = space.answers.get(claim);
      if (!answer) return { askAgainMs: FRESH_MS };
      answer.toldAt ??= now();
      return answer;
    },
  };
}

async function listed(client: KubeClient, namespace: string, claims: ReadonlySet<string>): Promise<ReadonlyMap<string, ClaimUsers>> {
  const byClaim = new Map([...claims].map((claim) => [claim, { mounting: [] as string[], ended: [] as string[] }]));
  const users = await fromPods(client, namespace, (pod) =>
    claimsOf(pod)
      .filter((claim) => claims.has(claim))
      .map((claim) => ({ claim, name: pod.metadata.name, as: hasEnded(pod) ? ('ended' as const) : ('mounting' as const) })),
  );
  for (const { claim, name, as } of users) byClaim.get(claim)?.[as].push(name);
  return byClaim;
}
