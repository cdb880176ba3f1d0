import { exampleFileSystem } from '../support/example-exec.ts';
import { leftAfterCleanup } from './cleanup.ts';
import { bounded, costOf } from './cost.ts';
import { createDice, type Dice } from './dice.ts';
import { hostileExec } from './hostile-exec.ts';
import { invariants } from './invariants/index.ts';
import { createPool } from './pool.ts';
import { type Failure, LENGTH, type Program } from './program.ts';
import { createView, differences, isKeptByVolume, type State } from './state.ts';
import { createTurns } from './turns.ts';
import { before, CALM_MS, LONG_CALM_MS, SCRIPTS, script, twinOf } from './twin.ts';
import { createWorld, type World } from './world.ts';

/** Runs a program; undefined when everything holds. */
export async function run(program: Program): Promise<Failure | undefined> {
  const dice = createDice(`${program.seed}/${program.index}`);
  const number = dice.below('script', SCRIPTS);
  // Only the third level is about what commands answer.
  const probeMs = program.level === 3 ? 60_000 : 0;
  const states = await twinOf(number, probeMs).catch((error: unknown) => wordsOf(error));
  if (typeof states === 'string') return { wrong: [`the victim alone: ${states}`], done: [...script(number)], at: 0 };
  const exec = program.level >= 3 ? hostileExec(dice.of('exec')) : exampleFileSystem().exec;
  const world = await createWorld({ from: await before(), exec, probeMs });
  try {
    return await perform(world, program, dice, number, states);
  } finally {
    world.end();
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

async function perform(world: World, program: Program, dice: Dice, number: number, states: readonly State[]): Promise<Failure | undefined> {
  const view = createView(world);
  const turns = createTurns(createPool(world, dice.of('theme')), program.level, script(number), () => {
    cost = costOf(world, cost);
  });
  const done: string[] = [];
  await world.quiet(CALM_MS);
  view();
  let cost = costOf(world);
  let i = 0;
  try {
    return await all();
  } catch (error) {
    return { wrong: [`an exception: ${wordsOf(error)}`], done, at: i };
  }

  /** The present violations. A difference in the victim's objects may be work under way. */
  async function wrong(): Promise<readonly string[]> {
    const costBefore = cost;
    cost = costOf(world, costBefore);
    const dear = bounded(costBefore, cost);
    if (dear.length > 0) return dear;
    const now = () => [
      ...invariants.flatMap((invariant) => invariant(world, turns.isGranted)),
      // A deed of the victim that no watch has shown has no effect yet.
      ...(turns.unseen || isKeptByVolume(world) ? [] : differences(states[turns.deeds] as State, view())),
    ];
    const found = now();
    // A change that a watch has not shown would only be shown later.
    if (found.length === 0) return [];
    await world.quiet(LONG_CALM_MS);
    cost = costOf(world, cost);
    return now();
  }

  async function all(): Promise<Failure | undefined> {
    for (; i < LENGTH; i++) {
      if (program.only && !program.only.includes(i)) continue;
      const part = dice.of(`action ${i}`);
      const what = await turns.next(part);
      if (what === undefined) continue;
      done.push(`${i}: ${what}`);
      // Two actions at a time, sometimes: nothing is at rest between them. What the victim does, and what a watch shows of it, depends on their order.
      if (part.is('in a hurry', 0.15) && !/^(victim|the watch)/.test(what)) continue;
      await world.quiet(CALM_MS, 60_000);
      const faults = await wrong();
      if (faults.length > 0) return { wrong: faults, done, at: i };
    }
    turns.release();
    await world.quiet(CALM_MS, 60_000);
    const faults = await wrong();
    if (faults.length > 0) return { wrong: faults, done, at: LENGTH };
    // One in ten: it takes as long as all actions. Volumes that the attacker made may keep its own Datasets.
    if (program.level > 1 || !dice.is('ends', 0.1)) return undefined;
    const left = await leftAfterCleanup(world);
    return left.length > 0 ? { wrong: left, done, at: LENGTH } : undefined;
  }
}
