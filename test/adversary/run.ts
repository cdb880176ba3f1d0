import { exampleFileSystem } from '../support/example-exec.ts';
import type { Snapshot } from '../../src/testing/api-server/index.ts';
import * as attacker from './actions.ts';
import type { Level } from './actions.ts';
import { leftAfterCleanup } from './cleanup.ts';
import { bounded, costOf } from './cost.ts';
import { createDice, type Dice } from './dice.ts';
import { hostileExec } from './hostile-exec.ts';
import { atRest, clientsWereNeverUnplaced } from './invariants.ts';
import { createPool } from './pool.ts';
import { attackers, infrastructure, victims, victimsClients } from './scene.ts';
import { createView, differences, type State } from './state.ts';
import { act, scriptOf } from './victim.ts';
import { createWorld, type World } from './world.ts';

/** One program: everything about it follows from these. */
export interface Program {
  readonly seed: number;
  readonly index: number;
  readonly level: Level;
  /** Which of its actions; all by default. */
  readonly only?: readonly number[];
}
export interface Failure {
  /** What does not hold, in words. */
  readonly wrong: readonly string[];
  /** What was done until then. */
  readonly done: readonly string[];
  /** The number of the action after which it did not hold. */
  readonly at: number;
}

const LENGTH = 12;
const SCRIPTS = 24;
const HELD = [
  'Dataset',
  'ThinRuntime',
  'JuiceFSRuntime',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'DaemonSet',
  'StatefulSet',
  'Pod',
  'Node',
];
/** What is under way ends within the first; what is retried, within the second. Virtual milliseconds. */
const CALM_MS = 1_200;
const LONG_CALM_MS = 65_000;

let base: Promise<Snapshot> | undefined;
/** The cluster before the attacker turns: built once. */
async function bound(): Promise<Snapshot> {
  const world = await createWorld({ exec: exampleFileSystem().exec });
  infrastructure(world.server);
  attackers(world.server);
  victims(world.server);
  await world.quiet(5_000);
  victimsClients(world.server);
  await world.quiet(5_000);
  const snapshot = world.server.snapshot();
  world.end();
  return snapshot;
}

interface Twin {
  /** After each deed of the script, and before the first. */
  readonly states: readonly State[];
}
const twins = new Map<string, Promise<Twin>>();
/** Only the third level is about what commands answer. */
const probeMsOf = (level: Level): number => (level === 3 ? 60_000 : 0);

/** The same deeds of the victim in a cluster without the attacker. */
async function twinOf(script: number, from: Snapshot, probeMs: number): Promise<Twin> {
  const world = await createWorld({ from, exec: exampleFileSystem().exec, probeMs });
  const view = createView(world);
  await world.quiet(LONG_CALM_MS);
  const states = [view()];
  for (const deed of scriptOf(createDice(`script ${script}`))) {
    act(world, deed);
    await world.quiet(LONG_CALM_MS);
    states.push(view());
  }
  world.end();
  return { states };
}

/** Runs a program; undefined when everything holds. */
export async function run(program: Program): Promise<Failure | undefined> {
  base ??= bound();
  const from = await base;
  const dice = createDice(`${program.seed}/${program.index}`);
  const script = dice.below('script', SCRIPTS);
  const probeMs = probeMsOf(program.level);
  const twin = twins.get(`${script}/${probeMs}`) ?? twinOf(script, from, probeMs);
  twins.set(`${script}/${probeMs}`, twin);
  const { states } = await twin;
  const exec = program.level >= 3 ? hostileExec(dice.of('exec')) : exampleFileSystem().exec;
  const world = await createWorld({ from, exec, probeMs });
  try {
    return await perform(world, program, dice, scriptOf(createDice(`script ${script}`)), states);
  } finally {
    world.end();
  }
}

