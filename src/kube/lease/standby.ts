import { backoff, type Clock } from '../clock.ts';
import type { KubeClient } from '../contract.ts';
import type { LeaseCandidate } from './candidate.ts';
import type { Lease } from './lease-record.ts';
import { isOutdated } from './lease-requests.ts';
import { freeInMs, watchLease } from './sightings.ts';

export interface StandbyOptions extends LeaseCandidate {
  readonly namespace: string;
  readonly alive: (holder: string) => boolean;
  readonly leaseDurationMs: number;
  /** Called with the holder after each change of the Lease; empty: no process. */
  readonly onHolder: (holder: string) => void;
  readonly clock: Clock;
}

/**
 * Waits until this process holds the lease.
 *
 * @param known the Lease as it last knew it: its own, which it may hold still, or that of the process that has taken it
 * @returns the Lease as it took it; undefined when stopped before
 */
export async function standBy(client: KubeClient, known: Lease | undefined, options: StandbyOptions): Promise<Lease | undefined> {
  const { namespace, name, identity, alive, leaseDurationMs, renewMs, requests, requestMs, pauses, onHolder, clock, log } = options;
  const sightings = watchLease(client, { namespace, name, known, leaseDurationMs, onHolder, onChange: pauses.wake, clock, log });
  let failures = 0;
  /** A write conflicted. Nothing may have changed, so the watch may never show why: a webhook too may answer 409. */
  let isContradicted = false;

  async function look(): Promise<void> {
    const found = await requests.read(requestMs);
    if (found !== 'unknown') sightings.found(found);
  }

  try {
    while (!pauses.isStopped) {
      const seen = sightings.latest;
      const waitMs = seen ? freeInMs(seen, { identity, alive, elapsed: clock.monotonic() }) : leaseDurationMs;
      if (!seen || waitMs > 0) {
        await pauses.pause(waitMs);
        if (!seen && isContradicted && !sightings.latest && !pauses.isStopped) await look();
        continue;
      }
      try {
        return await requests.take(seen.lease, requestMs);
      } catch (error) {
        if (isOutdated(error, seen.lease)) {
          // Another process wrote first. If the watch has shown its write already, that is what counts.
          sightings.discard(seen);
          isContradicted = true;
          continue;
        }
        log[failures === 0 ? 'warn' : 'debug']({ lease: name, err: error }, 'lease not taken');
        await pauses.pause(backoff(++failures, clock.random, { mostMs: renewMs }));
      }
    }
    return undefined;
  } finally {
    sightings.stop();
  }
}
