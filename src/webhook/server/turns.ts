/** Who computes next. One admission holds the event loop at a time, and what waits for the network is served in between. */
export interface Turns {
  /**
   * Resolves when it is this request's turn; false if its connection is gone by then, and nothing is to be computed.
   * @param peer the address that asks: addresses take turns
   * @param isLarge of one address, these wait for all others
   */
  take(peer: string, isLarge: boolean, isGone: () => boolean): Promise<boolean>;
}

interface Waiting {
  readonly isGone: () => boolean;
  readonly go: (isWanted: boolean) => void;
}
interface Line {
  readonly small: Waiting[];
  readonly large: Waiting[];
}

export function createTurns(): Turns {
  /** In the order of their turns. */
  const lines = new Map<string, Line>();
  let isScheduled = false;

  function next(): void {
    isScheduled = false;
    // Those that are gone take no turn.
    for (const [peer, line] of lines) {
      lines.delete(peer);
      let first = line.small.shift() ?? line.large.shift();
      while (first?.isGone()) {
        first.go(false);
        first = line.small.shift() ?? line.large.shift();
      }
      if (!first) continue;
      if (line.small.length + line.large.length > 0) lines.set(peer, line);
      first.go(true);
      break;
    }
    if (lines.size > 0) schedule();
  }
  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(next);
  }

  return {
    take: (peer, isLarge, isGone) =>
      new Promise((go) => {
        const line = lines.get(peer) ?? { small: [], large: [] };
        (isLarge ? line.large : line.small).push({ isGone, go });
        if (!lines.has(peer)) lines.set(peer, line);
        schedule();
      }),
  };
}
