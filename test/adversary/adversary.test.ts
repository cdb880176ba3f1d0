/**
 * The tenant who tries everything: two tenants on the API server in memory, with the controller, the labels of nodes, the webhook's
 * decisions, and the node plugin's choice of mounts. One of them has the cluster's role `edit` in its namespaces and writes anything; the
 * other must not notice.
 *
 *   scene.ts        what both have before the first turns against the second, and what an administrator has set up
 *   dice.ts         choices that follow from a seed, and stay when other actions are taken away
 *   words.ts        names, UIDs, records and reserved keys that it knows; pool.ts chooses of them, specs.ts makes objects of them
 *   actions.ts      what it does: create, copy, edit, delete; rights.ts: what its level allows
 *   forge.ts        changes of an object; hijack.ts puts a program of its own into a workload
 *   victim.ts       what the other does meanwhile
 *   world.ts        the cluster, with process.ts (the controller) and plugin.ts (the node plugin's labels)
 *   turns.ts        who acts next: the attacker, the victim, or what happens to the controller
 *   twin.ts         the same cluster without the attacker; state.ts compares the two
 *   invariants      what must hold after each action; cost.ts counts; cleanup.ts: what is left at the end
 *   run.ts          one program; program.ts: the shortest one that still fails
 *   faults.ts       faults that it must find, to prove its strength
 *
 * `npm run adversary -- --help` says how to run more of them, and how to repeat one.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { asked } from './asked.ts';
import { replayOf, report, shortest } from './program.ts';
import { run } from './run.ts';

beforeAll(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] }));
afterAll(() => void vi.useRealTimers());

test.each(asked)('$programs programs of level $level from $first, seed $seed', async ({ seed, level, first, programs, only }) => {
  for (let index = first; index < first + programs; index++) {
    const program = { seed, index, level, ...(only && { only }) };
    const failure = await run(program);
    if (!failure) continue;
    const short = await shortest(program, failure, run);
    console.log(`${report(short.failure)}\nafter ${index - first + 1} programs; again: ${replayOf(short.program)}`);
    expect(short.failure.wrong).toEqual([]);
  }
});
