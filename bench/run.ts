import { parseArgs } from 'node:util';
import { bindMany } from './bind-many.ts';
import { bindOne } from './bind-one.ts';
import { csi } from './csi.ts';
import { dataPath } from './data-path/data-path.ts';
import { drift } from './drift.ts';
import { eventLoop } from './event-loop/event-loop.ts';
import type { Bench, Figure } from './figure.ts';
import { gitops } from './gitops.ts';
import { idleRss } from './idle-rss.ts';
import { KINDS } from './kinds.ts';
import { type Lab, openLab, say } from './lab.ts';
import { live } from './live/live.ts';
import { load } from './load.ts';
import { metrics } from './metrics/metrics.ts';
import { noop } from './noop.ts';
import { operations } from './operations.ts';
import { playground } from './playground.ts';
import { quiet } from './quiet.ts';
import { realNode } from './real-node.ts';
import { recover } from './recover.ts';
import { reference } from './reference.ts';
import { restart } from './restart.ts';
import { synth, synthEach } from './synth.ts';
import { uiPage } from './ui/page.ts';
import { ui } from './ui/ui.ts';
import { webhookHostile } from './webhook/hostile.ts';
import { validation } from './webhook/validation.ts';
import { validationHostile } from './webhook/validation-hostile.ts';
import { webhook } from './webhook/webhook.ts';

const USAGE = `npm run -s bench [-- NAME…]: one JSON object a line for each figure, progress on standard error. Lines that are kept
belong into bench/figures/<date>-<topic>.jsonl, from which docs/reference/benchmarks.md is generated.

  NAME         only these benches, and those whose names go on after it with a dash: bind-one drift; csi for csi and csi-real-node
  --quick      fewer runs and shorter periods, for trying a bench out
  --list       the names
  --help       this

Exits with 1 when a bench could not be run, not when it missed its target; with 2 when it was called wrongly.`;

/** Benches of one group share a control plane, in this order. */
const groups: readonly (readonly Bench[])[] = [
  [synth(20_000), synthEach, eventLoop, metrics(20_000), gitops(12_000, 'thin', 'juicefs')],
  [ui(20_000), uiPage(20_000)],
  [playground(20_000)],
  [idleRss, bindOne, reference, load, operations, drift, recover, bindMany(50, 'juicefs'), quiet(50, 'juicefs')],
  [bindMany(50, 'alluxio'), quiet(50, 'alluxio')],
  [bindMany(50, 'cache'), quiet(50, 'cache')],
  [bindMany(50, 'jindo'), quiet(50, 'jindo')],
  [bindMany(50, 'jindo-ha')],
  [bindMany(50, 'efc'), quiet(50, 'efc')],
  [bindMany(50, 'vineyard'), quiet(50, 'vineyard')],
  [bindMany(1000, ...KINDS), quiet(1000, ...KINDS)],
  [quiet(1000, 'alluxio')],
  [bindMany(100, 'thin'), bindMany(300, 'thin'), bindMany(1000, 'thin'), quiet(1000, 'thin'), restart(1000), noop(1000)],
  // As many as a real API server holds here in some minutes.
  [restart(10_000)],
  [live('live', 20_000, ['juicefs'])],
  [live('mixed', 20_000, KINDS)],
  [csi],
  [realNode],
  [dataPath('juicefs'), dataPath('alluxio'), dataPath('s3')],
  [webhookHostile, webhook, validationHostile, validation],
];

const { values: flags, positionals: names } = called();
const all = groups.flat().map(({ name }) => name);
const selects = (name: string, bench: string) => bench === name || bench.startsWith(`${name}-`);
const unknown = names.filter((name) => !all.some((bench) => selects(name, bench)));
// Ends the controllers as well (controller.ts); the control plane notices by itself.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
let broken = 0;

if (flags.help) console.log(USAGE);
else if (flags.list) console.log(all.join('\n'));
else if (unknown.length > 0) {
  console.error(`no bench is called ${unknown.join(', ')}; there are ${all.join(', ')}`);
  process.exitCode = 2;
} else {
  for (const group of groups) await runGroup(group.filter(({ name }) => names.length === 0 || names.some((asked) => selects(asked, name))));
  process.exitCode = broken > 0 ? 1 : 0;
}

function called() {
  const flag = { type: 'boolean' } as const;
  const options = { quick: flag, list: flag, help: flag } as const;
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(2);
  }
}

async function runGroup(benches: readonly Bench[]): Promise<void> {
  let opened: Promise<Lab> | undefined;
  const lab = () => (opened ??= openLab());
  for (const bench of benches) {
    say(`${bench.name} begins`);
    try {
      for await (const figure of bench.run({ lab, quick: flags.quick ?? false })) print(figure);
    } catch (error) {
      broken++;
      say(`${bench.name} could not be run: ${error instanceof Error ? error.stack : error}`);
    }
  }
  await (await opened?.catch(() => undefined))?.close();
}

function print(figure: Figure): void {
  console.log(JSON.stringify(figure));
}
