/** One `sluice takeover go` or `back` on the node, with kills meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SLUICE_IMAGE } from '../../test/node/sluice-image.ts';
import { type Outcome, takeover } from '../takeover/commands.ts';
import { type Kill, killOne } from './kills.ts';
import { watchPlugin } from './plugin-watch.ts';
import type { Stage } from './stage.ts';

export type Way = 'go' | 'back';

export interface Moved {
  readonly seconds: number;
  readonly withoutPlugin: number;
  readonly unregistered: number;
  /** The command's own summary. */
  readonly said: readonly string[];
  readonly killed: readonly string[];
}

/** The flags by which the installation fits the node. */
export const installFlags = ({ kubeletDir, mountRoot, podLogsDir }: Stage['node']): readonly string[] => [
  '--image',
  SLUICE_IMAGE,
  '--kubelet-dir',
  kubeletDir,
  '--mount-root',
  mountRoot,
  '--pod-logs-dir',
  podLogsDir,
];

/** @throws Error when the command ends with another code than 0 and was not killed */
export async function move(stage: Stage, way: Way, kills: readonly Kill[], log: (line: string) => void): Promise<Moved> {
  const args = [way, ...(way === 'go' ? installFlags(stage.node) : [])];
  const watch = watchPlugin(stage);
  const began = performance.now();
  const killed: string[] = [];
  const left = kills.toSorted((a, b) => a.line - b.line);
  let outcome: Outcome = { code: 'killed', seconds: 0, lines: [] };
  try {
    // A command that was killed begins again.
    while (outcome.code === 'killed') outcome = await run(stage, args, left, killed, log);
    if (outcome.code !== 0) throw new Error(`sluice takeover ${way} ended with ${outcome.code}:\n${outcome.lines.join('\n')}`);
  } catch (error) {
    await watch.end();
    throw error;
  }
  const seconds = (performance.now() - began) / 1000;
  // For those that were to come later than the last line.
  for (const kill of left) killed.push(await killOne(stage.node, kill));
  return { seconds, ...(await watch.end()), said: outcome.lines.filter((line) => line.startsWith('Without')), killed };
}

/** @param left the kills that are still to come, in their order @param killed receives what was killed */
async function run(
  { plane, node }: Stage,
  args: readonly string[],
  left: Kill[],
  killed: string[],
  log: (line: string) => void,
): Promise<Outcome> {
  let printed = 0;
  const killing: Promise<void>[] = [];
  const killAt = async (kill: Kill, end: () => boolean) => {
    await sleep(kill.delayMs);
    if (!kill.isCommand) killed.push(await killOne(node, kill));
    else if (end()) killed.push(`sluice takeover ${args[0]}`);
  };
  const onLine = (line: string, end: () => boolean) => {
    log(line);
    printed++;
    while (left[0] && printed >= left[0].line) killing.push(killAt(left.shift() as Kill, end));
  };
  const outcome = await takeover(args, { kubeconfig: plane.kubeconfig, onLine });
  await Promise.all(killing);
  return outcome;
}
