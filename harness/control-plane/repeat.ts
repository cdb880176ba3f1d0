/** The loop of whatever plays a part in a cluster: a kubelet, a node plugin, a watcher. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Repeated {
  /** Resolves once the look that had begun is over. */
  stop(): Promise<void>;
}

/** Looks every `everyMs`, until it is stopped. @param onFault receives what a look failed of; the next one follows */
export function repeat(look: () => Promise<void>, everyMs: number, onFault: (error: unknown) => void): Repeated {
  let isStopping = false;
  const looking = (async () => {
    while (!isStopping) {
      await look().catch(onFault);
      await sleep(everyMs);
    }
  })();
  return {
    async stop() {
      isStopping = true;
      await looking;
    },
  };
}
