import type { ApiServer } from '../api-server/index.ts';

/** Changes of one moment are looked at together, ms. */
const GATHER_MS = 5;

/**
 * Lets controllers and kubelets act after each change, and when something becomes due.
 * @param work does what there is to do; says in how many ms there is more
 */
export function startTurns(
  server: ApiServer,
  work: () => { readonly did: boolean; readonly againMs: number | undefined },
  onFault: (error: unknown) => void,
): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let isStopped = false;
  let last: string | undefined;

  function turn(): void {
    dueAt = Number.POSITIVE_INFINITY;
    timer = undefined;
    try {
      const { did, againMs } = work();
      if (did) soon(0);
      else if (againMs !== undefined) soon(againMs);
    } catch (error) {
      // An object that they cannot read would be met at each turn.
      if (String(error) !== last) onFault(error);
      last = String(error);
    }
  }
  function soon(ms: number): void {
    const at = performance.now() + Math.max(ms, GATHER_MS);
    if (isStopped || at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(turn, Math.max(ms, GATHER_MS));
  }

  server.onChange = () => soon(0);
  soon(0);
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
