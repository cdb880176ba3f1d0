import * as attacker from './actions.ts';
import type { Dice } from './dice.ts';
import { grantsOf, listsOf } from './invariants/grants.ts';
import type { Grants } from './invariants/invariant.ts';
import type { Pool } from './pool.ts';
import type { Level } from './rights.ts';
import { act, type Deed } from './victim.ts';

/** The next to act: most often the attacker, else the victim, or the controller has a fault. */
export interface Turns {
  /** Does the next thing; returns it in words, or undefined when there was nothing to do. */
  next(dice: Dice): Promise<string | undefined>;
  /** How many deeds of the victim are done. */
  readonly deeds: number;
  /** Kinds whose watches stand still. */
  readonly held: ReadonlySet<string>;
  /** A watch stands still, and a deed of the victim came after that. */
  readonly unseen: boolean;
  /** The victim's grants; while a watch stands still, also those at the time when that began. */
  readonly isGranted: Grants;
  /** All watches go on. */
  release(): void;
}

/** Those that a pass, or a write to a node, follows from; specs more often. */
const HELD: readonly (readonly string[])[] = [
  ['Dataset', 'ThinRuntime', 'JuiceFSRuntime'],
  ['PersistentVolume', 'PersistentVolumeClaim', 'DaemonSet', 'StatefulSet', 'Pod', 'Node'],
];

/** @param onOverlap called when two processes have worked at a time, which costs twice */
export function createTurns(pool: Pool, level: Level, script: readonly Deed[], onOverlap: () => void): Turns {
  const { world } = pool;
  const held = new Set<string>();
  let deeds = 0;
  let unseen = false;
  let isGranted = grantsOf(world);

  function watchTurn(dice: Dice): string {
    const kind = dice.pick('kind', dice.is('of specs', 0.5) ? (HELD[0] ?? []) : (HELD[1] ?? []));
    if (held.size === 0) isGranted = grantsOf(world, listsOf(world));
    const goesOn = held.delete(kind);
    if (!goesOn) held.add(kind);
    world.server[goesOn ? 'release' : 'hold'](kind);
    if (held.size === 0) allShown();
    return `the watch of ${kind} ${goesOn ? 'goes on' : 'stands still'}`;
  }
  function allShown(): void {
    unseen = false;
    isGranted = grantsOf(world);
  }
  function victimTurn(): string | undefined {
    const deed = script[deeds];
    // The effects of a deed that no watch has shown depend on when it is shown.
    if (deed === undefined || unseen) return undefined;
    // Which plan stays in force is what the controller had seen before: one that is killed first has seen nothing.
    if (held.size > 0 && deed === 'a spec that is not valid') return undefined;
    deeds++;
    unseen = held.size > 0;
    act(world, deed);
    return `victim: ${deed}`;
  }

  return {
    async next(dice) {
      const roll = dice.roll('who');
      const by = (deed: attacker.Act) => deed(dice, pool, level);
      if (roll < 0.21) return by(attacker.create);
      if (roll < 0.35) return by(attacker.copy);
      if (roll < 0.57) return by(attacker.edit);
      if (roll < 0.69) return by(attacker.remove);
      if (roll < 0.85) return victimTurn();
      if (roll < 0.87) {
        await world.restart();
        return 'the controller is killed, and another begins';
      }
      if (roll < 0.91) {
        await world.overlap(1_000);
        onOverlap();
        return 'another controller leads for a moment';
      }
      if (roll < 0.97) return watchTurn(dice);
      const ms = dice.pick('time', [1_000, 10_000, 60_000, 400_000]);
      await world.advance(ms);
      return `${ms / 1000} s go by`;
    },
    get deeds() {
      return deeds;
    },
    held,
    get unseen() {
      return unseen;
    },
    get isGranted() {
      return isGranted;
    },
    release() {
      for (const kind of held) world.server.release(kind);
      held.clear();
      allShown();
    },
  };
}
