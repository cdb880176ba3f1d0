import { FINISH } from '../../takeover/finish/finish.ts';
import { observerOfFinish } from '../../takeover/finish/observe.ts';
import { FORWARD } from '../../takeover/go/forward.ts';
import { carryOut, firstOpen } from '../../takeover/steps/run.ts';
import { inWords } from '../../takeover/steps/step.ts';
import { ALL_APPLIED } from '../../takeover/world/world.ts';
import type { Define } from '../command.ts';
import { Refused } from '../errors.ts';
import { configOption } from '../settings/config-file.ts';
import { connectionOptions } from '../settings/connection.ts';
import { say } from '../terminal.ts';
import { progressOf } from './progress.ts';
import { inSession, recordedInstallation, type TakeoverFlags } from './session.ts';

interface Flags extends TakeoverFlags {
  readonly yes?: boolean;
}

const HELP = `
Without --yes it prints what it would delete, and deletes nothing. Afterwards there is no way back but Fluid's chart.

Exit codes:
  0  deleted, or nothing is left
  1  without --yes, or the take-over is not complete
  2  bad usage`;

export const define: Define = (command, parts) => {
  connectionOptions(command)
    .option('--yes', 'delete')
    .addOption(configOption())
    .addHelpText('after', HELP)
    .action((flags: Flags) =>
      inSession(flags, async (session) => {
        const { client, signal } = session;
        const { target, resources } = await recordedInstallation(session, flags, parts);
        const observe = observerOfFinish(client, target, resources);
        const world = await observe(ALL_APPLIED);
        const open = FORWARD[firstOpen(FORWARD, world)[0]];
        // The take-over no longer needs objects that `finish` has begun to delete.
        if (open && world.fluid.deployments.length > 0)
          throw new Refused(`nothing was deleted: the take-over is not complete. Open: ${open.title}. See \`sluice takeover status\``);
        const actions = FINISH.flatMap((step) => step.of(world)?.actions ?? []);
        if (actions.length === 0) return say('Nothing is left to delete.');
        const [refusal] = FINISH.flatMap((step) => step.of(world)?.refusal ?? []);
        if (refusal !== undefined) throw new Refused(refusal);
        say(...actions.map((action) => `${flags.yes ? '' : 'would '}${inWords(action)}`));
        if (!flags.yes) throw new Refused("nothing was deleted: --yes deletes these, and then there is no way back but Fluid's chart");
        const { done } = progressOf<typeof world>();
        await carryOut(FINISH, { client, signal, observe, progress: { ...(done && { done }) } });
      }),
    );
};
