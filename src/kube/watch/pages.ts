import { backoff, type Clock, sleep, systemClock } from '../clock.ts';
import type { KubeClient, ListOptions } from '../contract.ts';
import { ApiError, isExpired, isTooLarge, mayPass } from '../errors.ts';
import type { KubeList, KubeObject, ResourceType } from '../types.ts';

export interface PagesOptions extends Omit<ListOptions, 'limit' | 'continue'> {
  /** Objects of a page, however small they are. */
  readonly most?: number;
  readonly clock?: Clock;
}

/**
 * The desired size of a page, in characters. What is parsed of one answer must fit into V8's new space: what does not becomes garbage that
 * only a collection of the whole heap takes away.
 */
const PAGE = 1_000_000;
const LARGEST_PAGE = 16_000_000;
/** How large objects are is only known from those of the page before. */
const FIRST = 20;
/** client-go's 500 where only metadata comes; 100 of 10 KB. */
const MOST = { metadata: 500, whole: 100 };
/** How often a whole list is tried whose continuation expires on the way; pages are `GROWTH` times larger each time, up to 64 times. */
const TRIES = 4;
const GROWTH = 4;
/** After a page that is too large to be read. */
const FEWER = 8;
/** Tries of one page. */
const RETRIES = 4;
const LONGEST_WAIT_MS = 30_000;

/**
 * A whole collection, page by page. A consistent read (no resourceVersion) rather than `resourceVersion=0`: that one
 * ignores `limit`, and behind several API servers may answer from a cache that is older than what we have seen, so
 * that the store would go back in time. Since Kubernetes 1.31 consistent reads come from the cache as well.
 *
 * Where the pages are compacted away under us, it is begun anew with larger ones, which are fewer. After the largest the caller gets the error:
 * in one piece it would come no sooner, and be more than memory holds.
 *
 * @param kept what is kept of a page; no more than one is held whole
 */
export async function listAll<T = KubeObject>(
  client: KubeClient,
  type: ResourceType,
  options: PagesOptions = {},
  // The cast: without it T is what it returns.
  kept: (page: readonly KubeObject[]) => readonly T[] = (page) => page as unknown as readonly T[],
): Promise<{ readonly items: readonly T[]; readonly resourceVersion: string }> {
  const { most = options.metadataOnly ? MOST.metadata : MOST.whole, clock = systemClock, ...selection } = options;

  /** The first page is tried as often as the caller said, each further one here: what came before it would be lost. */
  async function pageAfter(token: string | undefined, wanted: number): Promise<KubeList> {
    let limit = wanted;
    for (let failures = 1; ; ) {
      try {
        return await client.list(type, { ...selection, limit, ...(token !== undefined && { retries: 0, continue: token }) });
      } catch (error) {
        if (isTooLarge(error) && limit > 1) {
          limit = Math.ceil(limit / FEWER);
          continue;
        }
        if (token === undefined) throw error;
        const waitMs = Math.max(backoff(failures, clock.random), (error instanceof ApiError && error.retryAfterMs) || 0);
        if (!mayPass(error) || failures > RETRIES || waitMs > LONGEST_WAIT_MS) throw error;
        failures++;
        await sleep(clock, waitMs, selection.signal);
      }
    }
  }

  async function inPages(growth: number) {
    const items: T[] = [];
    let limit = Math.min(FIRST, most);
    let page: KubeList | undefined;
    do {
      page = await pageAfter(page?.continue, limit);
      // Not `push(...)`: a function takes only so many arguments.
      for (const each of kept(page.items)) items.push(each);
      limit = fitting(page, Math.min(LARGEST_PAGE, PAGE * growth), most * growth);
    } while (page.continue !== undefined);
    return { items, resourceVersion: page.resourceVersion };
  }

  for (let tries = 1; ; tries++) {
    try {
      return await inPages(GROWTH ** (tries - 1));
    } catch (error) {
      if (!isExpired(error) || tries === TRIES) throw error;
    }
  }
}

/** How many objects such as those of the page are as large as that; as many as may be, where it is not known how large they are. */
function fitting({ items, size }: KubeList, wanted: number, most: number): number {
  if (size === undefined || items.length === 0) return most;
  return Math.min(most, Math.max(1, Math.floor((wanted * items.length) / size)));
}
