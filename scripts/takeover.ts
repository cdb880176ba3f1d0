/**
 * `npm run takeover -- CHECKOUT`: a take-over of a real Fluid, built from a checkout of its repository, and the way back, by the commands of
 * a user: go, back, go, finish. Fails when an object differs that should not: docs/testing.md. Needs root, for a network of its own.
 *
 *   --datasets N   Datasets, of all kinds in turn (default 14)
 *   --rounds N     how often to go and come back before the end (default 1)
 *   --kills N      then so many moves that are killed at a line, with a program that runs, and begun again (default 0)
 *   --seed S       of the kills (default 1)
 *   --logs FOLDER  for what all programs write (default build/takeover)
 */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { playNodePlugin } from '../harness/flows/node-plugin.ts';
import { buildFluid } from '../harness/fluid/build.ts';
import { setUp } from '../harness/takeover/datasets.ts';
import { inOwnNetwork } from '../harness/takeover/own-network.ts';
import { type Stage, startStage } from '../harness/takeover/stage.ts';
import { killsOf } from './takeover/kills.ts';
import { createMoves } from './takeover/rounds.ts';
import { users } from './takeover/users.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    datasets: { type: 'string', default: '14' },
    rounds: { type: 'string', default: '1' },
    kills: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    logs: { type: 'string', default: 'build/takeover' },
  },
});
const say = (text: string) => console.log(text);
const [checkout] = positionals;

if (checkout === undefined) {
  console.error('npm run takeover -- CHECKOUT [--datasets N] [--rounds N] [--kills N] [--seed S] [--logs FOLDER]');
  process.exitCode = 2;
} else process.exitCode = inOwnNetwork() ?? (await run(resolve(checkout), resolve(values.logs)));

/** 1 when something was wrong. */
async function run(folder: string, logs: string): Promise<number> {
  mkdirSync(logs, { recursive: true });
  const stage = await startStage(await buildFluid(folder, say), logs);
  const onFault = (error: unknown) => appendFileSync(join(logs, 'faults.log'), `${String(error)}\n`);
  const plugin = playNodePlugin(stage.client, join(logs, 'plugin.log'), onFault);
  try {
    const wrong = await moved(stage, join(logs, 'commands.log'));
    say(wrong === 0 ? 'Nothing was wrong.' : `${wrong} were wrong.`);
    return wrong > 0 ? 1 : 0;
  } finally {
    await plugin.stop();
    for (const fault of stage.faults) onFault(fault);
    await stage.stop();
  }
}

async function moved(stage: Stage, log: string): Promise<number> {
  const count = Number(values.datasets);
  const wanted = users(count);
  const began = performance.now();
  await setUp(stage.client, wanted, 60 + count * 5);
  say(`${count} Datasets are Bound, after ${((performance.now() - began) / 1000).toFixed(0)} s`);
  const { namespace = '', name = '' } = wanted.pairs[0]?.dataset.metadata ?? {};
  const moves = await createMoves(stage, { asked: { namespace, name }, log, say });
  let wrong = 0;
  for (let round = 0; round < Number(values.rounds); round++)
    for (const command of ['go', 'back'] as const) {
      wrong += await moves.move(command);
      wrong += await helmFinds(stage, command === 'back');
    }
  for (const { command, ...kill } of killsOf(Number(values.seed), Number(values.kills), moves.lines))
    wrong += await moves.move(command, kill);
  const isThere = Number(values.kills) % 2 === 1;
  if (!isThere) wrong += await moves.move('go');
  wrong += await moves.move('finish');
  const ended = [...stage.pods.ended].map(([pod, times]) => `${pod} ${times}`);
  if (Number(values.kills) === 0 && ended.length > 0) say(`✗ programs ended by themselves: ${ended.join(', ')}`);
  return Number(values.kills) === 0 ? wrong + ended.length : wrong;
}

/** A release that helm finds, it can uninstall with all that serves. */
async function helmFinds(stage: Stage, isWanted: boolean): Promise<number> {
  const releases = (await stage.helm('list', '--namespace', 'default', '--all', '--short')).trim();
  const uninstalled = isWanted ? '' : await stage.helm('uninstall', 'fluid', '--namespace', 'default').catch(() => '');
  if (releases.split('\n').includes('fluid') === isWanted && uninstalled === '') return 0;
  say(`✗ helm lists ${releases || 'no release'}${uninstalled && `, and uninstalled it: ${uninstalled.trim()}`}`);
  return 1;
}
