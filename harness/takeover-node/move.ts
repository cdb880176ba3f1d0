/** One `sluice takeover go` or `back` on the node, with kills meanwhile. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { SLUICE_IMAGE } from '../../test/node/sluice-image.ts';
import { type Kill, killOne } from './kills.ts';
import { watchPlugin } from './plugin-watch.ts';
import type { Stage } from './stage.ts';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');

export type Way = 'go' | 'back';

export interface Moved {
  readonly seconds: number;
  readonly withoutPlugin: number;
  readonly unregistered: number;
  /** The command's own summary. */
  readonly said: readonly string[];
  readonly killed: readonly string[];
}

interface Ended {
  readonly code: number | undefined;
  readonly lines: readonly string[];
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
  const argv = ['takeover', way, ...(way === 'go' ? installFlags(stage.node) : [])];
  const watch = watchPlugin(stage);
  const began = performance.now();
  const killed: string[] = [];
  const left = kills.toSorted((a, b) => a.line - b.line);
  let ended: Ended = { code: undefined, lines: [] };
  try {
    // A command that was killed begins again.
    while (ended.code === undefined) {
      ended = await run(stage, argv, left, killed, log);
      if (ended.code) throw new Error(`sluice takeover ${way} ended with ${ended.code}:\n${ended.lines.join('\n')}`);
    }
  } catch (error) {
    await watch.end();
    throw error;
  }
  const seconds = (performance.now() - began) / 1000;
  // For those that were to come later than the last line.
  for (const kill of left) killed.push(await killOne(stage.node, kill));
  return { seconds, ...(await watch.end()), said: ended.lines.filter((line) => line.startsWith('Without')), killed };
}

/** @param left the kills that are still to come, in their order @returns no code if the command was killed */
async function run(stage: Stage, argv: readonly string[], left: Kill[], killed: string[], log: (line: string) => void): Promise<Ended> {
  const { KUBECONFIG: _, ...env } = process.env;
  const child = spawn(process.execPath, [MAIN, ...argv], {
    env: { ...env, KUBECONFIG: stage.plane.kubeconfig },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const killing: Promise<void>[] = [];
  const killAt = async (kill: Kill) => {
    await sleep(kill.delayMs);
    if (!kill.isCommand) killed.push(await killOne(stage.node, kill));
    else if (child.exitCode === null && child.kill('SIGKILL')) killed.push(`sluice ${argv.slice(0, 2).join(' ')}`);
  };
  const onLine = (line: string) => {
    log(line);
    lines.push(line);
    while (left[0] && lines.length >= left[0].line) killing.push(killAt(left.shift() as Kill));
  };
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', onLine);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  await Promise.all(killing);
  return { code: code ?? undefined, lines };
}
