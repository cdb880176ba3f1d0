import type { Log } from '../kube/types.ts';

/** The first signal stops gracefully, the second at once. */
export function stopSignal(log: Log): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(1);
      log.info({ signal }, 'stopping');
      stop.abort();
    });
  }
  return stop.signal;
}

/** Resolves when the signal is aborted; at once if that has happened. */
export const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true })));
