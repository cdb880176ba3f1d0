/**
 * The tenant who tries everything: two tenants on the API server in memory, with the controller, the labels of nodes, the webhook's
 * decisions, and what the node plugin would bind. One of them has the cluster's role `edit` in its namespaces and writes whatever it likes;
 * the other must not notice.
 *
 *   scene.ts        what both have before the first turns against the second, and what an administrator has set up
 *   dice.ts         choices that follow from a seed, and stay when other actions are taken away
 *   pool.ts         names, UIDs, records and reserved keys that it chooses from; specs.ts makes objects of them
 *   actions.ts      what it does: create, copy, edit, forge, delete; within the rights of its level
 *   victim.ts       what the other does meanwhile
 *   world.ts        the cluster, with process.ts (the controller) and plugin.ts (the node plugin's labels)
 *   invariants.ts   what must hold after each action; state.ts compares with a twin that has no attacker; cost.ts counts; cleanup.ts
 *   run.ts          one program, and the shortest one that still fails
 *   faults.ts       faults that it must find, to prove its strength
 *
 * `npm run adversary -- --help` says how to run more of them, and how to repeat one.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { asked } from './asked.ts';
import { replayOf, report, run, shortest } from './run.ts';

beforeAll(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] }));
afterAll(() => void vi.useRealTimers());

test.each(asked)('$programs programs of level $level from $first, seed $seed', async ({ seed, level, first, programs, only }) => {
  for (let index = first; index < first + programs; index++) {
    const program = { seed, index, level, ...(only && { only }) };
    const failure = await run(program);
    if (!failure) continue;
    const short = await shortest(program, failure);
    console.log(`${report(short.failure)}\nafter ${index - first + 1} programs; again: ${replayOf(short.program)}`);
    expect(short.failure.wrong).toEqual([]);
  }
});
