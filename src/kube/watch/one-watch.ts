import type { Clock } from '../clock.ts';
import type { KubeClient, Selection } from '../contract.ts';
import type { ResourceType, WatchEvent } from '../types.ts';

/** A watch that lasted so long had recovered: an error that ends it is a new one. */
const HEALTHY_MS = 10_000;

export interface OneWatch {
  readonly type: ResourceType;
  readonly selection: Selection;
  /** The version after which it begins. */
  readonly from: string;
  readonly signal: AbortSignal;
  /** The server has begun to answer, or another piece of its answer came. */
  readonly onHeard: () => void;
  readonly onEvent: (event: WatchEvent) => void;
  /** Called once the watch has worked for a while. */
  readonly onHealthy: () => void;
  readonly clock: Clock;
}

/** Returns when the server ends the watch, or the signal is aborted. */
export async function watchOnce(client: KubeClient, watch: OneWatch): Promise<void> {
  const { type, selection, from, signal, onHeard, onEvent, onHealthy, clock } = watch;
  const began = clock.monotonic();
  // Spread out, so that a restarted server is not asked by every watch at once five minutes later.
  const timeoutSeconds = Math.round(300 * (1 + clock.random()));
  const cancelHealthy = clock.after(HEALTHY_MS, onHealthy);
  try {
    for await (const event of client.watch(type, { ...selection, resourceVersion: from, timeoutSeconds, signal, onHeard })) onEvent(event);
  } finally {
    cancelHealthy();
  }
  if (!signal.aborted && clock.monotonic() - began < HEALTHY_MS) throw new Error('the server ended the watch early');
}
