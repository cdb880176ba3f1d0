import { parseArgs } from 'node:util';
import { said } from './plan.ts';
import { run } from './run.ts';
import { planOf } from './scenario.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string' }, seeds: { type: 'string' }, from: { type: 'string' }, trace: { type: 'boolean' } },
});
const from = Number(values.seed ?? values.from ?? 1);
const count = Number(values.seeds ?? 1);
const began = performance.now();
let failed = 0;
for (let seed = from; seed < from + count; seed++) {
  const plan = planOf(seed);
  const outcome = await run(plan, { keep: values.trace ? 5000 : 0 });
  if (values.seed !== undefined) {
    for (const each of plan.happenings) console.log(said(each));
    if (values.trace) console.log(outcome.lines.join('\n'));
    const again = await run(plan);
    console.log(`trace ${outcome.trace} ${values.trace ? '' : again.trace}, ${outcome.events} events`);
  }
  if (outcome.finding === undefined) continue;
  failed++;
  console.log(`seed ${seed}: ${outcome.finding}`);
}
console.log(`${count} seeds, ${failed} with findings, ${Math.round(performance.now() - began)} ms`);
