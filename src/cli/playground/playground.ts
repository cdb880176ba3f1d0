import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { installationOf, settled } from '../../install/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import { CONTEXT, type Playground, startPlayground } from '../../playground/playground.ts';
import type { Define } from '../command.ts';
import { messageOf, Refused } from '../errors.ts';
import { allParts, configOption } from '../settings/config-file.ts';
import { portOf } from '../settings/config-values.ts';
import { complain } from '../terminal.ts';
import { version } from '../version.ts';
import { type Child, startChild } from './children.ts';
import { codeOf, followSignals } from './interrupts.ts';
import { openPage } from './page.ts';
import { welcome } from './welcome.ts';
import { runCommand } from './run.ts';

interface Flags {
  readonly port: number;
  readonly nodes: number;
  readonly kubeconfig?: string;
  readonly config?: string;
  /** Commander's, for --no-ui. */
  readonly ui: boolean;
}

const HELP = `
A Kubernetes control plane in this process, in memory, with the kinds of Sluice, its controller and its webhook: to try
manifests and runtimes before there is a cluster. Controller and webhook are those of a cluster. Nodes and pods are
simulated: no program runs in a pod, no image is pulled, and no data is read. Not checked are: rights, quotas of
anything but pods, Pod Security, and most values of Kubernetes' own kinds, such as the image of a container. Checked of
these are names, labels, types and required fields, selectors, restart policies, schedules and what cannot change.

Examples:
  sluice playground                               until Ctrl-C; says how to reach it
  sluice playground -- bash                       until the shell ends, in which kubectl reaches it
  sluice playground -- kubectl apply --dry-run=server -f cache.yaml
  sluice playground --config sluice.config.ts     with further runtimes

Exit codes:
  0    ended by Ctrl-C
  1    did not start, or its controller or webhook ended
  2    bad usage
  other  that of the command after --`;

export const define: Define = (command, parts) => {
  command
    .argument('[command...]', 'run this with KUBECONFIG set, and end when it has ended')
    .option('--port <port>', 'port on 127.0.0.1; 0 = a free one', number(portOf), 0)
    .option('--nodes <count>', 'simulated nodes', number(nodesOf), 3)
    .option('--kubeconfig <file>', 'where to write the kubeconfig (default: in a folder of its own, which goes at the end)')
    .option('--no-ui', 'without the page of `sluice ui`')
    .addOption(configOption())
    .addHelpText('after', HELP)
    .action(async (run: readonly string[], flags: Flags) => {
      const began = performance.now();
      const { runtimes, resources } = await allParts(parts, flags.config);
      const options = settled({}, `sluice:${version()}`, { furtherRuntimes: false });
      const objects = installationOf(options, { resources, runtimes }) as unknown as readonly KubeObject[];
      const folder = folderOfOurs();
      const forget = () => rmSync(folder, { recursive: true, force: true });
      process.once('exit', forget);
      const interrupts = followSignals();
      const ends: (() => Promise<unknown>)[] = [];
      try {
        const playground = await startPlayground({
          // Controller and webhook run as processes here, and no node has a plugin.
          manifests: objects.filter(({ kind }) => kind !== 'Deployment' && kind !== 'DaemonSet'),
          nodes: flags.nodes,
          port: flags.port,
          onFault: (error) => complain(`sluice: a request to the playground failed, please report it: ${messageOf(error)}`),
        }).catch((error: unknown) => {
          throw new Refused(`--port ${flags.port} cannot be served: ${messageOf(error)}`, { cause: error });
        });
        ends.push(() => playground.stop());
        const kubeconfig = flags.kubeconfig ?? join(folder, 'kubeconfig');
        writeKubeconfig(kubeconfig, playground.kubeconfig);
        const starting = startSluice(playground, { kubeconfig, config: flags.config, folder }, (end) => ends.push(end));
        const children = await Promise.race([starting, interrupts.first]);
        if (typeof children === 'string') {
          process.exitCode = run.length > 0 ? codeOf(children) : 0;
          return;
        }
        const page = flags.ui ? await openPage(playground, runtimes) : undefined;
        if (page) ends.push(page.stop);
        const failed = Promise.race(children.map((child) => child.failed));
        complain(
          ...welcome(
            { kubeconfig, folder, page: page?.address },
            playground,
            flags.nodes,
            (performance.now() - began) / 1000,
            run.length === 0,
          ),
        );
        process.exitCode =
          run.length > 0
            ? await runCommand(run, kubeconfig, interrupts, failed)
            : await Promise.race([interrupts.first.then(() => 0), failed]);
      } finally {
        for (const end of ends.toReversed()) await end();
        process.off('exit', forget);
        forget();
      }
    });
};

function folderOfOurs(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'sluice-playground-'));
  } catch (error) {
    throw new Refused(`no folder can be made in ${tmpdir()}, which TMPDIR may replace: ${messageOf(error)}`, { cause: error });
  }
}

/** In place of what a playground wrote there before, and of nothing else: it may be the file of a cluster. */
function writeKubeconfig(file: string, text: string): void {
  try {
    if (existsSync(file) && !readFileSync(file, 'utf8').includes(`"current-context": "${CONTEXT}"`))
      throw new Refused(`--kubeconfig ${file}: expected no file, or one that a playground wrote; this one stays as it is`);
    writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw error instanceof Refused ? error : new Refused(`the kubeconfig cannot be written: ${messageOf(error)}`, { cause: error });
  }
}

/** Resolves when controller and webhook serve. */
async function startSluice(
  playground: Playground,
  { kubeconfig, config, folder }: { readonly kubeconfig: string; readonly config: string | undefined; readonly folder: string },
  onEnd: (end: () => Promise<void>) => void,
): Promise<readonly Child[]> {
  const { KUBECONFIG: _, ...env } = process.env;
  const common = ['--kubeconfig', kubeconfig, '--metrics-addr', '0', ...(config === undefined ? [] : ['--config', config])];
  const start = (log: string, ...args: readonly string[]): Child => {
    const child = startChild({ args: [...args, ...common], env, log: join(folder, log) });
    // The controller's hand-over, such as its Lease, ends with the playground; a webhook serves on for 5 s after a SIGTERM.
    onEnd(() => child.stop('SIGKILL'));
    return child;
  };
  const reconcile = start('controller.log', 'reconcile');
  const webhook = start('webhook.log', 'webhook', '--port', '0');
  const [{ port }] = await Promise.all([webhook.logged('serving admissions'), reconcile.logged('leading')]);
  playground.useWebhook(Number(port));
  return [reconcile, webhook];
}

function nodesOf(text: string): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) < 1) throw new Error('expected a number from 1 to 9999');
  return Number(text);
}

const number = (read: (text: string) => number) => (text: string) => {
  try {
    return read(text);
  } catch (error) {
    throw new InvalidArgumentError(`${messageOf(error)}.`);
  }
};