async function perform(
  world: World,
  program: Program,
  dice: Dice,
  script: readonly string[],
  states: readonly State[],
): Promise<Failure | undefined> {
  const view = createView(world);
  const pool = createPool(world, dice.of('theme'));
  const held = new Set<string>();
  const done: string[] = [];
  let deeds = 0;
  /** A deed of the victim that a watch may not have shown yet. */
  let unseen = false;
  await world.quiet(CALM_MS);
  view();
  let cost = costOf(world);

  /** What does not hold now. Where the victim's objects differ, it may be that something is still under way. */
  async function wrong(): Promise<readonly string[]> {
    const before = cost;
    cost = costOf(world, before);
    const found = [...clientsWereNeverUnplaced(world), ...bounded(before, cost)];
    if (found.length > 0) return found;
    const now = () => [
      ...atRest.flatMap((invariant) => invariant(world)),
      ...(held.size > 0 ? [] : differences(states[deeds] as State, view())),
    ];
    if (now().length === 0) return [];
    if (held.size > 0) return [];
    await world.quiet(LONG_CALM_MS);
    cost = costOf(world, cost);
    return now();
  }

  for (let i = 0; i < LENGTH; i++) {
    if (program.only && !program.only.includes(i)) continue;
    const part = dice.of(`action ${i}`);
    const what = await step(part);
    if (what === undefined) continue;
    done.push(`${i}: ${what}`);
    // Two actions at a time, sometimes: nothing is at rest between them. What the victim does depends on their order.
    if (part.is('in a hurry', 0.15) && !what.startsWith('victim')) continue;
    await world.quiet(CALM_MS, 60_000);
    const faults = await wrong();
    if (faults.length > 0) return { wrong: faults, done, at: i };
  }
  for (const kind of held) world.server.release(kind);
  held.clear();
  await world.quiet(CALM_MS, 60_000);
  const faults = await wrong();
  if (faults.length > 0) return { wrong: faults, done, at: LENGTH };
  // One in ten: it takes as long as all actions. Volumes that the attacker made may keep its own Datasets.
  if (program.level > 1 || !dice.is('ends', 0.1)) return undefined;
  const left = (await leftAfterCleanup(world)).filter(
    (each) => !each.startsWith('PersistentVolume') || !done.some((line) => line.includes('finalizers')),
  );
  return left.length > 0 ? { wrong: left, done, at: LENGTH } : undefined;

  async function step(part: Dice): Promise<string | undefined> {
    const roll = part.roll('who');
    const by = (deed: attacker.Act) => deed(part, pool, program.level);
    if (roll < 0.24) return by(attacker.create);
    if (roll < 0.4) return by(attacker.copy);
    if (roll < 0.66) return by(attacker.edit);
    if (roll < 0.77) return by(attacker.remove);
    if (roll < 0.89) {
      const deed = script[deeds];
      if (deed === undefined || unseen) return undefined;
      deeds++;
      unseen = held.size > 0;
      act(world, deed);
      return `victim: ${deed}`;
    }
    if (roll < 0.91) {
      await world.restart();
      return 'the controller is killed, and another begins';
    }
    if (roll < 0.94) {
      await world.overlap(1_000);
      cost = costOf(world, cost);
      return 'another controller leads for a moment';
    }
    if (roll < 0.97) {
      const kind = part.pick('kind', HELD);
      const goesOn = held.delete(kind);
      if (!goesOn) held.add(kind);
      world.server[goesOn ? 'release' : 'hold'](kind);
      if (held.size === 0) unseen = false;
      return `the watch of ${kind} ${held.has(kind) ? 'stands still' : 'goes on'}`;
    }
    const ms = part.pick('time', [1_000, 10_000, 60_000, 400_000]);
    await world.advance(ms);
    return `${ms / 1000} s go by`;
  }
}

/** Takes actions away for as long as the program still fails. */
export async function shortest(program: Program, failure: Failure): Promise<{ readonly program: Program; readonly failure: Failure }> {
  let best = { program: { ...program, only: program.only ?? numbersTo(Math.min(failure.at, LENGTH - 1)) }, failure };
  for (let isShorter = true; isShorter; ) {
    isShorter = false;
    for (const each of best.program.only.toReversed()) {
      const only = best.program.only.filter((other) => other !== each);
      const again = await run({ ...program, only });
      if (!again) continue;
      best = { program: { ...program, only }, failure: again };
      isShorter = true;
    }
  }
  return best;
}
const numbersTo = (last: number): readonly number[] => Array.from({ length: last + 1 }, (_, i) => i);

export const replayOf = ({ seed, index, level, only }: Program): string =>
  `npm run adversary -- --seed ${seed} --first ${index} --programs 1 --level ${level}${only ? ` --only ${only.join(',')}` : ''}`;

export const report = ({ done, wrong }: Failure): string =>
  ['', ...done.map((each) => `  ${each}`), '', ...wrong.slice(0, 5).map((each) => `✗ ${each}`)].join('\n');
