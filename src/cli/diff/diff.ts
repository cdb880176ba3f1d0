import { createClient } from '../../kube/client/kube-client.ts';
import { ApiError, NoAnswer } from '../../kube/errors.ts';
import { FIELD_MANAGER } from '../../planning/diff/managed-fields.ts';
import type { Define } from '../command.ts';
import { Refused, UsageError } from '../errors.ts';
import { passedOver } from '../input/passed-over.ts';
import { readFiles, readInput, unreadFolders } from '../input/read.ts';
import { SETTINGS_ENVIRONMENT, type SettingsFlags, settingsOf, settingsOptions } from '../settings/config.ts';
import { allRuntimes } from '../settings/config-file.ts';
import { type ConnectionFlags, connect, connectionOptions } from '../settings/connection.ts';
import { keepHeapSmall } from '../small-heap.ts';
import { inCluster, namespacesIn } from '../synth/lookup.ts';
import { warningLines } from '../synth/warnings.ts';
import { compared } from './compared.ts';
import { checkOffline, throwFaults } from './offline.ts';
import { releases } from './released.ts';
import { FORMATS, type Format, print, type Findings } from './print.ts';

interface Flags extends SettingsFlags, ConnectionFlags {
  readonly namespace?: string;
  readonly offline?: boolean;
  readonly output: Format;
}

const EXAMPLES = `
Examples:
  sluice diff cache.yaml                          what applying it would change
  sluice diff --context prod cache.yaml || echo there are changes
  NO_COLOR=1 sluice diff cache.yaml > changes.txt

  sluice diff --offline .                         faults of the manifests in a folder, without a cluster
  sluice diff --offline -o github caches/         the same as annotations of a workflow of GitHub; -o sarif for others
  kubectl get datasets,juicefsruntimes -A -o yaml | sluice diff -     what this version would change in all of them

Without a cluster, compare two outputs of synth to see what a commit changes:
  git show HEAD:cache.yaml | sluice synth - > before.yaml
  sluice synth cache.yaml | diff -u before.yaml -

Objects without faults are compared although others have some; faults come at the end. With -o json the output is one
object: changes, faults and warnings.

The API server runs every change as a dry run, so the output includes defaults and admission. Use the flags and the
environment of your controller, since they influence manifests. Contents of Secrets are never shown.

The Job of an operation is never changed, and an operation that is over does not run again: the output says so.
A CronJob follows edits.

${SETTINGS_ENVIRONMENT.trim()}

Exit codes:
  0  no differences; with --offline, no faults
  1  differences
  2  error: bad input, of which what is valid is compared all the same, or no answer from the cluster`;

export const define: Define = (command, parts) => {
  connectionOptions(settingsOptions(command))
    .argument('<files...>', 'Datasets, runtimes and operations, YAML or JSON; - is standard input, a folder means its files')
    .option('-n, --namespace <namespace>', 'namespace of objects that have none (default: the context’s, else default)')
    .addOption(
      command.createOption('-o, --output <format>', 'output format; the last two have faults alone').choices(FORMATS).default('text'),
    )
    .option('--offline', 'report only faults of the input; Secrets and other objects outside of it are assumed to exist')
    .addHelpText('after', EXAMPLES)
    .action(async (files: readonly string[], flags: Flags) => {
      keepHeapSmall();
      const runtimes = await allRuntimes(await parts.runtimes(), flags.config);
      const settings = settingsOf(flags, process.env, runtimes);
      const texts = await readFiles(files);
      if (flags.offline) {
        const checked = await checkOffline(readInput(texts, runtimes, flags.namespace ?? 'default'), { settings, runtimes });
        return print(withFolders(checked, files), flags.output);
      }
      try {
        const connection = await connect(flags, process.env).catch((error: unknown) => {
          throwFaults(readInput(texts, runtimes, flags.namespace ?? 'default'));
          throw error;
        });
        const client = createClient(connection, { fieldManager: FIELD_MANAGER });
        try {
          const input = readInput(texts, runtimes, flags.namespace ?? connection.namespace ?? 'default');
          const cluster = inCluster(client, runtimes, namespacesIn(input));
          const { changes, faults, rendered } = await compared(client, input, { settings, runtimes, elsewhere: cluster }).catch(
            (error: unknown) => {
              throwFaults(input);
              throw error;
            },
          );
          const notes = [...warningLines(rendered), ...cluster.gaps(), ...passedOver(input)];
          const released = await releases(client, rendered.datasets, runtimes);
          const all = [...changes.flatMap((each) => each.changes), ...released];
          print(withFolders({ changes: all, faults, notes }, files), flags.output);
        } finally {
          await client.close();
        }
      } catch (error) {
        // As for diff(1), exit code 1 means that there are differences.
        if (error instanceof Refused || error instanceof ApiError || error instanceof NoAnswer) throw new UsageError(error.message);
        throw error;
      }
    });
};

const withFolders = (findings: Findings, files: readonly string[]): Findings => ({
  ...findings,
  notes: [...findings.notes, ...unreadFolders(files)],
});
