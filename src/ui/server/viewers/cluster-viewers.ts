import { createHash } from 'node:crypto';
import { type Clock, systemClock } from '../../../kube/clock.ts';
import type { KubeClient } from '../../../kube/contract.ts';
import type { ResourceType } from '../../../kube/types.ts';
import { guarded } from './guarded.ts';
import { secret } from './one-viewer.ts';
import { mayList, type ReviewedUser, userOf } from './reviews.ts';
import { reviewedSight } from './rights.ts';
import { createTries } from './tries.ts';
import { TooMany, type Viewers, type ViewerSession } from './viewers.ts';

export interface ClusterViewersOptions {
  /** With the rights of the server: it may create reviews. */
  readonly client: KubeClient;
  /** A client with the token of a viewer, for dry runs. */
  readonly clientOf: (token: string) => KubeClient;
  /** Kinds that the page shows; Datasets come first. */
  readonly kinds: readonly [datasets: ResourceType, ...others: readonly ResourceType[]];
  readonly cluster: string;
  /** The namespaces that the server watches. Absent: all. */
  readonly namespaces?: readonly string[];
  readonly clock?: Clock;
}

interface Entry {
  readonly session: ViewerSession;
  readonly token: string;
  readonly user: ReviewedUser;
  readonly end: () => void;
  /** When the API server last accepted the token, ms. */
  reviewedAt: number;
  /** While it is asked once more. */
  reviewing?: Promise<void> | undefined;
}

/** A token is reviewed again after this time, when its viewer asks for something. */
const REVIEW_MS = 60_000;
/** A session ends that long after the last review that accepted its token. */
const LONGEST_MS = 15 * 60_000;
/** How often open streams have rights and tokens looked after. */
const TURN_MS = 30_000;
const MOST = 200;
const MOST_OF_USER = 10;
/** Sessions of the ServiceAccounts of one namespace: who may edit it can make any number of them. */
const MOST_OF_CROWD = 40;
const crowdOf = (username: string): string => /^system:serviceaccount:[^:]+:/.exec(username)?.[0] ?? username;
const TRIES_PER_SECOND = 10;

/** Viewers of a page in the cluster: each has a token of their own, which the API server reviews, and the rights that it says. */
export function clusterViewers({ client, clientOf, kinds, cluster, namespaces, clock = systemClock }: ClusterViewersOptions): Viewers {
  /** By the hash of a cookie, or of a token that a proxy sends. */
  const entries = new Map<string, Entry>();
  const tries = createTries(TRIES_PER_SECOND, clock);

  function close(id: string): void {
    entries.get(id)?.end();
    entries.delete(id);
  }
  const isOver = ({ reviewedAt }: Entry): boolean => clock.monotonic() - reviewedAt > LONGEST_MS;

  /** Makes room for one more of this user. @throws TooMany */
  function makeRoom(username: string): void {
    for (const [id, entry] of entries) if (isOver(entry)) close(id);
    const own = [...entries].filter(([, { user }]) => user.username === username);
    const beside = [...entries].filter(([, { user }]) => crowdOf(user.username) === crowdOf(username));
    if (own.length >= MOST_OF_USER) close((own[0] as [string, Entry])[0]);
    else if (beside.length >= MOST_OF_CROWD) close((beside[0] as [string, Entry])[0]);
    else if (entries.size >= MOST) throw new TooMany('too many have signed in: wait some minutes');
  }

  /** @throws TooMany @returns undefined if the API server does not accept the token */
  async function open(id: string, token: string, peer = ''): Promise<Entry | undefined> {
    tries.begin(peer);
    const user = await userOf(client, token);
    if (!user) return undefined;
    const known = entries.get(id);
    if (known) return known;
    makeRoom(user.username);
    const entry = entryOf(user, token);
    entries.set(id, entry);
    return entry;
  }

  function entryOf(user: ReviewedUser, token: string): Entry {
    const ended = new AbortController();
    const ask = (type: ResourceType, namespace: string) => mayList(client, user, type, namespace);
    // Sessions of one user have one sight: each new one would ask for the rights in thousands of namespaces anew.
    const same = [...entries.values()].find((each) => JSON.stringify(each.user) === JSON.stringify(user));
    const sight =
      same?.session.sight ?? reviewedSight({ name: user.username, cluster, kinds, ...(namespaces && { namespaces }), ask, clock });
    let own: KubeClient | undefined;
    const mayRead = async ({ plural }: ResourceType, namespace = '') => {
      await sight.look([namespace]);
      return sight.sees(plural, namespace);
    };
    const session: ViewerSession = {
      sight,
      reads: guarded(client, { mayRead }),
      get edits() {
        own ??= clientOf(token);
        return guarded(own, { mayRead: () => true, dryRuns: true });
      },
      ended: ended.signal,
    };
    const end = () => {
      ended.abort();
      void own?.close();
    };
    return { session, token, user, end, reviewedAt: clock.monotonic() };
  }

  /** Has the token reviewed again if it is time. While the API server does not answer, the session goes on until it is over. */
  async function keep(id: string, entry: Entry): Promise<Entry | undefined> {
    if (clock.monotonic() - entry.reviewedAt > REVIEW_MS)
      await (entry.reviewing ??= review(id, entry).finally(() => (entry.reviewing = undefined)));
    if (entries.get(id) !== entry) return undefined;
    if (!isOver(entry)) return entry;
    close(id);
    return undefined;
  }
  async function review(id: string, entry: Entry): Promise<void> {
    const user = await userOf(client, entry.token).catch(() => 'no answer' as const);
    if (user === 'no answer') return;
    // Another name, group or UID has other rights.
    if (user && JSON.stringify(user) === JSON.stringify(entry.user)) entry.reviewedAt = clock.monotonic();
    else close(id);
  }

  /** Streams ask for nothing by themselves. */
  async function turn(): Promise<void> {
    for (const [id, entry] of entries) if (isOver(entry)) close(id);
    // Not one after another: the rights of one who has thousands of namespaces take long. `look` asks nothing twice at a time.
    for (const [id, entry] of entries)
      if (entry.session.sight.isFollowed())
        void keep(id, entry)
          .then((kept) => kept?.session.sight.refresh())
          .catch(() => {});
  }
  let cancel = (): void => {};
  const soon = (): void => {
    cancel = clock.after(TURN_MS, () => void turn().finally(soon));
  };
  soon();

  return {
    async signIn(token, peer) {
      const cookie = secret();
      return (await open(hashOf(cookie), token, peer)) && cookie;
    },
    async of({ cookie, bearer, peer }) {
      const id = hashOf(bearer ?? cookie ?? '');
      const entry = entries.get(id);
      if (entry) return (await keep(id, entry))?.session;
      return bearer === undefined ? undefined : (await open(id, bearer, peer))?.session;
    },
    stop() {
      cancel();
      for (const id of entries.keys()) close(id);
    },
  };
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');
