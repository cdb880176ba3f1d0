import type { Runtime } from '../../constructs/index.ts';
import { systemClock, timestamp } from '../../kube/clock.ts';
import type { ClusterConnection } from '../../kube/client/connection.ts';
import { createClient } from '../../kube/client/kube-client.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { ApiError, NoAnswer } from '../../kube/errors.ts';
import { silent } from '../../kube/types.ts';
import type { Define } from '../command.ts';
import { Refused, UsageError } from '../errors.ts';
import { allRuntimes, configOption } from '../settings/config-file.ts';
import { type ConnectionFlags, connect, connectionOptions } from '../settings/connection.ts';
import { languageFor, languageOption } from '../settings/language.ts';
import { DEFAULT_NAMESPACE } from '../../install/fluid.ts';
import { stopSignal } from '../stop-signal.ts';
import { type Line, plain, say, sayText, complain, visible } from '../terminal.ts';
import { version } from '../version.ts';
import { writeArchive } from './collect/archive.ts';
import { collected } from './collect/collect.ts';
import type { Explanation } from '../../explain/finding.ts';
import { findings } from '../../explain/findings.ts';
import { type ExplainInput, gather } from '../../explain/gather.ts';
import type { Language } from '../../planning/advice.ts';
import { UnknownSubject } from '../../explain/names.ts';
import { sayReasons } from './reasons.ts';
import { newsOf, report } from './report.ts';
import { secondsOf, slowExitCode, slowLines, slowReports } from './slow.ts';
import { lookAgain } from './watching.ts';

interface Flags extends ConnectionFlags {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly output: 'text' | 'json';
  readonly config?: string;
  readonly collect?: string;
  readonly watch?: boolean;
  readonly slow?: boolean;
  readonly reasons?: boolean;
  readonly for?: string;
  readonly lang?: Language;
  readonly systemNamespace: string;
}

const EXAMPLES = `
Examples:
  sluice explain images                 the Dataset, its runtime, and the operations on it that are not over
  sluice explain dataload/warm          one object; any name of the kind for kubectl
  sluice explain pod/reader             what a pod waits for: its claims, the node plugin, fuse pods, its Datasets
  sluice explain -n ml                  everything in the namespace; -A in all namespaces
  sluice explain images -o json | jq '.items[] | select(.healthy | not)'
  sluice explain --reasons SecretNotFound   what a reason or a condition means, and what to do; without a name, all

It reads Datasets, runtimes, operations, their workloads and Jobs, pods of these, and events; it writes nothing. For a
pod also its claims and their volumes, its node, CSINode and the pods there of the node plugin, as far as you may.

  sluice explain images --collect images.tar.gz     the same, and an archive for those who help

The archive has the report, and as YAML the Datasets, runtimes, operations, profiles, workloads, ConfigMaps, claims,
volumes, Jobs, pods and nodes concerned; events; logs of the pods, 2,000 lines and 1 MiB of each container; and the
same of the controller and the node plugin. Secrets are not read, and values that look secret are redacted: in logs,
look for others yourself. What you may not read is left out and named in notes.txt.

  sluice explain images --slow --for 30s      why reads are slow: run it while they are

It reads counters of fuse pods and workers twice, so that its shares are of the time between, and names causes with
their figures, what they rest on, and the field to change. For that it runs commands in these pods: you need the right
to create and get pods/exec. Without it, the command says so, and goes on with what pods, specs and statuses show.

Exit codes, of --watch by the last report:
  0  all of them serve, run or are complete; also if the namespace has none
  1  at least one waits, has failed, is in trouble, or is not as its spec says; with --slow also if a cause was found
  2  bad usage, no object of a given name, no answer from the cluster, or --collect could not write its file`;

