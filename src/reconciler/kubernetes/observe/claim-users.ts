import type { Monotonic } from '../../../kube/clock.ts';
import type { KubeClient } from '../../../kube/contract.ts';
import { isNotFound } from '../../../kube/errors.ts';
import type { KubeObject } from '../../../kube/types.ts';
import type { ClaimUsers, EndedPod, NotListed } from '../../teardown-steps.ts';
import { Pod } from '../kinds.ts';
import { fromPods, hasEnded, readClaimsOf, reads } from '../pod-pages.ts';

/** Times are monotonic, in milliseconds. */
interface Answer extends ClaimUsers {
  /** When the list began. */
  readonly at: number;
  /** When the answer was first returned. */
  returnedAt?: number;
}
/** One list at a time, for all requests that came before it. */
interface Listing {
  readonly claims: ReadonlySet<string>;
  readonly ended: Promise<unknown>;
}
interface Space {
  /** Claims that were asked about since the last list began. */
  asked: Set<string>;
  readonly answers: Map<string, Answer>;
  listing?: Listing | undefined;
  begunAt: number;
  nextAt: number;
}

/** The least time between two lists, and how long an answer that no pod mounts the claim may be returned again. */
const FRESH_MS = 2000;
/** The pause between two lists is so many times as long as the list took: at most a twentieth of the time is spent on lists. */
const PACE = 20;
/** Until then one known pod that still mounts the claim is an answer; after it, all pods are listed again. */
const KEEP_MS = 60_000;

/**
 * Which pods read the Dataset of a claim, by the claim or by a sidecar of their own. The API server cannot select pods by claim, so all pods of a namespace are listed: page by page, keeping names
 * only, once for all requests in that namespace, and for at most a twentieth of the time. While a pod that was found still mounts the
 * claim, only that pod is read. Only a list that began after the request can show that no pod mounts it; until such a list may begin, the
 * answer is `askAgainMs`. Kubernetes keeps the claim for a pod that is created between that list and the deletion (pvc-protection).
 */
export function createClaimUsers(client: KubeClient, clock: Monotonic) {
  const spaces = new Map<string, Space>();

  function spaceOf(namespace: string): Space {
    for (const [name, { listing, begunAt }] of spaces) if (!listing && clock.monotonic() - begunAt >= KEEP_MS) spaces.delete(name);
    const space = spaces.get(namespace) ?? { asked: new Set(), answers: new Map(), begunAt: clock.monotonic(), nextAt: 0 };
    spaces.set(namespace, space);
    return space;
  }

  /** The last answer, if it still holds. */
  async function known(namespace: string, claim: string, answer: Answer): Promise<ClaimUsers | undefined> {
    const { mounting, at } = answer;
    if (clock.monotonic() - at >= KEEP_MS) return undefined;
    if (mounting.length === 0) {
      answer.returnedAt ??= clock.monotonic();
      return clock.monotonic() - answer.returnedAt < FRESH_MS ? answer : undefined;
    }
    if (clock.monotonic() - at < FRESH_MS) return answer;
    for (const [i, name] of mounting.entries())
      if (await stillMounts(namespace, name, claim)) return { ...answer, mounting: mounting.slice(i) };
    return undefined;
  }

  async function stillMounts(namespace: string, name: string, claim: string): Promise<boolean> {
    try {
      const pod = await client.get(Pod, { namespace, name });
      return reads(pod, claim);
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async function list(namespace: string, space: Space): Promise<void> {
    // Requests of the same turn of the event loop share this list.
    await new Promise(setImmediate);
    const claims = space.asked;
    space.asked = new Set();
    const at = clock.monotonic();
    space.begunAt = at;
    try {
      // Claims with known users are listed as well.
      const used = [...space.answers].flatMap(([claim, { mounting }]) => (mounting.length > 0 ? [claim] : []));
      const found = await listed(client, namespace, new Set([...claims, ...used]));
      for (const [claim, answer] of space.answers) if (at - answer.at >= KEEP_MS && !found.has(claim)) space.answers.delete(claim);
      // A claim that was asked about only during the list is not answered by it.
      for (const [claim, users] of found) if (claims.has(claim) || space.answers.has(claim)) space.answers.set(claim, { ...users, at });
    } finally {
      space.nextAt = at + Math.min(KEEP_MS, Math.max(FRESH_MS, (clock.monotonic() - at) * PACE));
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
        const waitMs = Math.min(KEEP_MS, space.nextAt - clock.monotonic());
        if (waitMs > 0) return { askAgainMs: waitMs };
        space.listing = { claims: space.asked, ended: list(namespace, space) };
      }
      const { claims, ended } = space.listing;
      // The list that is under way began before this request.
      if (!claims.has(claim)) return { askAgainMs: FRESH_MS };
      await ended;
      const answer = space.answers.get(claim);
      if (!answer) return { askAgainMs: FRESH_MS };
      answer.returnedAt ??= clock.monotonic();
      return answer;
    },
  };
}

async function listed(client: KubeClient, namespace: string, claims: ReadonlySet<string>): Promise<ReadonlyMap<string, ClaimUsers>> {
  const byClaim = new Map([...claims].map((claim) => [claim, { mounting: [] as string[], ended: [] as EndedPod[] }]));
  const users = await fromPods(client, namespace, (pod) =>
    readClaimsOf(pod)
      .filter((claim) => claims.has(claim))
      .map((claim) => ({ claim, name: pod.metadata.name, ended: hasEnded(pod) && endedPod(pod) })),
  );
  for (const { claim, name, ended } of users) {
    if (ended) byClaim.get(claim)?.ended.push(ended);
    else byClaim.get(claim)?.mounting.push(name);
  }
  return byClaim;
}

const endedPod = ({ metadata: { name, ownerReferences = [] } }: KubeObject): EndedPod => {
  const job = ownerReferences.find(({ kind, controller }) => kind === 'Job' && controller)?.name;
  return { name, ...(job !== undefined && { job }) };
};
