import { createClient } from '../../kube/client/kube-client.ts';
import { ApiError, NoAnswer } from '../../kube/errors.ts';
import { silent } from '../../kube/types.ts';
import { serveUi } from '../../ui/server/server.ts';
import { guarded } from '../../ui/server/viewers/guarded.ts';
import { oneViewer } from '../../ui/server/viewers/one-viewer.ts';
import { openSight } from '../../ui/server/viewers/sight.ts';
import { collect, type Define } from '../command.ts';
import { messageOf, Refused } from '../errors.ts';
import { type SettingsFlags, settingsOf, settingsOptions } from '../settings/config.ts';
import { allRuntimes } from '../settings/config-file.ts';
import { portOf } from '../settings/config-values.ts';
import { type ConnectionFlags, connect, connectionOptions } from '../settings/connection.ts';
import { stopSignal, whenAborted } from '../stop-signal.ts';
import { complain, say } from '../terminal.ts';
import { assets } from './assets.ts';
import { rightsOf, userName } from './local.ts';
import { createPreview } from './preview.ts';

interface Flags extends ConnectionFlags, SettingsFlags {
  readonly namespace?: readonly string[];
  readonly port: string;
}

const HELP = `
A page for a browser on this machine: all Datasets and what is not well, one Dataset from its store to the pods that read
it, operations, nodes. It changes nothing in the cluster, shows what the user of the kubeconfig may list, and reads no
Secret. It serves on 127.0.0.1 alone, and the address that it prints signs in one browser, once.

Examples:
  sluice ui                                       prints the address; until Ctrl-C
  sluice ui --context prod -n ml -n vision        two namespaces

Without the right to list Datasets in all namespaces, it shows the namespace of the context, or those of -n.

Exit codes:
  0  ended by Ctrl-C
  1  did not start: no API server, or the port cannot be served
  2  bad usage`;

export const define: Define = (command, parts) => {
  connectionOptions(settingsOptions(command))
    .option('-n, --namespace <namespace>', 'show this namespace alone; repeatable (default: all that may be listed)', collect)
    .option('--port <port>', 'port on 127.0.0.1; 0 = a free one', '0')
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => {
      const runtimes = await allRuntimes(await parts.runtimes(), flags.config);
      const port = portOf(flags.port);
      const connection = await connect(flags, process.env);
      const client = createClient(connection, { fieldManager: 'sluice-ui' });
      const stop = stopSignal(silent);
      try {
        const home = connection.namespace ?? 'default';
        const rights = await rightsOf(client, runtimes, flags.namespace ?? [], home);
        const name = (await userName(client)) ?? 'the user of the kubeconfig';
        const { namespaces, mayList, hidden } = rights;
        const cluster = connection.context ?? new URL(connection.server).host;
        const sight = openSight({ name, cluster, ...(namespaces && { namespaces }), hidden });
        const everything = { mayRead: () => true };
        const viewers = oneViewer({ sight, reads: guarded(client, everything), edits: guarded(client, { ...everything, dryRuns: true }) });
        const server = await serveUi({
          client,
          runtimes,
          ...(namespaces && { namespaces }),
          mayList,
          viewers,
          assets: await assets(),
          preview: createPreview({ runtimes, settings: settingsOf(flags, process.env, runtimes) }),
          isLocal: true,
          port,
        }).catch((error: unknown) => {
          throw new Refused(`--port ${flags.port} cannot be served: ${messageOf(error)}`, { cause: error });
        });
        say(`http://127.0.0.1:${server.port}/#token=${viewers.token}`);
        complain('This address signs in one browser, once. Ctrl-C ends it.');
        if (namespaces) complain(`Shown: ${namespaces.join(', ')}.`);
        await whenAborted(stop);
        await server.stop();
      } catch (error) {
        if (error instanceof ApiError || error instanceof NoAnswer) throw new Refused(error.message, { cause: error });
        throw error;
      } finally {
        await client.close();
      }
    });
};
