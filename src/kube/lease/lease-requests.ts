import type { Clock } from '../clock.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../errors.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { type LeaseTerms, LEASE, type Lease, released, renewed, taken } from './lease-record.ts';
import { momentOf, type WriteWindow } from './write-window.ts';

/** All requests that a candidate sends for its Lease, but the watch. None is retried by the client; each throws what the client throws. */
export interface LeaseRequests {
  /** Updates the Lease that was seen, or creates it. What succeeds opens the window. */
  take(seen: Lease | undefined, timeoutMs: number): Promise<Lease>;
  /** The same for a Lease that this process holds. */
  renew(held: Lease, timeoutMs: number): Promise<Lease>;
  /** Undefined when it does not exist; 'unknown' when it cannot be read. */
  read(timeoutMs: number): Promise<Lease | undefined | 'unknown'>;
  release(held: Lease, timeoutMs: number): Promise<void>;
}

export function leaseRequests(client: KubeClient, terms: LeaseTerms, window: WriteWindow, clock: Clock): LeaseRequests {
  async function put(write: 'create' | 'update', lease: Lease, timeoutMs: number): Promise<Lease> {
    const sent = momentOf(clock);
    const held = await client[write](LEASE, lease, { timeoutMs, retries: 0 });
    window.open(sent);
    return held;
  }

  return {
    take: (seen, timeoutMs) => put(seen ? 'update' : 'create', taken(seen, terms, clock.wall()), timeoutMs),
    renew: (held, timeoutMs) => put('update', renewed(held, clock.wall()), timeoutMs),
    async read(timeoutMs) {
      const { namespace, name } = terms;
      try {
        return (await client.get(LEASE, { namespace, name }, { timeoutMs, retries: 0 })) as Lease;
      } catch (error) {
        return isNotFound(error) ? undefined : 'unknown';
      }
    },
    async release(held, timeoutMs) {
      await client.update(LEASE, released(held, clock.wall()), { timeoutMs, retries: 0 });
    },
  };
}

/**
 * Whether a write failed because the Lease is not as `before`, which it was based on. A create that finds nothing means that the
 * namespace does not exist: that is retried.
 */
export const isOutdated = (error: unknown, before: Lease | undefined): boolean =>
  isConflict(error) || isAlreadyExists(error) || (before !== undefined && isNotFound(error));
