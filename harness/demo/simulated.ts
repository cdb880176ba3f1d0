/**
 * Datasets from nothing to Bound, drift, and removal, on simulated nodes or in a cluster of yours: `node harness/demo/simulated.ts --help`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { resources } from '../../runtimes/_resources.gen.ts';
import { createClient } from '../../src/kube/client/kube-client.ts';
import { type ConnectionFlags, connect, connectionOptions } from '../../src/cli/settings/connection.ts';
import { leaseNamespace, unlessAborted } from './steps.ts';
import { breakOne, load } from './operations.ts';
import { type Actors, bind, install, remove, repair, type Stage, show } from './scenes.ts';
import { startPlayground } from '../../src/playground/playground.ts';
import { startControlPlane as startCluster } from '../index.ts';
import { messageOf } from '../../src/cli/errors.ts';
import { type Progress, progressOn, secondsText } from './progress.ts';
import { startReconciler } from './reconciler-process.ts';

interface Flags extends ConnectionFlags {
  readonly real?: boolean;
  readonly useCluster?: boolean;
  readonly keep?: boolean;
}

const EXAMPLES = `
Examples:
  npm run demo                                      a control plane in memory, with simulated pods
  npm run demo -- --real                            a real API server; then data too, on a real node, if this machine can run one
  npm run demo -- --real --alluxio                  Alluxio too, which takes a minute more and 3 GiB of memory
  npm run demo -- --real --simulated                a real API server with simulated nodes only
  npm run demo -- --keep                            waits before the removal, so that you can look around
  npm run demo -- --use-cluster --context dev       in your cluster, in a namespace of its own

In your cluster the pods are real: they need the images of the examples; JuiceFS and Alluxio also need an object store.

Exit codes:
  0    every step succeeded
  1    a step failed
  130  interrupted by Ctrl-C; what the demo started has ended`;

const NAMESPACE = 'sluice-demo';
/** For so long the API server delays each creation of a new kind, so that other API servers learn of it (apiextensions, crd_handler.go). */
const NEW_KIND_MS = 2_000;

/** To be called at the end, the last first. */
type Endings = (() => Promise<unknown>)[];

await connectionOptions(new Command('demo'))
  .description('show what Sluice does, in less than a minute')
  .option('--real', 'use a real API server; builds it, if it is not there')
  .option('--alluxio', 'with --real, read through Alluxio too')
  .option('--simulated', 'only simulated nodes, without data')
  .option('--use-cluster', 'use the cluster of --kubeconfig, KUBECONFIG or ~/.kube/config')
  .option('--keep', 'wait for Ctrl-C before the removal')
  .addHelpText('after', EXAMPLES)
  .action(async (flags: Flags) => {
    const began = performance.now();
    const interrupts = onInterrupt();
    const progress = progressOn(process.stdout, interrupts.signal);
    const endings: Endings = [];
    try {
      const stage = await setUp(flags, { namespace: NAMESPACE, progress, signal: interrupts.signal }, endings);
      let isRemoved = false;
      // Only a controller that runs can unwind datasets; on a control plane of ours they go with it.
      if (flags.useCluster) endings.push(async () => isRemoved || remove({ ...stage, signal: new AbortController().signal }));
      // In a cluster with real pods, loading takes a store that works.
      for (const scene of [bind, show, repair, ...(flags.useCluster ? [] : [load, breakOne])]) await scene(stage);
      if (flags.keep) await lookAround(stage, interrupts.next());
      await remove(stage);
      isRemoved = true;
    } catch (error) {
      process.exitCode = interrupts.signal.aborted ? 130 : 1;
      if (!interrupts.signal.aborted) console.error(`\nsluice: ${messageOf(error)}`);
    }
    for (const end of endings.toReversed()) await end().catch((error: unknown) => console.error(`sluice: ${messageOf(error)}`));
    const verdict = { 0: 'This part took', 130: 'Interrupted after' }[Number(process.exitCode ?? 0)] ?? 'Failed after';
    progress.line(`\n${verdict} ${secondsText(performance.now() - began)}.`);
    // A control plane whose start was interrupted is ended by its keeper, as soon as we are gone.
    process.exit();
  })
  .parseAsync();

