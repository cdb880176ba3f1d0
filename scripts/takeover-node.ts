/**
 * `npm run takeover:node -- FLUID REGISTRAR`: Fluid itself on a real node, and `sluice takeover go` and `back` in turn while pods read
 * open files. FLUID is a checkout of Fluid, REGISTRAR one of kubernetes-csi/node-driver-registrar, which Fluid's node plugin needs.
 *
 *   --rounds N   how often there and back (default 10)
 *   --kills N    how many processes are killed meanwhile: the command, controllers, webhooks and plugins (default 20)
 *   --seed S     which ones, and when (default: one of its own each time)
 *   --claims L   of which runtimes (default thin,jfs,alluxio)
 *   --verbose    prints what the commands print
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildFluid, buildRegistrar } from '../harness/fluid/build.ts';
import { CLAIMS } from '../harness/takeover-node/datasets.ts';
import { goThereAndBack } from '../harness/takeover-node/rounds.ts';
import { startStage } from '../harness/takeover-node/stage.ts';
import { whyNoAlluxio, whyNoJuiceFS, whyNoNode } from '../harness/index.ts';
import { messageOf } from '../src/cli/errors.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '10' },
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
    claims: { type: 'string', default: CLAIMS.join(',') },
    verbose: { type: 'boolean', default: false },
  },
});
const numbers = [values.rounds, values.kills, values.seed];
const [fluid, registrar] = positionals;
const claims = CLAIMS.filter((claim) => values.claims.split(',').includes(claim));
const lacking = whyNoNode() ?? whyNoJuiceFS() ?? whyNoAlluxio();

if (!fluid || !registrar || positionals.length !== 2 || !numbers.every((text) => /^\d{1,9}$/.test(text)) || lacking !== undefined) {
  console.error(
    lacking ?? 'npm run takeover:node -- FLUID REGISTRAR [--rounds N] [--kills N] [--seed S] [--claims thin,jfs,alluxio] [--verbose]',
  );
  process.exitCode = 2;
} else process.exitCode = await run(resolve(fluid), resolve(registrar));

async function run(fluidCheckout: string, registrarCheckout: string): Promise<number> {
  const say = (what: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${what}`);
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort(new Error('interrupted')));
  try {
    const build = await buildFluid(fluidCheckout, say);
    await using stage = await startStage(build, await buildRegistrar(registrarCheckout, say), { claims, onProgress: say });
    const [rounds = 0, kills = 0, seed = 0] = numbers.map(Number);
    for (const line of await goThereAndBack(stage, {
      claims,
      rounds,
      kills,
      seed,
      say,
      signal: interrupt.signal,
      isVerbose: values.verbose,
    }))
      console.log(line);
    return 0;
  } catch (error) {
    console.error(`takeover:node: ${messageOf(error)}\nThe seed was ${values.seed}.`);
    return 1;
  }
}
