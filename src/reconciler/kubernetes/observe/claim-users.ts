import { controllerOf } from '../../../api/index.ts';
import type { Monotonic } from '../../../kube/clock.ts';
import type { KubeClient } from '../../../kube/contract.ts';
import { isNotFound } from '../../../kube/errors.ts';
import type { KubeObject } from '../../../kube/types.ts';
import type { ClaimUsers, PodKeepingClaim, NotListed } from '../../teardown-steps.ts';
import { Pod } from '../../../planning/kinds.ts';
import { fromPods, hasEnded, readClaimsOf, reads } from '../../../planning/pod-pages.ts';

/** Times are monotonic, in milliseconds. */
interface Answer extends ClaimUsers {
  /** When the list began. */
  readonly at: number;
  /** When the claim was last asked about. */
  askedAt: number;
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
  askedAt: number;
  nextAt: number;
  /** Why the last list failed. */
  failure?: unknown;
}

/** The least time between two lists, and how long an answer that no pod mounts the claim may be returned again. */
const FRESH_MS = 2000;
/** The pause between two lists is so many times as long as the list took: at most a twentieth of the time is spent on lists. */
const PACE = 20;
/** Until then one known pod that still mounts the claim is an answer; after it, all pods are listed again. */
const KEEP_MS = 60_000;
/** Whoever waits for pods asks more often. */
const FORGOTTEN_MS = 2 * KEEP_MS;

/**
 * Which pods read the Dataset of a claim, by the claim or by a sidecar of their own. The API server cannot select pods by claim, so all pods
 * of a namespace are listed: page by page, keeping names only. One list answers all requests in that namespace, and lists take at most a
 * twentieth of the time.
 *
 * While a pod that was found still mounts the claim, only that pod is read. After a minute that goes on until the next list may begin, so that
 * the answer changes only with the pods. Only a list that began after the request can show that no pod mounts the claim. Until such a list may
 * begin, the answer is `askAgainMs`, or the error of the last list. Kubernetes keeps the claim for a pod that is created between that list and
 * the deletion (pvc-protection).
 */
export function createClaimUsers(client: KubeClient, clock: Monotonic) {
  const spaces = new Map<string, Space>();

  function spaceOf(namespace: string): Space {
    const now = clock.monotonic();
    const space = spaces.get(namespace) ?? { asked: new Set(), answers: new Map(), askedAt: now, nextAt: 0 };
    space.askedAt = now;
    spaces.set(namespace, space);
    for (const [name, { listing, askedAt }] of spaces) if (!listing && now - askedAt >= FORGOTTEN_MS) spaces.delete(name);
    for (const [claim, { askedAt }] of space.answers) if (now - askedAt >= FORGOTTEN_MS) space.answers.delete(claim);
    return space;
  }

  /** The last answer, if it still holds. */
  async function known(namespace: string, claim: string, answer: Answer): Promise<ClaimUsers | undefined> {
    const { mounting, at } = answer;
    if (isOld(answer)) return undefined;
    if (mounting.length === 0) {
      answer.returnedAt ??= clock.monotonic();
      return clock.monotonic() - answer.returnedAt < FRESH_MS ? answer : undefined;
    }
    return clock.monotonic() - at < FRESH_MS ? answer : stillMounted(namespace, claim, answer);
  }
  const isOld = ({ at }: Answer): boolean => clock.monotonic() - at >= KEEP_MS;

  /** The answer without the pods before the first that still mounts the claim, if one does. */
  async function stillMounted(namespace: string, claim: string, answer: Answer): Promise<ClaimUsers | undefined> {
    for (const [i, name] of answer.mounting.entries())
      if (await stillMounts(namespace, name, claim)) return { ...answer, mounting: answer.mounting.slice(i) };
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
    delete space.failure;
    try {
      // Claims with known users are listed as well.
      const used = [...space.answers].flatMap(([claim, { mounting }]) => (mounting.length > 0 ? [claim] : []));
      const found = await listed(client, namespace, new Set([...claims, ...used]));
      for (const [claim, answer] of space.answers) if (at - answer.at >= KEEP_MS && !found.has(claim)) space.answers.delete(claim);
      // A claim that was asked about only during the list is not answered by it.
      for (const [claim, users] of found) {
        const askedAt = claims.has(claim) ? at : space.answers.get(claim)?.askedAt;
        if (askedAt !== undefined) space.answers.set(claim, { ...users, at, askedAt });
      }
    } catch (error) {
      space.failure = error;
      throw error;
    } finally {
      space.nextAt = at + Math.min(KEEP_MS, Math.max(FRESH_MS, (clock.monotonic() - at) * PACE));
      space.listing = undefined;
    }
  }

  function forget({ answers }: Space, claim: string, answer: Answer): void {
    if (answers.get(claim) === answer) answers.delete(claim);
  }

  return {
    async of(namespace: string, claim: string): Promise<ClaimUsers | NotListed> {
      const space = spaceOf(namespace);
      const before = space.answers.get(claim);
      if (before) before.askedAt = clock.monotonic();
      const users = before && (await known(namespace, claim, before));
      if (users) return users;
      const isGone = before && !isOld(before);
      if (isGone) forget(space, claim, before);
      if (!space.listing?.claims.has(claim)) space.asked.add(claim);
      const waitMs = Math.min(KEEP_MS, space.nextAt - clock.monotonic());
      if (!space.listing && waitMs <= 0) space.listing = { claims: space.asked, ended: list(namespace, space) };
      // The list that is under way began before this request.
      if (!space.listing?.claims.has(claim)) {
        if (space.failure !== undefined) throw space.failure;
        const askAgainMs = space.listing ? FRESH_MS : waitMs;
        const still = before && !isGone ? await stillMounted(namespace, claim, before) : undefined;
        if (!still && before) forget(space, claim, before);
        return still ?? { askAgainMs };
      }
      await space.listing.ended;
      const answer = space.answers.get(claim);
      if (!answer) return { askAgainMs: FRESH_MS };
      answer.returnedAt ??= clock.monotonic();
      return answer;
    },
  };
}

async function listed(client: KubeClient, namespace: string, claims: ReadonlySet<string>): Promise<ReadonlyMap<string, ClaimUsers>> {
  const byClaim = new Map([...claims].map((claim) => [claim, { mounting: [] as string[], ended: [] as PodKeepingClaim[] }]));
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

function endedPod(pod: KubeObject): PodKeepingClaim {
  const owner = controllerOf(pod);
  return { name: pod.metadata.name, ...(owner?.kind === 'Job' && { job: owner.name }) };
}