export const define: Define = (command, parts) => {
  connectionOptions(command)
    .argument(
      '[names...]',
      'names of Datasets, runtimes or operations; <kind>/<name> for one kind, also pod, pvc and pv (default: all of the namespace)',
    )
    .option('-n, --namespace <namespace>', 'namespace of the objects (default: the context’s, else default)')
    .addOption(
      command
        .createOption('-A, --all-namespaces', 'everything, or the objects of these names, in all namespaces')
        .conflicts(['namespace', 'collect']),
    )
    .addOption(configOption())
    .addOption(command.createOption('-w, --watch', 'print again when something changes, until Ctrl-C').conflicts('collect'))
    .option('--collect <file>', 'write an archive with all that helps to find the cause: a new file, .tar.gz')
    .addOption(
      command
        .createOption('--slow', 'why reads of Datasets are slow: from counters of their pods, in time')
        .conflicts(['watch', 'collect']),
    )
    .addOption(
      command
        .createOption('--reasons', 'what reasons and conditions of these names mean, or all of them; needs no cluster')
        .conflicts(['watch', 'collect', 'slow', 'allNamespaces', 'namespace']),
    )
    .option('--for <time>', 'time between the two readings of --slow, 1s to 10m (default: 10s)')
    .option('--system-namespace <namespace>', 'namespace of the controller and the node plugin', DEFAULT_NAMESPACE)
    .addOption(command.createOption('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .addOption(languageOption(command))
    .addHelpText('after', EXAMPLES)
    .action(async (names: readonly string[], flags: Flags) => {
      if (flags.for !== undefined && !flags.slow) throw new UsageError('--for: expected --slow too, found none');
      if (flags.reasons) return sayReasons(names, flags.output, languageFor(flags, process.env));
      const seconds = secondsOf(flags.for ?? '10s');
      const runtimes = await allRuntimes(await parts.runtimes(), flags.config);
      try {
        const connection = await connect(flags, process.env);
        const client = createClient(connection, { fieldManager: 'sluice-explain' });
        try {
          const namespace = flags.namespace ?? connection.namespace ?? 'default';
          const asked: Asking = { client, runtimes, namespace: flags.allNamespaces ? undefined : namespace, names, flags };
          if (flags.slow) await explainSlow(asked, connection, seconds);
          else await (flags.watch ? follow(asked) : explain(asked, namespace));
        } finally {
          await client.close();
        }
      } catch (error) {
        // Exit code 1 means that something is not well.
        throw isAnswer(error) && !(error instanceof UsageError) ? new UsageError(error.message) : error;
      }
    });
};

interface Asking {
  readonly client: KubeClient;
  readonly runtimes: readonly Runtime[];
  /** undefined: all. */
  readonly namespace: string | undefined;
  readonly names: readonly string[];
  readonly flags: Flags;
}

const isAnswer = (error: unknown): error is Error =>
  error instanceof UnknownSubject ||
  error instanceof Refused ||
  error instanceof ApiError ||
  error instanceof NoAnswer ||
  error instanceof UsageError;

async function read({ client, runtimes, namespace, names, flags }: Asking): Promise<ExplainInput> {
  const input = await gather(client, runtimes, namespace, names, flags.systemNamespace);
  return { ...input, language: languageFor(flags, process.env) };
}

async function explain(asked: Asking, home: string): Promise<void> {
  const { client, runtimes, namespace, flags } = asked;
  const input = await read(asked);
  const found = findings(input);
  const lines = report(found, input.now, namespace, input.language);
  print(found, lines, flags);
  if (flags.collect !== undefined) {
    const { collect: file, systemNamespace } = flags;
    // Whoever gets the archive may read another language.
    const inEnglish = findings({ ...input, language: 'en' });
    const reports = { text: plain(report(inEnglish, input.now, namespace)), json: jsonOf(inEnglish) };
    const entries = collected({ client, runtimes, input, report: reports, namespace: home, systemNamespace, version: version() });
    const count = await writeArchive(file, `sluice-${home}`, entries, input.now);
    complain(`${file}: ${count} files; notes.txt names what is left out`);
  }
  process.exitCode = exitCodeOf(found);
}

/** Objects that are not well come first, as their troubles may be the cause. */
async function explainSlow(asked: Asking, connection: ClusterConnection, seconds: number): Promise<void> {
  const { client, runtimes, namespace, flags } = asked;
  const input = await read(asked);
  const ill = findings(input).filter(({ healthy }) => !healthy);
  const reports = await slowReports(input, { connection, client, runtimes, seconds });
  if (flags.output === 'json') sayText(visible(`${JSON.stringify({ items: reports, notWell: ill }, null, 2)}\n`));
  else say(...(ill.length > 0 ? [...report(ill, input.now, namespace, input.language), ''] : []), ...slowLines(reports));
  process.exitCode = slowExitCode(reports, ill);
}

/** Prints again whenever something but ages has changed, until the user ends it. A name has to exist at first only. */
async function follow(asked: Asking): Promise<void> {
  let input = await read(asked);
  let said: string | undefined;
  const sayOnce = (news: string, now: number, sayIt: () => void) => {
    if (news === said) return;
    if (said !== undefined && asked.flags.output === 'text') say('', `At ${timestamp(now)}:`);
    said = news;
    sayIt();
  };
  await lookAgain({ ...asked, signal: stopSignal(silent) }, async (isNew) => {
    try {
      if (isNew && said !== undefined) input = await read(asked);
      const now = systemClock.wall();
      const found = findings({ ...input, now });
      sayOnce(newsOf(found), now, () => print(found, report(found, now, asked.namespace, input.language), asked.flags));
      process.exitCode = exitCodeOf(found);
    } catch (error) {
      if (!isAnswer(error)) throw error;
      sayOnce(error.message, systemClock.wall(), () => complain(`sluice: ${error.message}`));
      process.exitCode = 2;
    }
  });
}

const jsonOf = (items: readonly Explanation[]): string => visible(`${JSON.stringify({ items }, null, 2)}\n`);

function print(found: readonly Explanation[], lines: readonly Line[], { output }: Flags): void {
  if (output === 'json') sayText(jsonOf(found));
  else say(...lines);
}

const exitCodeOf = (found: readonly Explanation[]): number => (found.every(({ healthy }) => healthy) ? 0 : 1);
