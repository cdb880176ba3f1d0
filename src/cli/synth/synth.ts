import { createClient } from '../../kube/client/kube-client.ts';
import type { Define } from '../command.ts';
import { BadInput } from '../input/faults.ts';
import { passedOver } from '../input/passed-over.ts';
import { readFiles, readInput, unreadFolders } from '../input/read.ts';
import { createOutput, outputOption } from '../output.ts';
import { SETTINGS_ENVIRONMENT, type SettingsFlags, settingsOf, settingsOptions } from '../settings/config.ts';
import { allRuntimes } from '../settings/config-file.ts';
import { type ConnectionFlags, connect, connectionOptions } from '../settings/connection.ts';
import { keepHeapSmall } from '../small-heap.ts';
import { among, inCluster, inOrder, namespacesIn } from './lookup.ts';
import { renderAll } from './render.ts';
import { warningLines } from './warnings.ts';
import { complain } from '../terminal.ts';

interface Flags extends SettingsFlags, ConnectionFlags {
  readonly output: 'yaml' | 'json';
  readonly facts?: readonly string[];
  readonly cluster?: boolean;
  readonly namespace?: string;
  readonly assumeSecrets?: boolean;
}

const EXAMPLES = `
Examples:
  sluice synth cache.yaml                        the objects that the controller would apply, as YAML
  sluice synth -o json cache.yaml | jq .items    the same as a List
  kubectl get pv,pvc,secret -A -o yaml > facts.yaml
  sluice synth --facts facts.yaml cache.yaml     with the cluster's objects of that time
  sluice synth --cluster cache.yaml              with the cluster's objects of now, UIDs included
  cat *.yaml | sluice synth -                    several files, standard input

Facts are objects that manifests depend on: Secrets, claims and volumes behind pvc://, profiles, existing
workloads (their ports and fuse generation), and for operations the Dataset with its runtime, ready pods and
earlier operations. The input may contain them as well. Unknown UIDs are printed as <uid:Kind/name>. The annotation
data.fluid.io/manifest-hash, by which the controller recognizes its own objects, is omitted.

An operation is printed as its Job or CronJob, with what goes with it, as if its turn had come. If no pod of the
runtime is known to be ready, those are named that will exist, with <uid:Pod/name>, <ip:Pod/name> and
<node:Pod/name>. Of several masters, the one that leads is <node:leader/name>. Where an operation of runAfter will
have run is <label:Kind/name>.

Warnings on standard error name fields without an effect, or with an effect that is probably not intended. The
controller reports them in the condition SpecWarning. A note there says how many objects of which other kinds the
input has, which are passed over.

${SETTINGS_ENVIRONMENT.trim()}

Exit codes:
  0  printed
  1  the cluster did not answer
  2  bad input: one line a fault on standard error, as JSON with -o json`;

export const define: Define = (command, parts) => {
  connectionOptions(settingsOptions(command))
    .argument('<files...>', 'Datasets, runtimes and operations, YAML or JSON; - is standard input, a folder means its files')
    .addOption(outputOption())
    .option('-n, --namespace <namespace>', 'namespace of objects that have none (default: the context’s with --cluster, else default)')
    .option('--facts <file>', 'objects that manifests depend on; repeatable', (file: string, before: readonly string[] = []) => [
      ...before,
      file,
    ])
    .option('--cluster', 'read objects that are neither in the input nor in the facts from the cluster')
    .option('--assume-secrets', 'assume that Secrets exist, unless their contents are needed')
    .addHelpText('after', EXAMPLES)
    .action(async (files: readonly string[], flags: Flags) => {
      keepHeapSmall();
      const runtimes = await allRuntimes(await parts.runtimes(), flags.config);
      const settings = settingsOf(flags, process.env, runtimes);
      const texts = await readFiles(files);
      const facts = await readFiles(flags.facts ?? []);
      const connection = flags.cluster ? await connect(flags, process.env) : undefined;
      const client = connection && createClient(connection, { fieldManager: 'sluice' });
      try {
        const namespace = flags.namespace ?? connection?.namespace ?? 'default';
        const input = readInput(texts, runtimes, namespace);
        const known = readInput(facts, runtimes, namespace);
        // Facts are not validated: only texts that do not parse at all are faults.
        const unreadable = known.faults.filter(({ object }) => object === undefined);
        if (unreadable.length > 0) throw new BadInput([...input.faults, ...unreadable]);
        const cluster = client && inCluster(client, runtimes, namespacesIn(input));
        const elsewhere = inOrder(
          among(
            known.all.map(({ object }) => object),
            ['the facts'],
          ),
          ...(cluster ? [cluster] : []),
        );
        const output = createOutput(flags.output);
        const options = { settings, runtimes, elsewhere, assumeSecrets: flags.assumeSecrets ?? false };
        const warnings = warningLines(await renderAll(input, options, output.add));
        complain(...warnings, ...(cluster?.gaps() ?? []), ...passedOver(input), ...unreadFolders(files));
        await output.write();
      } finally {
        await client?.close();
      }
    });
};
