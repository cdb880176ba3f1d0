import { Registry } from 'prom-client';
import { Dataset, operationKinds } from '../../api/index.ts';
import type { Runtime, Settings } from '../../constructs/index.ts';
import type { ClusterConnection } from '../../kube/client/connection.ts';
import { createClient } from '../../kube/client/kube-client.ts';
import type { Log, ResourceType } from '../../kube/types.ts';
import { Event, Node, ownedKinds, Pod, typeOf } from '../../planning/kinds.ts';
import { FIELD_MANAGER } from '../../planning/diff/managed-fields.ts';
import { CSINode } from '../../ui/server/nodes/watches.ts';
import { serveUi } from '../../ui/server/server.ts';
import { clusterViewers } from '../../ui/server/viewers/cluster-viewers.ts';
import { messageOf, Refused } from '../errors.ts';
import { serveHealth } from '../health.ts';
import type { Address } from '../settings/config-values.ts';
import { whenAborted } from '../stop-signal.ts';
import { assets } from './assets.ts';
import { lazyPreview } from './lazy-preview.ts';

export interface InCluster {
  readonly connection: ClusterConnection;
  readonly runtimes: readonly Runtime[];
  readonly settings: Settings;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly port: number;
  /** Address of /healthz, /readyz and /metrics. */
  readonly health?: Address | undefined;
  readonly log: Log;
  readonly stop: AbortSignal;
}

/** Kinds that the page shows, and of which viewers need the right to list. */
export const shownKinds = (runtimes: readonly Runtime[]): readonly [ResourceType, ...(readonly ResourceType[])] => [
  typeOf(Dataset),
  ...runtimes.map(({ resource }) => typeOf(resource)),
  ...operationKinds.map(typeOf),
  Pod,
  Event,
  ownedKinds.StatefulSet,
  ownedKinds.DaemonSet,
  ownedKinds.Job,
  Node,
  CSINode,
];

/** Serves viewers of the cluster, who sign in with tokens of their own, until `stop`. */
export async function serveInCluster({ connection, runtimes, settings, namespaces, port, health, log, stop }: InCluster): Promise<void> {
  const client = createClient(connection, { fieldManager: 'sluice-ui' });
  // Nothing of the identity of this process goes with a viewer's token.
  const { cert: _cert, key: _key, headers: _headers, refused: _refused, ...server } = connection;
  const clientOf = (token: string) => createClient({ ...server, token: () => token }, { fieldManager: FIELD_MANAGER, maxConnections: 4 });
  const where = namespaces.length > 0 ? { namespaces } : {};
  const cluster = connection.context ?? new URL(connection.server).host;
  let isReady = false;
  const ready = () => (isReady ? undefined : 'the first lists are not complete');
  const probes = health && (await serveHealth(health.host, health.port, { alive: () => undefined, ready }, new Registry()));
  try {
    const viewers = clusterViewers({ client, clientOf, kinds: shownKinds(runtimes), cluster, ...where });
    const ui = await serveUi({
      client,
      runtimes,
      ...where,
      mayList: () => true,
      viewers,
      assets: await assets(),
      preview: lazyPreview({ runtimes, settings }),
      isLocal: false,
      port,
      log,
    }).catch((error: unknown) => {
      throw new Refused(`--port ${port} cannot be served: ${messageOf(error)}`, { cause: error });
    });
    log.info({ port: ui.port }, 'serving the page');
    void ui.ready.then(() => (isReady = true));
    await whenAborted(stop);
    await ui.stop();
  } finally {
    await probes?.stop();
    await client.close();
  }
}
