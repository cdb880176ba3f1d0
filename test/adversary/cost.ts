import type { World } from './world.ts';

/** What Sluice did since it began. */
export interface Cost {
  readonly requests: number;
  readonly passes: number;
  readonly commands: number;
  /** Bytes of the largest body that it sent. */
  readonly largest: number;
  /** Where the counting of bodies ended. */
  readonly upTo: number;
}

/** After one action. Measured: a tenth of it. */
const MOST = { requests: 1_500, passes: 600, commands: 200, largest: 1024 * 1024 };

export function costOf(world: World, before?: Cost): Cost {
  const { requests } = world.server;
  const bodies = requests
    .slice(before?.upTo ?? 0)
    .map(({ body, manager }) => (body !== undefined && manager === 'sluice' ? JSON.stringify(body).length : 0));
  const largest = bodies.reduce((most, each) => Math.max(most, each), 0);
  return { requests: requests.length, passes: world.process.passes, commands: world.commands.length, largest, upTo: requests.length };
}

export function bounded(before: Cost, after: Cost): readonly string[] {
  return (['requests', 'passes', 'commands'] as const)
    .flatMap((what) => {
      const count = after[what] - before[what];
      return count > MOST[what] ? [`one action cost ${count} ${what}, expected at most ${MOST[what]}`] : [];
    })
    .concat(after.largest > MOST.largest ? [`Sluice sent an object of ${after.largest} bytes`] : []);
}
