import { setFlagsFromString } from 'node:v8';
import { UI_PORT } from '../../install/ui-port.ts';
import type { ClusterConnection } from '../../kube/client/connection.ts';
import { createClient } from '../../kube/client/kube-client.ts';
import { ApiError, NoAnswer } from '../../kube/errors.ts';
import { silent } from '../../kube/types.ts';
import { FIELD_MANAGER } from '../../planning/diff/managed-fields.ts';
import { collect, type Define } from '../command.ts';
import { Refused } from '../errors.ts';
import { createLog, logOptions } from '../log.ts';
import { type SettingsFlags, settingsOf, settingsOptions } from '../settings/config.ts';
import { allRuntimes } from '../settings/config-file.ts';
import { addressOf, complete, portOf } from '../settings/config-values.ts';
import { type ConnectionFlags, connect, connectionOptions } from '../settings/connection.ts';
import { keepHeapSmall } from '../small-heap.ts';
import { stopSignal, whenAborted } from '../stop-signal.ts';
import { complain, say } from '../terminal.ts';
import { serveInCluster } from './in-cluster.ts';
import { type LocalPage, openLocalPage } from './local-page.ts';

interface Flags extends ConnectionFlags, SettingsFlags {
  readonly namespace?: readonly string[];
  readonly inCluster?: boolean;
  readonly port?: string;
  readonly metricsAddr: string;
  readonly logLevel: string;
}

const HELP = `
A page for a browser on this machine: all Datasets and what is not well, one Dataset from its store to the pods that read
it, operations, nodes. It changes nothing in the cluster, shows what the user of the kubeconfig may list, and reads no
Secret. It serves on 127.0.0.1 alone, and the address that it prints signs in one browser, once.

Examples:
  sluice ui                                       prints the address; until Ctrl-C
  sluice ui --context prod -n ml -n vision        two namespaces
  sluice ui --in-cluster                          for many viewers, as the value ui.enabled of sluice install runs it

With --in-cluster it serves on all addresses, without TLS, and each viewer signs in with a token of the cluster. What a
viewer may not list, by SubjectAccessReviews, is not sent to them.

Without the right to list Datasets in all namespaces, it shows the namespace of the context, or those of -n.

Exit codes:
  0  ended by Ctrl-C
  1  did not start: no API server, or the port cannot be served
  2  bad usage`;

export const define: Define = (command, parts) => {
  connectionOptions(settingsOptions(command))
    .option('-n, --namespace <namespace>', 'show this namespace alone; repeatable (default: all that may be listed)', collect)
    .option('--port <port>', `port; 0 = a free one (default: 0 on 127.0.0.1, ${UI_PORT} with --in-cluster)`)
    .option('--in-cluster', 'serve viewers of a cluster, each with a token of their own')
    .option('--metrics-addr <host:port>', 'with --in-cluster: address of /healthz, /readyz and /metrics; 0 = none', ':8080')
    .addOption(logOptions())
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => {
      keepMemoryLow();
      const runtimes = await allRuntimes(await parts.runtimes(), flags.config);
      const settings = settingsOf(flags, process.env, runtimes);
      const { port, health } = complete((read) => ({
        port: read('--port', flags.port, portOf, flags.inCluster ? UI_PORT : 0),
        health: read('--metrics-addr', flags.metricsAddr, addressOf, undefined),
      }));
      const namespaces = flags.namespace ?? [];
      const connection = await connect(flags, process.env);
      try {
        if (!flags.inCluster) return await serveLocally({ connection, runtimes, settings, wanted: namespaces, port });
        const log = createLog(flags.logLevel);
        await serveInCluster({ connection, runtimes, settings, namespaces, port, health, log, stop: stopSignal(log) });
      } catch (error) {
        if (error instanceof ApiError || error instanceof NoAnswer) throw new Refused(error.message, { cause: error });
        throw error;
      }
    });
};

/** Lists are many times as large as what is kept of them, and are garbage at once. */
function keepMemoryLow(): void {
  keepHeapSmall();
  // To optimize undici's parser takes 30 MB for a moment, which the process never returns.
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
}

/** Serves the user of a kubeconfig on this machine, until Ctrl-C. */
async function serveLocally({
  connection,
  ...options
}: Omit<LocalPage, 'client' | 'home' | 'cluster'> & { readonly connection: ClusterConnection }): Promise<void> {
  const client = createClient(connection, { fieldManager: FIELD_MANAGER });
  const stop = stopSignal(silent);
  try {
    const cluster = connection.context ?? new URL(connection.server).host;
    const page = await openLocalPage({ ...options, client, home: connection.namespace ?? 'default', cluster });
    say(page.address);
    complain('The address signs in one browser, once. Ctrl-C ends it.');
    if (page.namespaces) complain(`Shown: ${page.namespaces.join(', ')}.`);
    await whenAborted(stop);
    await page.stop();
  } finally {
    await client.close();
  }
}