/** A cluster with our kinds and our controller, a process of its own. */
async function setUp(flags: Flags, actors: Omit<Actors, 'client'>, endings: Endings): Promise<Stage> {
  const { progress, signal } = actors;
  const start = flags.real ? startControlPlane : startInMemory;
  const own = flags.useCluster ? undefined : await start(progress, signal, endings);
  const client = createClient(await connect(own ? { kubeconfig: own } : flags, process.env), { fieldManager: 'sluice-demo' });
  endings.push(() => client.close());
  const delayMs = own && !flags.real ? 0 : NEW_KIND_MS;
  const stage = await install({ ...actors, client }, { resources, delayMs }, (end) => endings.push(end));
  const options = Object.entries({ '--kubeconfig': own ?? flags.kubeconfig, '--context': own ? undefined : flags.context });
  await progress.step('sluice reconcile', async () => {
    const where = options.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
    const reconciler = await startReconciler([...where, '--leader-election-namespace', await leaseNamespace(client, NAMESPACE)], signal);
    endings.push(() => reconciler.stop());
    return `process ${reconciler.pid}, ${reconciler.role}`;
  });
  return { ...stage, ...(own && { kubeconfig: own }) };
}

/** Returns the path of its kubeconfig. */
async function startControlPlane(progress: Progress, signal: AbortSignal, endings: Endings): Promise<string> {
  let kubeconfig = '';
  await progress.step('control plane', async (say) => {
    const own = await unlessAborted(startCluster({ nodes: 3, onProgress: (what) => say(what) }), signal);
    endings.push(() => own.stop());
    kubeconfig = own.kubeconfig;
    return 'etcd, API server, controller manager, scheduler and 3 simulated nodes';
  });
  return kubeconfig;
}

/** The same, in this process: no program has to be built. */
async function startInMemory(progress: Progress, _: AbortSignal, endings: Endings): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-demo-'));
  const kubeconfig = join(folder, 'kubeconfig');
  // At every end of the process, also after a second Ctrl-C or when nobody reads on.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await progress.step('control plane', async () => {
    const onFault = (error: unknown) => progress.line(`sluice: a request to the API server in memory failed: ${messageOf(error)}`);
    const playground = await startPlayground({ manifests: [], nodes: 3, port: 0, onFault });
    endings.push(() => playground.stop());
    try {
      writeFileSync(kubeconfig, playground.kubeconfig, { mode: 0o600 });
    } catch (error) {
      // Node's error for a full disk does not name the file.
      throw new Error(`cannot write ${kubeconfig}: ${messageOf(error)}; TMPDIR names another folder`, { cause: error });
    }
    return 'an API server in memory and 3 simulated nodes';
  });
  return kubeconfig;
}

async function lookAround({ kubeconfig, progress }: Stage, enough: Promise<void>): Promise<void> {
  progress.heading('Look around, and press Ctrl-C to go on');
  if (kubeconfig) progress.line(`export KUBECONFIG=${kubeconfig}`);
  progress.line(`kubectl -n ${NAMESPACE} get datasets,thinruntimes,juicefsruntimes,alluxioruntimes,all`);
  await enough;
}

/** The first Ctrl-C interrupts, the second ends the process at once; one that is waited for does neither. */
function onInterrupt(): { readonly signal: AbortSignal; next(): Promise<void> } {
  // `npm run demo | head`
  process.stdout.on('error', () => process.exit(1));
  const interrupt = new AbortController();
  let expected: (() => void) | undefined;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => {
      if (expected) expected();
      else if (interrupt.signal.aborted) process.exit(130);
      else interrupt.abort(new Error('interrupted'));
      expected = undefined;
    });
  const next = () =>
    new Promise<void>((resolve) => {
      // Keeps the process alive until then.
      const timer = setInterval(() => {}, 60_000);
      expected = () => {
        clearInterval(timer);
        resolve();
      };
    });
  return { signal: interrupt.signal, next };
}
