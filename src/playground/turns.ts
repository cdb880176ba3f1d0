import type { ApiServer } from '../api-server/index.ts';

/** Changes of one moment are looked at together, ms. */
const GATHER_MS = 5;
/** Then requests and signals have their turn, ms. */
const MOST_MS = 50;

/**
 * Lets controllers and kubelets act after each change, and when something becomes due, beside the requests.
 * @param pass looks at all there is, and does what there is to do; returns whether that was anything
 * @param againMs in how many ms there is more
 */
export function startTurns(
  server: ApiServer,
  pass: () => Generator<undefined, boolean>,
  againMs: () => number | undefined,
  onFault: (error: unknown) => void,
): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let isStopped = false;
  /** One that is under way. */
  let passing: Generator<undefined, boolean> | undefined;
  /** Since it began, so that it may have looked before. */
  let isChanged = false;
  /** How long requests are served before the next turn, ms: as long as the last one took. */
  let rest = GATHER_MS;

  function turn(): void {
    dueAt = Number.POSITIVE_INFINITY;
    timer = undefined;
    const began = performance.now();
    const left = act(began);
    rest = Math.max(GATHER_MS, performance.now() - began);
    if (left !== undefined) soon(left);
  }
  /** In how many ms there is more to do. */
  function act(began: number): number | undefined {
    try {
      if (!passing) {
        isChanged = false;
        passing = pass();
      }
      for (;;) {
        const { done, value } = passing.next();
        if (done) {
          passing = undefined;
          return value || isChanged ? 0 : againMs();
        }
        if (performance.now() - began > MOST_MS) return 0;
      }
    } catch (error) {
      passing = undefined;
      onFault(error);
      return undefined;
    }
  }
  function soon(ms: number): void {
    const wait = Math.max(ms, rest);
    const at = performance.now() + wait;
    if (isStopped || at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(turn, wait);
  }

  server.onChange = () => {
    isChanged = true;
    soon(0);
  };
  soon(0);
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
