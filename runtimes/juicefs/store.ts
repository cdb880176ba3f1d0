/** What the clients' counters say about the object store, which none of Sluice's questions reaches: a look-up asks the metadata engine alone. */
export interface StoreSeen {
  readonly requests: readonly Requests[];
  /** A client got errors, and nothing else; undefined until that can be known: the errors may be older than this process. */
  readonly fails: boolean | undefined;
}

/** Of one client, since it started. */
interface Requests {
  /** When it started, seconds since the epoch: no other client's figures are compared with its. */
  readonly client: number;
  readonly errors: number;
  readonly bytes: number;
}

/**
 * @param figures of each client, by the names of its counters without `juicefs_`
 * @returns undefined if no client counts its requests
 */
export function seenStore(figures: readonly ReadonlyMap<string, number>[], before: StoreSeen | undefined): StoreSeen | undefined {
  const requests = figures.filter((figure) => figure.has('object_request_errors')).map(requestsOf);
  return requests.length > 0 ? { requests, fails: fails(requests, before) } : undefined;
}

const requestsOf = (figure: ReadonlyMap<string, number>): Requests => ({
  client: figure.get('process_start_time_seconds') ?? 0,
  errors: figure.get('object_request_errors') ?? 0,
  bytes: (figure.get('object_request_data_bytes_GET') ?? 0) + (figure.get('object_request_data_bytes_PUT') ?? 0),
});

/** While no client asks the store, nobody knows better than before. */
function fails(requests: readonly Requests[], before: StoreSeen | undefined): boolean | undefined {
  if (!before) return requests.some(({ errors }) => errors > 0) ? undefined : false;
  const known = new Map(before.requests.map((each) => [each.client, each]));
  const since = requests.flatMap((now) => {
    const then = known.get(now.client);
    return then ? [{ errors: now.errors - then.errors, bytes: now.bytes - then.bytes }] : [];
  });
  if (since.some(({ errors, bytes }) => errors > 0 && bytes <= 0)) return true;
  return since.length > 0 && since.every(({ bytes }) => bytes <= 0) ? before.fails : false;
}

/** As the condition says it. */
export const STORE_FAILS =
  'Requests to the object store fail: it does not answer, or refuses. What is cached is read all the same; other reads, and writes, wait or get the error “Input/output error”.';
