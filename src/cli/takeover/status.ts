import { FORWARD } from '../../takeover/go/forward.ts';
import { observe } from '../../takeover/world/observe.ts';
import { firstOpen } from '../../takeover/steps/run.ts';
import { ALL_APPLIED, type World } from '../../takeover/world/world.ts';
import type { Define } from '../command.ts';
import { configOption } from '../settings/config-file.ts';
import { connectionOptions } from '../settings/connection.ts';
import { say } from '../terminal.ts';
import { stepLines } from './progress.ts';
import { inSession, recordedInstallation, type TakeoverFlags } from './session.ts';

const HELP = `
Nothing is written to the cluster.

Exit codes:
  0  every step of a take-over is done
  1  a step is open, or was undone
  2  bad usage`;

export const define: Define = (command, parts) => {
  connectionOptions(command)
    .addOption(configOption())
    .addHelpText('after', HELP)
    .action((flags: TakeoverFlags) =>
      inSession(flags, async (session) => {
        const { target } = await recordedInstallation(session, flags, parts);
        const world = await observe(session.client, target, ALL_APPLIED);
        say(...stepLines(FORWARD, world), ...left(world));
        if (firstOpen(FORWARD, world)[0] < FORWARD.length) process.exitCode = 1;
      }),
    );
};

/** Lines about more than the steps alone say. */
function left(world: World): readonly string[] {
  const [open] = firstOpen(FORWARD, world);
  const undone = FORWARD.slice(open + 1).filter((step) => !step.of(world));
  const away = world.nodes.filter(({ fluid, isReady }) => fluid && !isReady).map(({ name }) => name);
  const scaled = FORWARD[open]?.undoneBy?.(world) ?? [];
  if (world.record.resourceVersion === undefined) return ['No take-over has begun.'];
  return [
    ...(open < FORWARD.length && undone.length > 0
      ? ['Broken: a later step is done than one that is open. `sluice takeover go` goes on from there.']
      : []),
    ...scaled.map((line) => `  ${line}`),
    ...(away.length > 0 ? [`Nodes that do not answer, where Fluid's plugin ends when they return: ${away.join(', ')}.`] : []),
    ...(open === FORWARD.length ? ['Sluice has taken over. Left: `sluice takeover finish`, or `sluice takeover back`.'] : []),
  ];
}
