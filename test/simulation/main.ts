/**
 * `npm run simulate`: worlds of new seeds, or one world once more.
 *
 *   --seeds N          N worlds, after those of the last call; with --from S from seed S
 *   --seed S           the world of this seed: what happens in it, and what is found
 *   --only 1,4         with only these happenings of it
 *   --shrink           with only a few happenings with which it still fails
 *   --trace            with its last requests, and what its processes logged
 *   --faults           worlds in which the code has a planted fault, one after the other; --only L1,S2 these
 *   --first            until the first finding
 *   --threads N        on N threads; default 2
 */
import { parseArgs } from 'node:util';
import { runPlantedFaults } from './planted/run.ts';
import { said } from './plan.ts';
import { run } from './run.ts';
import { planOf } from './scenario.ts';
import { runSeeds } from './seeds-run.ts';
import { onlyOf, shrink } from './shrink.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    from: { type: 'string' },
    only: { type: 'string' },
    threads: { type: 'string' },
    trace: { type: 'boolean', default: false },
    faults: { type: 'boolean', default: false },
    first: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
  },
});
const TRACED = 20_000;

/** @throws TypeError that names the flag */
function whole(flag: 'seed' | 'seeds' | 'from' | 'threads'): number | undefined {
  const text = values[flag];
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new TypeError(`--${flag}: expected a whole number, found ${JSON.stringify(text)}`);
  return Number(text);
}
const [seed, seeds, from, threads = 2] = [whole('seed'), whole('seeds'), whole('from'), whole('threads')];
if (threads < 1) throw new TypeError('--threads: expected 1 or more');
const only = values.only?.split(',').filter(Boolean);

if (values.faults) {
  const missed = await runPlantedFaults(only ?? [], { threads, ...(seeds !== undefined && { worlds: seeds }) });
  process.exitCode = missed > 0 ? 1 : 0;
} else if (seed !== undefined) await replay(seed);
else {
  const found = await runSeeds(seeds ?? 100, { ...(from !== undefined && { from }), threads, first: values.first });
  process.exitCode = found > 0 ? 1 : 0;
}

async function replay(seed: number): Promise<void> {
  const all = planOf(seed);
  const asked = only?.map((text) => {
    if (!/^\d+$/.test(text) || !(Number(text) in all.happenings))
      throw new TypeError(`--only: expected numbers of happenings, found ${text}`);
    return Number(text);
  });
  const kept = asked ?? (values.shrink ? await shrink(all) : undefined) ?? all.happenings.map((_, i) => i);
  const plan = onlyOf(all, kept);
  console.log(
    `${plan.candidates} processes, ${plan.nodes} nodes, probes every ${plan.probeMs} ms; all faults have ended after ${plan.calmMs / 1000} s`,
  );
  plan.happenings.forEach((each, i) => console.log(`${String(kept[i]).padStart(3)}  ${said(each)}`));
  const { finding, lines, events, trace } = await run(plan, { keep: values.trace ? TRACED : 0 });
  if (lines.length > 0) console.log(lines.join('\n'));
  console.log(`${events} events, trace ${trace}: ${finding ?? 'nothing found'}`);
  process.exitCode = finding === undefined ? 0 : 1;
}
