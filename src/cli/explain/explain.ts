import { durationText } from '../../api/index.ts';
import { createClient } from '../../kube/client/kube-client.ts';
import { ApiError, NoAnswer } from '../../kube/errors.ts';
import type { Define } from '../command.ts';
import { Refused, UsageError } from '../errors.ts';
import { allRuntimes, configOption } from '../settings/config-file.ts';
import { type ConnectionFlags, connect, connectionOptions } from '../settings/connection.ts';
import { DEFAULT_NAMESPACE } from '../../install/fluid.ts';
import { type Line, plain, say, sayText, complain, styled, visible } from '../terminal.ts';
import { version } from '../version.ts';
import { writeArchive } from './collect/archive.ts';
import { collected } from './collect/collect.ts';
import type { Explanation } from './finding.ts';
import { findings } from './findings.ts';
import { gather } from './gather.ts';

interface Flags extends ConnectionFlags {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly output: 'text' | 'json';
  readonly config?: string;
  readonly collect?: string;
  readonly systemNamespace: string;
}

const EXAMPLES = `
Examples:
  sluice explain images                 the Dataset, its runtime, and the operations on it that are not over
  sluice explain dataload/warm          one object
  sluice explain -n ml                  everything in the namespace; -A in all namespaces
  sluice explain images -o json | jq '.items[] | select(.healthy | not)'

It reads Datasets, runtimes, operations, their workloads and Jobs, pods of these, and events; it writes nothing.

  sluice explain images --collect images.tar.gz     the same, and an archive for those who help

The archive has the report, and as YAML the Datasets, runtimes, operations, profiles, workloads, ConfigMaps, claims,
volumes, Jobs, pods and nodes concerned; events; logs of the pods, 2,000 lines and 1 MiB of each container; and the
same of the controller and the node plugin. Secrets are not read, and values that look secret are redacted: in logs,
look for others yourself. What you may not read is left out and named in notes.txt.

Exit codes:
  0  all of them serve, run or are complete; also if the namespace has none
  1  at least one waits, has failed, is in trouble, or is not as its spec says
  2  bad usage, no object of a given name, no answer from the cluster, or --collect could not write its file`;

export const define: Define = (command, parts) => {
  connectionOptions(command)
    .argument('[names...]', 'names of Datasets, runtimes or operations; dataload/<name> for one kind (default: all of the namespace)')
    .option('-n, --namespace <namespace>', 'namespace of the objects (default: the context’s, else default)')
    .addOption(
      command
        .createOption('-A, --all-namespaces', 'everything, or the objects of these names, in all namespaces')
        .conflicts(['namespace', 'collect']),
    )
    .addOption(configOption())
    .option('--collect <file>', 'write an archive with all that helps to find the cause: a new file, .tar.gz')
    .option('--system-namespace <namespace>', 'namespace of the controller, for --collect', DEFAULT_NAMESPACE)
    .addOption(command.createOption('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXAMPLES)
    .action(async (names: readonly string[], flags: Flags) => {
      const runtimes = await allRuntimes(await parts.runtimes(), flags.config);
      try {
        const connection = await connect(flags, process.env);
        const client = createClient(connection, { fieldManager: 'sluice-explain' });
        try {
          const namespace = flags.namespace ?? connection.namespace ?? 'default';
          const input = await gather(client, runtimes, flags.allNamespaces ? undefined : namespace, names);
          const found = findings(input);
          const json = visible(`${JSON.stringify({ items: found }, null, 2)}\n`);
          const lines = report(found, input.now);
          if (flags.output === 'json') sayText(json);
          else say(...lines);
          if (flags.collect !== undefined) {
            const { collect: file, systemNamespace } = flags;
            const reports = { text: plain(lines), json };
            const entries = collected({ client, runtimes, input, report: reports, namespace, systemNamespace, version: version() });
            const count = await writeArchive(file, `sluice-${namespace}`, entries, input.now);
            complain(`${file}: ${count} files; notes.txt names what is left out`);
          }
          process.exitCode = found.every(({ healthy }) => healthy) ? 0 : 1;
        } finally {
          await client.close();
        }
      } catch (error) {
        // Exit code 1 means that something is not well.
        if (error instanceof Refused || error instanceof ApiError || error instanceof NoAnswer) throw new UsageError(error.message);
        throw error;
      }
    });
};

/** Unhealthy objects come first. */
function report(found: readonly Explanation[], now: number): readonly Line[] {
  if (found.length === 0) return ['Nothing is here: no Dataset, runtime or operation.'];
  const ordered = found.toSorted((a, b) => Number(a.healthy) - Number(b.healthy));
  return ordered.flatMap((finding, i) => [...(i === 0 ? [] : ['']), ...section(finding, now)]);
}

function section({ object, phase, healthy, causes, details }: Explanation, now: number): readonly Line[] {
  const title = `${healthy ? '✓' : '✗'} ${object}: ${phase}`;
  return [
    [styled(['bold', healthy ? 'green' : 'red'], title)],
    ...causes.flatMap(({ reason, message, since, toDo }) => {
      const age = since === undefined ? '' : `, for ${durationText(Math.max(0, now - Date.parse(since)))}`;
      return [['  ', styled('yellow', reason), `${age}: ${message}`], `    to do: ${toDo}`];
    }),
    ...details.map((line) => `  ${line}`),
  ];
}
