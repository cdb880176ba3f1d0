import { Pool } from 'undici';
import type { ClusterConnection, Pools } from './connection.ts';
import { certificateOf, createConnector } from './connector.ts';

/** The API server drops a connection that was idle for 90 s; ours go first, so that a request never meets the closing. */
const IDLE_MS = 60_000;

export function createPools(connection: ClusterConnection, connections: number): Pools {
  const { origin } = new URL(connection.server);
  const shared = {
    connect: createConnector(connection),
    // Node's HTTP/2 client leaks with long watches, and one stream's stall would be everybody's.
    allowH2: false,
    keepAliveTimeout: IDLE_MS,
    // Ours: theirs are checked only every half second, and fencing needs better.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const open = () => ({
    certificate: certificateOf(connection),
    requests: new Pool(origin, { ...shared, connections }),
    streams: new Pool(origin, { ...shared, connections: null }),
  });
  let current = open();
  /** Watches that were opened with a former certificate: they go on, as do such requests, and no new one begins. */
  const former = new Set<Pool>();
  let closing: Promise<void> | undefined;

  function pools(): typeof current {
    const { cert, key } = certificateOf(connection);
    if (closing || (cert === current.certificate.cert && key === current.certificate.key)) return current;
    const { requests, streams } = current;
    void requests.close();
    former.add(streams);
    void streams.close().finally(() => former.delete(streams));
    return (current = open());
  }

  return {
    get requests() {
      return pools().requests;
    },
    get streams() {
      return pools().streams;
    },
    close() {
      closing ??= Promise.all([current.requests.close(), current.streams.destroy(), ...[...former].map((each) => each.destroy())]).then(
        () => {},
      );
      return closing;
    },
  };
}
