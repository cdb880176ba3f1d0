import { createFairQueue, type FairQueue } from '../../kube/turns/fair-queue.ts';
import type { Caller } from './caller.ts';

/**
 * The order in which admissions compute. One admission holds the event loop at a time, and what waits for the network is served in between.
 */
export interface Turns {
  /**
   * Resolves when it is this request's turn; false if its connection is gone by then, and nothing needs to be computed. Addresses take
   * turns, and so do the namespaces of one address.
   * @param isLarge of one namespace, these wait for all others
   */
  take(caller: Caller, isLarge: boolean, isGone: () => boolean): Promise<boolean>;
}

interface Waiting {
  readonly isGone: () => boolean;
  readonly go: (isWanted: boolean) => void;
}

/** Puts large requests behind all small ones. */
const BEHIND = 2 ** 50;

export function createTurns(): Turns {
  /** In the order of their turns. */
  const peers = new Map<string, FairQueue<{ readonly namespace: string; readonly waiting: Waiting }>>();
  let isScheduled = false;
  let number = 0;

  function next(): void {
    isScheduled = false;
    for (const [peer, line] of peers) {
      peers.delete(peer);
      const first = wanted(line);
      if (line.waiting > 0) peers.set(peer, line);
      first?.go(true);
      if (first) break;
    }
    if (peers.size > 0) schedule();
  }
  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(next);
  }

  return {
    take: ({ peer, namespace }, isLarge, isGone) =>
      new Promise((go) => {
        const line = peers.get(peer) ?? createFairQueue(Infinity);
        line.push(namespace, { namespace, waiting: { isGone, go } }, (isLarge ? BEHIND : 0) + number++);
        peers.set(peer, line);
        schedule();
      }),
  };
}

/** The next of a line that is not gone. */
function wanted(line: FairQueue<{ readonly namespace: string; readonly waiting: Waiting }>): Waiting | undefined {
  for (let first = line.shift(); first; first = line.shift()) {
    line.leave(first.namespace);
    if (!first.waiting.isGone()) return first.waiting;
    first.waiting.go(false);
  }
  return undefined;
}
