import type { Monotonic } from '../../../kube/clock.ts';
import { TooMany } from './viewers.ts';

/** Bounds how often the API server is asked about tokens that nobody has signed in with: anybody may send some. */
export interface Tries {
  /** @throws TooMany */
  begin(peer: string): void;
}

const MOST_PEERS = 1_000;

/** @param perSecond of one address on average, twice as many at once; of all together five times as many */
export function createTries(perSecond: number, clock: Monotonic): Tries {
  const all = bucket(5 * perSecond, clock);
  const peers = new Map<string, () => boolean>();
  return {
    begin(peer) {
      const own = peers.get(peer) ?? bucket(perSecond, clock);
      // The latest come last.
      peers.delete(peer);
      peers.set(peer, own);
      if (peers.size > MOST_PEERS) peers.delete(peers.keys().next().value as string);
      if (!own() || !all()) throw new TooMany('too many try to sign in: wait some seconds');
    },
  };
}

/** Returns a function that says whether one more may pass. */
function bucket(perSecond: number, clock: Monotonic): () => boolean {
  let left = 2 * perSecond;
  let at = clock.monotonic();
  return () => {
    const now = clock.monotonic();
    left = Math.min(2 * perSecond, left + ((now - at) / 1000) * perSecond);
    at = now;
    if (left < 1) return false;
    left--;
    return true;
  };
}
