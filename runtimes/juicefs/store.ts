/** The clients' counters of the object store, which none of Sluice's probes reaches: a look-up asks the metadata engine alone. */
export interface StoreSeen {
  readonly requests: readonly Requests[];
  /** A client got errors, and nothing else; undefined until that can be known: the errors may be older than this process. */
  readonly fails: boolean | undefined;
}

/** Requests of one client since it started. */
interface Requests {
  /** When it started, seconds since the epoch: no other client's figures are compared with its. */
  readonly client: number;
  readonly errors: number;
  /** Requests without an error. Bytes say nothing: those of a refused PUT are counted too. */
  readonly answered: number;
}

/**
 * @param figures of each client, by the names of its counters without `juicefs_`
 * @returns undefined if no client counts its requests
 */
export function seenStore(figures: readonly ReadonlyMap<string, number>[], before: StoreSeen | undefined): StoreSeen | undefined {
  const requests = figures.filter((figure) => figure.has('object_request_errors')).map(requestsOf);
  return requests.length > 0 ? { requests, fails: fails(requests, before) } : undefined;
}

function requestsOf(figure: ReadonlyMap<string, number>): Requests {
  const errors = figure.get('object_request_errors') ?? 0;
  const all = [...figure].reduce((sum, [name, value]) => (ATTEMPTS.test(name) ? sum + value : sum), 0);
  return { client: figure.get('process_start_time_seconds') ?? 0, errors, answered: all - errors };
}
/** Counters of each method. */
const ATTEMPTS = /^object_request_durations_histogram_seconds_[A-Z]+_total$/;

/** While no client sends requests to the store, the last answer stands. */
function fails(requests: readonly Requests[], before: StoreSeen | undefined): boolean | undefined {
  if (!before) return requests.some(({ errors }) => errors > 0) ? undefined : false;
  const known = new Map(before.requests.map((each) => [each.client, each]));
  const since = requests.flatMap((now) => {
    const then = known.get(now.client);
    return then ? [{ errors: now.errors - then.errors, answered: now.answered - then.answered }] : [];
  });
  if (since.some(({ errors, answered }) => errors > 0 && answered <= 0)) return true;
  return since.length > 0 && since.every(({ answered }) => answered <= 0) ? before.fails : false;
}

/** As the condition says it. */
export const STORE_FAILS =
  'Requests to the object store fail: it does not answer, or refuses. What is cached is read all the same; other reads, and writes, wait or get the error “Input/output error”.';
