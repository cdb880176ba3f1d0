/**
 * Builds the programs of the test control plane that are missing, as root on Linux also those of the test node, and fetches its jars, wheels
 * and packages. Exit code 3: this machine has no Go, which scripts/setup.sh can install.
 *
 *   --plan     prints what that would be, a line each, and does nothing; no output: nothing is missing
 *   --engines  builds also the programs that only `npm run engines` runs
 *   --demo     for `npm run demo -- --real`, which needs less, and builds it itself: looks only for Go; with --alluxio and --simulated as there
 */
import { findGo } from '../harness/tools/go.ts';
import { createJobs } from '../harness/tools/jobs.ts';
import { demoNeeds, firstNeeds, jobsFor, planFor, testNeeds } from '../harness/tools/needs.ts';
import { statusOn } from '../harness/tools/status.ts';
import { messageOf } from '../src/cli/errors.ts';

const flags = new Set(process.argv.slice(2));
const needs = !flags.has('--demo')
  ? testNeeds(flags.has('--engines') ? 'engines' : 'tests')
  : flags.has('--simulated')
    ? firstNeeds()
    : demoNeeds(flags.has('--alluxio'));
if (flags.has('--plan')) {
  for (const line of planFor(needs)) console.log(line);
  process.exit();
}
const go = needs.tools.length > 0 ? findGo() : undefined;
if (needs.tools.length > 0 && go === undefined) process.exit(3);
if (flags.has('--demo')) process.exit();

const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (interrupt.signal.aborted) process.exit(130);
    interrupt.abort(new Error('interrupted'));
  });
const jobs = jobsFor(needs, go);
if (jobs.length > 0)
  await createJobs(
    statusOn(process.stderr),
    interrupt.signal,
  )(jobs).catch((error: unknown) => {
    if (interrupt.signal.aborted) process.exit(130);
    console.error(`setup: ${messageOf(error)}`);
    console.error('setup: run this again to go on from here. `npm run demo`, `npm run check` and the playground work without.');
    process.exit(1);
  });
