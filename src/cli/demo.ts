import { createClient } from '../kube/client.ts';
import type { KubeClient } from '../kube/contract.ts';
import type { ControlPlane } from '../testing/index.ts';
import type { Define } from './command.ts';
import { connect, type ConnectionFlags, connectionOptions } from './connection.ts';
import { type Actors, bind, install, remove, repair, show, type Stage } from './demo-scenes.ts';
import { messageOf } from './errors.ts';
import { progressOn, secondsText } from './progress.ts';
import { startReconciler } from './reconciler-process.ts';

interface Flags extends ConnectionFlags {
  readonly useCluster?: boolean;
  readonly keep?: boolean;
}

const EXAMPLES = `
Examples:
  sluice demo                                a control plane of its own, with simulated nodes: nothing is left behind
  sluice demo --keep                         leaves it running before the removal, for you to look around
  sluice demo --use-cluster --context dev    in your cluster, in a namespace of its own

In your cluster the pods are real: they need the images of the examples, and JuiceFS its object store.

Exit codes:
  0    everything was seen to work
  1    something was not
  130  ended by Ctrl-C; what was started is gone`;

const NAMESPACE = 'sluice-demo';

export const define: Define = (command, parts) => {
  connectionOptions(command)
    .option('--use-cluster', 'show it in the cluster of --kubeconfig, KUBECONFIG or ~/.kube/config')
    .option('--keep', 'wait for Ctrl-C before the removal')
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      const began = performance.now();
      const progress = progressOn(process.stdout);
      const interrupted = onInterrupt();
      const endings: (() => Promise<unknown>)[] = [];
      let isRemoved = false;
      /** Gives up waiting, not what is waited for: that is what endings are for. */
      const unlessInterrupted = <T>(work: Promise<T>): Promise<T> => Promise.race([work, interrupted]);
      try {
        const stage: Stage = await unlessInterrupted(setUp());
        // Only a controller that runs can unwind datasets; on a control plane of ours they go with it.
        if (flags.useCluster) endings.push(async () => isRemoved || remove(stage));
        for (const scene of [bind, show, repair]) await unlessInterrupted(scene(stage));
        if (flags.keep) await unlessInterrupted(look(stage));
        await unlessInterrupted(remove(stage));
        isRemoved = true;
      } catch (error) {
        process.exitCode = error === INTERRUPTED ? 130 : 1;
        if (error !== INTERRUPTED) console.error(`\nsluice: ${messageOf(error)}`);
      }
      if (process.exitCode) progress.abandon();
      for (const end of endings.toReversed()) await end().catch((error: unknown) => console.error(`sluice: ${messageOf(error)}`));
      const verdict = { 0: 'All of it took', 130: 'Interrupted after' }[Number(process.exitCode ?? 0)] ?? 'Failed after';
      progress.line(`\n${verdict} ${secondsText(performance.now() - began)}.`);
      // An interrupted step may still hold a timer or a socket.
      process.exit();

      async function setUp(): Promise<Stage> {
        const own = flags.useCluster ? undefined : await startOwn();
        const connection = await connect(own ? { kubeconfig: own.kubeconfig } : flags, process.env);
        const client = createClient(connection, { fieldManager: 'sluice-demo' });
        endings.push(() => client.close());
        const actors: Actors = { client, namespace: NAMESPACE, progress };
        const stage = await install(actors, [...(await parts.resources())], (end) => endings.push(end));
        const kubeconfig = own
          ? ['--kubeconfig', own.kubeconfig]
          : [...(flags.kubeconfig ? ['--kubeconfig', flags.kubeconfig] : []), ...(flags.context ? ['--context', flags.context] : [])];
        await progress.step('sluice reconcile', async () => {
          const reconciler = await startReconciler([...kubeconfig, '--leader-election-namespace', await leaseNamespace(client)]);
          endings.push(() => reconciler.stop());
          return `process ${reconciler.pid}, ${reconciler.role}`;
        });
        return { ...stage, ...(own && { kubeconfig: own.kubeconfig }) };
      }

      async function startOwn(): Promise<ControlPlane> {
        // The test harness, and with it what makes certificates, is needed by nobody else.
        const { startControlPlane } = await import('../testing/index.ts');
        let own: ControlPlane | undefined;
        await progress.step('control plane', async (say) => {
          own = await startControlPlane({ nodes: 3, onProgress: (what) => say(what) });
          endings.push(() => own?.stop() ?? Promise.resolve());
          return 'etcd, API server, controller manager, scheduler and 3 simulated nodes';
        });
        return own as unknown as ControlPlane;
      }

      async function look({ kubeconfig }: Stage): Promise<void> {
        progress.heading('Look around, and press Ctrl-C to end');
        if (kubeconfig) progress.line(`export KUBECONFIG=${kubeconfig}`);
        progress.line(`kubectl -n ${NAMESPACE} get datasets,thinruntimes,juicefsruntimes,all`);
        await new Promise(() => setInterval(() => {}, 60_000));
      }
    });
};

const INTERRUPTED = new Error('interrupted');

/** Rejects at the first Ctrl-C; the second ends the process at once. */
function onInterrupt(): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  let isSecond = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (isSecond) process.exit(130);
      isSecond = true;
      reject(INTERRUPTED);
    });
  return promise;
}

/** That of an installation if there is one: it then serves our datasets, and our reconciler stands by. */
async function leaseNamespace(client: KubeClient): Promise<string> {
  const namespaces = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false };
  return client.get(namespaces, { name: 'fluid-system' }).then(
    () => 'fluid-system',
    () => NAMESPACE,
  );
}
