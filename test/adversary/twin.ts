import type { Snapshot } from '../../src/api-server/index.ts';
import { exampleFileSystem } from '../support/example-exec.ts';
import { createDice } from './dice.ts';
import { attackers, infrastructure, victims, victimsClients } from './scene.ts';
import { createView, type State } from './state.ts';
import { act, type Deed, scriptOf } from './victim.ts';
import { createWorld } from './world.ts';

/** Work under way ends within the first; retried work, within the second. Virtual milliseconds. */
export const CALM_MS = 1_200;
export const LONG_CALM_MS = 65_000;

/** How many different things the victim does meanwhile. */
export const SCRIPTS = 24;
export const script = (number: number): readonly Deed[] => scriptOf(createDice(`script ${number}`));

let base: Promise<Snapshot> | undefined;
/** The cluster before the attacker turns: built once. */
export const before = (): Promise<Snapshot> => (base ??= bound());

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

const twins = new Map<string, Promise<readonly State[]>>();

/** The same deeds of the victim in a cluster without the attacker: its state after each of them, and before the first. */
export function twinOf(number: number, probeMs: number): Promise<readonly State[]> {
  const key = `${number}/${probeMs}`;
  const twin = twins.get(key) ?? states(number, probeMs);
  twins.set(key, twin);
  return twin;
}

async function states(number: number, probeMs: number): Promise<readonly State[]> {
  const world = await createWorld({ from: await before(), exec: exampleFileSystem().exec, probeMs });
  const view = createView(world);
  await world.quiet(LONG_CALM_MS);
  const found = [view()];
  for (const deed of script(number)) {
    act(world, deed);
    await world.quiet(LONG_CALM_MS);
    found.push(view());
  }
  world.end();
  return found;
}
