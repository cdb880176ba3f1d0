import { buildConnector, Pool } from 'undici';
import type { ClusterConnection, Pools } from './connection.ts';

/** The API server drops a connection that was idle for 90 s; ours go first, so that a request never meets the closing. */
const IDLE_MS = 60_000;
/** Linux asks a silent peer 10 times a second apart after this, so that a vanished machine is noticed within 15 s. No request of the API's is made for it. */
const KEEP_ALIVE_MS = 4_000;
const CONNECT_MS = 5_000;

export function createPools(connection: ClusterConnection, connections: number): Pools {
  const { origin } = new URL(connection.server);
  const shared = {
    connect: connector(connection),
    // Node's HTTP/2 client leaks with long watches, and one stream's stall would be everybody's.
    allowH2: false,
    keepAliveTimeout: IDLE_MS,
    // Ours: theirs are checked only every half second, and fencing needs better.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const requests = new Pool(origin, { ...shared, connections });
  const streams = new Pool(origin, { ...shared, connections: null });
  let closing: Promise<void> | undefined;

  return {
    requests,
    streams,
    close() {
      closing ??= Promise.all([requests.close(), streams.destroy()]).then(() => {});
      return closing;
    },
  };
}

/** Connects with the CA of the moment; undici's own connector is made anew only when the CA changed. */
function connector({ ca, cert, key, insecureSkipTlsVerify }: ClusterConnection): buildConnector.connector {
  let current: { ca: string | undefined; connect: buildConnector.connector } | undefined;
  return (target, done) => {
    const trusted = typeof ca === 'function' ? ca() : ca;
    if (current === undefined || current.ca !== trusted) {
      const connect = buildConnector({
        ...(trusted !== undefined && { ca: trusted }),
        ...(cert !== undefined && { cert }),
        ...(key !== undefined && { key }),
        rejectUnauthorized: !insecureSkipTlsVerify,
        allowH2: false,
        keepAlive: true,
        keepAliveInitialDelay: KEEP_ALIVE_MS,
        timeout: CONNECT_MS,
      });
      current = { ca: trusted, connect };
    }
    current.connect(target, done);
  };
}
