import type { InstallOptions } from '../../install/index.ts';
import { createClient } from '../../kube/client/kube-client.ts';
import { ApiError, NoAnswer } from '../../kube/errors.ts';
import type { TryInstallation } from '../../takeover/try/manifests.ts';
import type { Step } from '../../takeover/steps/step.ts';
import { Stopped } from '../../takeover/steps/stopped.ts';
import type { TryWorld } from '../../takeover/try/world.ts';
import { giveBack, NotTried, tryOut } from '../../takeover/try/try.ts';
import { collect, type Define, type Package } from '../command.ts';
import { Refused, UsageError } from '../errors.ts';
import { faultsOfValues, valuesIn } from '../install/wanted.ts';
import { allParts, configOption } from '../settings/config-file.ts';
import { type ConnectionFlags, connect, connectionOptions } from '../settings/connection.ts';
import { say, styled } from '../terminal.ts';
import { version } from '../version.ts';

interface Flags extends ConnectionFlags {
  readonly namespace?: readonly string[];
  readonly off?: boolean;
  readonly values?: string;
  readonly image?: string;
  readonly config?: string;
}

const EXAMPLES = `
Examples:
  sluice takeover try --namespace ml --image registry.example/sluice:1
  sluice takeover try --namespace dev                 the namespace dev as well
  sluice takeover try --off --namespace ml            gives ml back to Fluid
  sluice takeover try --off                           gives all back, and removes Sluice's controller

Sluice's controller serves these namespaces, and Fluid's controllers all others, for as long as you want. Fluid's node
plugin and webhook go on for all. Fluid's controllers have no setting by which they leave a namespace alone: an
admission policy, sluice-takeover-try, refuses their writes there (Kubernetes 1.30 or newer). The same command
continues a try that was interrupted.

Exit codes:
  0  done
  1  something prevents it, or it stopped
  2  bad usage or bad values`;

export const define: Define = (command, parts) => {
  connectionOptions(command)
    .option('-n, --namespace <namespace>', 'namespace to try, or with --off to give back; repeatable', collect)
    .option('--off', 'give namespaces back to Fluid; without --namespace all')
    .option('--values <file>', 'YAML file of values of `sluice install`')
    .option('--image <image>', `the image of Sluice (default: sluice:${version()})`)
    .addOption(configOption())
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      if (!flags.off && !flags.namespace) throw new UsageError('--namespace: expected a namespace to try, found none');
      const installation = await installationIn(flags, parts);
      const client = createClient(await connect(flags, process.env), { fieldManager: 'sluice' });
      try {
        const given = flags.namespace ?? [];
        const { namespaces, back } = await (flags.off ? giveBack : tryOut)({ client, installation, progress: { done } }, given);
        say(
          '',
          ...(flags.off ? [back.length > 0 ? `Fluid serves ${back.join(', ')} again.` : 'Nothing is tried any more.'] : []),
          ...(namespaces.length > 0 ? afterwards(namespaces) : []),
        );
      } catch (error) {
        if (error instanceof NotTried) throw new Refused(error.lines, { cause: error });
        if (error instanceof Stopped || error instanceof ApiError || error instanceof NoAnswer)
          throw new Refused([error.message, 'The same command continues where it stopped.'], { cause: error });
        throw error;
      } finally {
        await client.close();
      }
    });
};

async function installationIn(flags: Flags, parts: Package): Promise<TryInstallation> {
  const all = await allParts(parts, flags.config);
  const file = flags.values === undefined ? {} : valuesIn(flags.values);
  const values = { ...file, ...(flags.image !== undefined && { image: flags.image }) };
  const faults = faultsOfValues(values, all.runtimes);
  if (faults.length > 0) throw new UsageError(faults);
  return {
    // The cast: it has no faults.
    values: values as InstallOptions,
    image: `sluice:${version()}`,
    ...all,
  };
}

const afterwards = (namespaces: readonly string[]): readonly string[] => [
  `Sluice serves ${namespaces.join(', ')}, and Fluid's controllers all other namespaces.`,
  "Fluid's node plugin and webhook go on in all namespaces: they are not part of a try.",
  'Fluid logs an error for each Dataset of these namespaces every 20 s.',
  'To give the namespaces back: sluice takeover try --off',
];

function done({ title }: Step<TryWorld>, seconds: number, _: string, left?: string): void {
  const mark = left === undefined ? styled('green', '✓') : '…';
  say([mark, ` ${title}${left === undefined ? '' : `: still waiting until ${left}`}`, styled('dim', `  ${seconds.toFixed(1)} s`)]);
}
