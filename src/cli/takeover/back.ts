import { BACKWARD, canGoBack } from '../../takeover/back/backward.ts';
import { type Remark, findingsOf } from '../../takeover/back/findings.ts';
import { observerOfBack } from '../../takeover/back/observe.ts';
import { carryOut } from '../../takeover/steps/run.ts';
import { NOTHING_DONE } from '../../takeover/steps/step.ts';
import { readFence } from '../../takeover/try/fence.ts';
import { lasting } from '../../webhook/certificates/lasting.ts';
import type { Define } from '../command.ts';
import { Refused } from '../errors.ts';
import { configOption } from '../settings/config-file.ts';
import { connectionOptions } from '../settings/connection.ts';
import { say } from '../terminal.ts';
import { progressOf, stepLines } from './progress.ts';
import { inSession, recordedInstallation, type TakeoverFlags } from './session.ts';

interface Flags extends TakeoverFlags {
  readonly accept?: boolean;
  readonly dryRun?: boolean;
}

const HELP = `
First it prints what Fluid does not serve as Sluice does. The custom resources of Sluice stay: they have all fields of Fluid's.

Examples:
  sluice takeover back --dry-run     print what Fluid would not serve, and the steps
  sluice takeover back               return

Exit codes:
  0  Fluid runs as before the take-over; with --dry-run: printed
  1  a step cannot go on, or a decision is open: the reason is printed; mend it and run the same again
  2  bad usage`;

const NAMED = 10;

export const define: Define = (command, parts) => {
  connectionOptions(command)
    .option('--dry-run', 'print what Fluid would not serve, and the steps, and change nothing')
    .option('--accept', 'go on although a decision is open')
    .addOption(configOption())
    .addHelpText('after', HELP)
    .action((flags: Flags) =>
      inSession(flags, async (session) => {
        const { client, signal } = session;
        const { target, resources } = await recordedInstallation(session, flags, parts, { all: true });
        const observe = observerOfBack(client, target, resources, lasting);
        const before = await observe(NOTHING_DONE, { withUsers: true });
        const fence = await readFence(client);
        if (fence.policy ?? fence.binding)
          throw new Refused(
            'nothing was changed: policies of a try would refuse what Fluid writes. End it first: sluice takeover try --off',
          );
        const { refusal } = canGoBack.of(before) ?? {};
        if (refusal) throw new Refused(refusal);
        const findings = findingsOf(before);
        say(...findings.flatMap(linesOf));
        if (flags.dryRun) return say(...stepLines(BACKWARD, before));
        if (!flags.accept && findings.some(({ isOpen }) => isOpen))
          throw new Refused('nothing was changed: decide what is marked `decide` above, or use --accept');
        const progress = progressOf<typeof before>();
        await carryOut(BACKWARD, { client, signal, progress, observe });
        say("Fluid runs as before the take-over. Sluice's custom resources and its namespace stay.");
      }),
    );
};

function linesOf({ what, objects, outcome, isOpen }: Remark): readonly string[] {
  const more = objects.length > NAMED ? ` and ${objects.length - NAMED} more` : '';
  return [`${isOpen ? 'decide' : 'note'}: ${what}`, `    ${objects.slice(0, NAMED).join(', ')}${more}`, `    ${outcome}`];
}
