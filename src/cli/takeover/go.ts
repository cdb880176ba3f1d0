import { FORWARD } from '../../takeover/go/forward.ts';
import { observe } from '../../takeover/world/observe.ts';
import { carryOut } from '../../takeover/steps/run.ts';
import { isInstalled } from '../../takeover/fluid/installation.ts';
import { aboutTools } from '../../takeover/plan/decisions.ts';
import { NOTHING_DONE } from '../../takeover/steps/step.ts';
import type { Define } from '../command.ts';
import { Refused, UsageError } from '../errors.ts';
import type { Flags as InstallFlags } from '../install/flag-names.ts';
import { installFlags, type Wanted, wantedBy } from '../install/wanted.ts';
import { connectionOptions } from '../settings/connection.ts';
import { say } from '../terminal.ts';
import { gatherPlan } from './gather-plan.ts';
import { progressOf, stepLines } from './progress.ts';
import { inSession, type Session, type TakeoverFlags, targetOf } from './session.ts';

interface Flags extends TakeoverFlags, InstallFlags {
  readonly accept?: boolean;
  readonly dryRun?: boolean;
}

const HELP = `
The values are those of \`sluice install\`. Sluice takes the place of Fluid in Fluid's namespace. A run that was interrupted
begins again where the cluster is. What \`sluice takeover back\` restores is recorded in ConfigMap sluice-takeover.

Examples:
  sluice takeover go --dry-run --image registry.example/sluice:1     print the steps
  sluice takeover go --values sluice-values.yaml                     take over

Exit codes:
  0  Sluice has taken over; with --dry-run: printed
  1  a step cannot go on, or a decision is open: the reason is printed; mend it and run the same again
  2  bad usage or bad values`;

export const define: Define = (command, parts) => {
  installFlags(connectionOptions(command))
    .option('--dry-run', 'print the steps and what is done of them, and change nothing')
    .option('--accept', 'go on although a decision is open, such as a tool that would apply Fluid again')
    .addHelpText('after', HELP)
    .action((flags: Flags) =>
      inSession(flags, async (session) => {
        const { client, fluid, record, signal } = session;
        if (!isInstalled(fluid) && record.resourceVersion === undefined)
          throw new Refused(`no installation of Fluid was found in ${fluid.namespace}: \`sluice install\` prints the manifests of Sluice`);
        const wanted = await wantedBy(flags, parts, { namespace: fluid.namespace });
        if (wanted.options.namespace !== fluid.namespace)
          throw new UsageError(
            `--namespace: expected that of Fluid, ${fluid.namespace}, whose webhook Sluice continues, found ${wanted.options.namespace}`,
          );
        const target = targetOf(wanted.given, wanted);
        if (flags.dryRun) return say(...stepLines(FORWARD, await observe(client, target, NOTHING_DONE, { withAdmission: true })));
        if (!flags.accept) await checkDecided(session, wanted);
        const progress = progressOf();
        await carryOut(FORWARD, { client, signal, progress, observe: (run) => observe(client, target, run, { withAdmission: true }) });
        say(
          ...progress.summary(),
          'Sluice has taken over. `sluice takeover back` returns, `sluice takeover finish` removes what only Fluid needs.',
        );
      }),
    );
};

/** The decisions of the plan are asked once, before the first step. A tool that applies Fluid's objects again would undo any step. */
async function checkDecided({ client, fluid, record }: Session, { resources, runtimes }: Wanted): Promise<void> {
  const hasBegun = record.resourceVersion !== undefined;
  const decisions = hasBegun
    ? aboutTools(fluid)
    : (await gatherPlan(client, { resources, runtimes, fluidNamespace: fluid.namespace })).decisions;
  if (decisions.length === 0) return;
  throw new Refused([
    `nothing was ${hasBegun ? 'changed further' : 'changed'}: decide this first, or use --accept. \`sluice takeover plan\` says more.`,
    ...decisions.map(({ about, what, how }) => `  ${about}: ${what}. ${how}`),
  ]);
}
