/** The server of `sluice ui`: the page, what the fleet is, and how it changes. It changes nothing in the cluster. */
import type { Runtime } from '../../constructs/index.ts';
import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../../kube/clock.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { createListener } from '../../kube/listen/listener.ts';
import { type Log, silent } from '../../kube/types.ts';
import { apiRoutes, type Preview } from './api.ts';
import { createLooks } from './detail/looks.ts';
import { createSeal, createStreams } from './fleet/stream.ts';
import { watchFleet } from './fleet/watches.ts';
import { type Asset, createRoutes } from './http/routes.ts';
import { createNodeWatches } from './nodes/watches.ts';
import type { Viewers } from './viewers/viewers.ts';

export interface UiOptions {
  /** Watches, with the rights of the server. */
  readonly client: KubeClient;
  readonly runtimes: readonly Runtime[];
  /** The namespaces that are watched. Absent: all. */
  readonly namespaces?: readonly string[];
  /** Whether the server may list a kind, by its plural, in a namespace, or in all if it is undefined. */
  readonly mayList: (plural: string, namespace: string | undefined) => boolean;
  readonly viewers: Viewers;
  readonly preview: Preview;
  /** By path: `/`, `/page.js`. */
  readonly assets: ReadonlyMap<string, Asset>;
  /** Only requests to this machine by its own name are answered, on 127.0.0.1. Else any pod may ask, on all addresses. */
  readonly isLocal: boolean;
  /** 0: a free one. */
  readonly port: number;
  readonly clock?: Clock;
  readonly log?: Log;
}

export interface UiServer {
  readonly port: number;
  /** Resolves when all kinds have been listed. */
  readonly ready: Promise<void>;
  stop(): Promise<void>;
}

/** A browser has six connections, each with a header of some kilobytes at most. */
const LIMITS = { most: 512, headerBytes: 16 << 10, headersMs: 5_000, requestMs: 30_000, idleMs: 120_000 };
/** One that sends all of an Ingress has them all. */
const OF_PEER = 512;

/** Serves as soon as it returns. Throws what Node does for a port that cannot be served. */
export async function serveUi(options: UiOptions): Promise<UiServer> {
  const { client, runtimes, namespaces, mayList, viewers, assets, preview, isLocal, clock = systemClock, log = silent } = options;
  const watched = watchFleet(client, { runtimes, ...(namespaces && { namespaces }), mayList, clock, log });
  const { fleet } = watched;
  const streams = createStreams(fleet, randomBytes(6).toString('hex'), clock, createSeal());
  const { server, connections, listen } = createListener({ ...LIMITS, mostOfPeer: OF_PEER });
  let port = 0;

  const nodes = createNodeWatches(client, { ...(namespaces && { namespaces }), mayList, clock, log });
  const looks = createLooks(client, { mayList, onChange: fleet.touch, clock, log });
  const routes = apiRoutes({ fleet, ready: watched.ready, streams, nodes, looks, preview, clock });
  const answer = createRoutes({
    viewers,
    routes,
    assets,
    hosts: () => (isLocal ? new Set([`127.0.0.1:${port}`, `localhost:${port}`]) : undefined),
    // Cookies are of a host and not of a port: another `sluice ui` of this machine has a cookie of its own.
    cookie: () => (isLocal ? `sluice-ui-${port}` : 'sluice-ui'),
    log,
  });
  server.on('request', (request, response) => {
    connections.answering(request.socket);
    response.once('close', () => connections.answered(request.socket));
    void answer(request, response);
  });
  const endWork = () => {
    watched.stop();
    nodes.stop();
    looks.stop();
    viewers.stop();
    streams.stop();
  };
  try {
    port = await listen(options.port, isLocal ? '127.0.0.1' : undefined);
  } catch (error) {
    endWork();
    throw error;
  }
  return {
    port,
    ready: watched.ready,
    async stop() {
      endWork();
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
