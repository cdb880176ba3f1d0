import type { Runtime, Settings } from '../../constructs/index.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { serveUi } from '../../ui/server/server.ts';
import { guarded } from '../../ui/server/viewers/guarded.ts';
import { oneViewer } from '../../ui/server/viewers/one-viewer.ts';
import { openSight } from '../../ui/server/viewers/sight.ts';
import { messageOf, Refused } from '../errors.ts';
import { assets } from './assets.ts';
import { lazyPreview } from './lazy-preview.ts';
import { rightsOf, userName } from './local.ts';

export interface LocalPage {
  /** With the rights of its one viewer. */
  readonly client: KubeClient;
  readonly runtimes: readonly Runtime[];
  readonly settings: Settings;
  /** Namespaces that the viewer has named; empty: all that may be listed. */
  readonly wanted: readonly string[];
  /** Shown if Datasets may not be listed in all namespaces. */
  readonly home: string;
  /** The viewer. Default: the name that the API server knows them by. */
  readonly name?: string;
  /** The cluster or context, for the title. */
  readonly cluster: string;
  /** 0: a free one. */
  readonly port: number;
}

/** The page of one viewer on their own machine. @throws Refused for a port that cannot be served */
export async function openLocalPage({ client, runtimes, settings, wanted, home, cluster, port, ...given }: LocalPage) {
  const { namespaces, mayList, hidden } = await rightsOf(client, runtimes, wanted, home);
  const name = given.name ?? (await userName(client)) ?? 'the user of the kubeconfig';
  const where = namespaces ? { namespaces } : {};
  const everything = { mayRead: () => true };
  const viewers = oneViewer({
    sight: openSight({ name, cluster, ...where, hidden }),
    reads: guarded(client, everything),
    edits: guarded(client, { ...everything, dryRuns: true }),
  });
  const preview = lazyPreview({ runtimes, settings });
  const server = await serveUi({
    client,
    runtimes,
    ...where,
    mayList,
    viewers,
    assets: await assets(),
    preview,
    isLocal: true,
    port,
  }).catch((error: unknown) => {
    throw new Refused(`--port ${port} cannot be served: ${messageOf(error)}`, { cause: error });
  });
  return {
    /** Signs in one browser, once. */
    address: `http://127.0.0.1:${server.port}/#token=${viewers.token}`,
    /** Absent: all. */
    namespaces,
    stop: server.stop,
  };
}
