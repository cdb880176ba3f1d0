import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { addCommands, type CommandRow, type Package } from './command.ts';
import { Refused, UsageError } from './errors.ts';
import { BadInput, faultReport } from './input/faults.ts';
import { complain, complainText, sayText } from './terminal.ts';
import { version } from './version.ts';

export const COMMANDS: readonly CommandRow[] = [
  {
    name: 'synth',
    summary: 'print the objects that the controller would apply for Datasets, runtimes and operations',
    load: () => import('./synth/synth.ts'),
  },
  { name: 'diff', summary: 'show what Datasets, runtimes and operations would change in a cluster', load: () => import('./diff/diff.ts') },
  {
    name: 'explain',
    summary: 'say what Datasets, runtimes and operations wait for, since when, and what to do',
    load: () => import('./explain/explain.ts'),
  },
  { name: 'ui', summary: 'serve a read-only page of Datasets, operations and nodes', load: () => import('./ui/ui.ts') },
  {
    name: 'playground',
    summary: 'run a control plane in memory, with simulated pods, to try things on this machine',
    load: () => import('./playground/playground.ts'),
  },
  { name: 'crds', summary: 'print the CustomResourceDefinitions', load: () => import('./install/crds.ts') },
  { name: 'install', summary: 'print the manifests of Sluice itself', load: () => import('./install/install.ts') },
  { name: 'images', summary: 'list the default images of Sluice and of its runtimes', load: () => import('./install/images.ts') },
  { name: 'chart', summary: 'write the manifests of Sluice itself as a helm chart', load: () => import('./install/chart.ts') },
  {
    name: 'monitoring',
    summary: 'write alerts, boards, and how Prometheus scrapes Sluice, as plain files',
    load: () => import('./install/monitoring.ts'),
  },
  {
    name: 'uninstall',
    summary: 'delete the objects that install printed, once no Dataset, runtime or operation exists',
    load: () => import('./install/uninstall.ts'),
  },
  { name: 'takeover', summary: 'move a cluster from Fluid to Sluice', load: () => import('./takeover/takeover.ts') },
  { name: 'reconcile', summary: 'run the controller', load: () => import('./reconcile/reconcile.ts') },
  { name: 'csi', summary: 'run the CSI plugin of a node', load: () => import('./csi.ts') },
  { name: 'webhook', summary: 'run the admission webhook of pods', load: () => import('./webhook/webhook.ts') },
  { name: 'prefetch', summary: 'read files of Datasets before an application starts', load: () => import('./prefetch/prefetch.ts') },
  { name: 'fuse-config', summary: 'turn config.json into the command line of a FUSE client', load: () => import('./fuse-config.ts') },
  { name: 'image', summary: 'build an image with further runtimes', load: () => import('./image/image.ts') },
  { name: 'new-runtime', summary: 'create the files of a new runtime', load: () => import('./new-runtime/new-runtime.ts') },
  { name: 'completion', summary: 'print what completes these commands in a shell', load: () => import('./completion/completion.ts') },
];

const EXIT_CODES = `
Exit codes:
  0  done
  1  failed, or a check prevented it; diff: there are differences; explain: something is not well
  2  bad usage or bad input; diff and explain: also no answer from the cluster`;

/** Columns of every help text, in a narrow terminal too: beside the longest option, fewer leave no room for its description. */
const HELP_WIDTH = 118;

/** Parses argv and runs one command; returns the exit code. */
export async function run(argv: readonly string[], parts: Package): Promise<number> {
  const program = new Command('sluice')
    .description('Sluice lets Kubernetes pods read remote data through a cache.')
    .version(version(), '-V, --version')
    .showHelpAfterError('(--help lists commands and options)')
    .configureHelp({ helpWidth: HELP_WIDTH })
    .exitOverride()
    .configureOutput({
      writeOut: sayText,
      writeErr: complainText,
      outputError: (text, write) => write(text.replace(/^error: /, 'sluice: ')),
    })
    .addHelpText('after', `${EXIT_CODES}\n\n\`sluice <command> --help\` shows examples.`);
  const wanted = new Set(argv);
  // Completion is made from all of them.
  const all = argv.includes('completion');
  await addCommands(program, COMMANDS, parts, (name) => all || wanted.has(name));
  try {
    await program.parseAsync(argv, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return exitCodeOf(error, argv);
  }
}

/** Prints the error and returns the exit code. Only a defect has a stack. */
function exitCodeOf(error: unknown, argv: readonly string[]): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof BadInput) {
    complainText(`${faultReport(error, wantsJson(argv) ? 'json' : 'yaml')}\n`);
    return 2;
  }
  if (error instanceof UsageError || error instanceof Refused) {
    complain(...error.lines.map((line) => `sluice: ${line}`));
    return error instanceof UsageError ? 2 : 1;
  }
  const missing = missingRuntime(error);
  if (missing !== undefined) {
    complain(
      `sluice: expected a folder for each runtime of the registry, found none at ${missing}; \`npm run gen\` writes the registry again`,
    );
    return 1;
  }
  complainText(`sluice: this is a defect, please report it:\n${inspect(error)}\n`);
  return 1;
}

/** The folder of a runtime that the generated registry imports and that no longer exists in this checkout. */
function missingRuntime(error: unknown): string | undefined {
  const { code, message = '' } = error as { readonly code?: string; readonly message?: string };
  const [module = '', by = ''] = message.split("' imported from ", 2);
  return code === 'ERR_MODULE_NOT_FOUND' && /_(?:all|resources)\.gen\./.test(by)
    ? /^(runtimes\/[^/]+)\//.exec(module.slice(module.lastIndexOf('/runtimes/') + 1))?.[1]
    : undefined;
}

const wantsJson = (argv: readonly string[]): boolean => /(^| )(-o ?|--output[ =])json( |$)/.test(argv.join(' '));
