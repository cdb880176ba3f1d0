/** A real control plane with simulated nodes, and Fluid on it as its chart installs it: controllers and webhook are real processes. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { webhookNames } from '../../src/api/webhook-names.ts';
import { DEFAULT_NAMESPACE as NAMESPACE } from '../../src/install/fluid.ts';
import { createClient } from '../../src/kube/client/kube-client.ts';
import type { KubeClient } from '../../src/kube/contract.ts';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { ownedKinds } from '../../src/planning/kinds.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { freePorts } from '../control-plane/ports.ts';
import type { FluidBuild } from '../fluid/build.ts';
import { helm, installChart, variablesBelow } from '../fluid/install.ts';
import { accountKubeconfig } from '../pods/account-kubeconfig.ts';
import { answerFluid } from './answers.ts';
import { isPlugin, type PluginPods, playPluginPods } from './plugin-pods.ts';
import { type PodPrograms, runPods } from '../pods/pod-programs.ts';
import { accountOf, type ProgramPod, variablesOf } from '../pods/pod-shape.ts';
import { type Program, startProgram } from '../pods/program.ts';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');
/** Port of both webhooks. */
const WEBHOOK_PORT = 9443;

export interface Stage {
  readonly plane: ControlPlane;
  readonly client: KubeClient;
  readonly pods: PodPrograms;
  readonly plugins: PluginPods;
  /** Faults of the simulation itself. */
  readonly faults: readonly string[];
  /** Runs helm, as who installed Fluid. Rejects, with its output, if it ends with another code than 0. */
  helm(...argv: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

/** @param logs folder for what the programs write */
export async function startStage(fluid: FluidBuild, logs: string): Promise<Stage> {
  // In its own network the machine has no other address that it could give itself.
  const plane = await startControlPlane({
    nodes: 3,
    audit: true,
    apiServerArgs: ['--advertise-address=10.96.255.1', '--audit-log-maxsize=10000'],
  });
  const home = join(plane.dir, 'fluid');
  mkdirSync(home);
  // Fluid's controllers read the charts of runtimes below HOME.
  symlinkSync(fluid.charts, join(home, 'charts'));
  const client = createClient(connectionFromKubeconfig([plane.kubeconfig]), { fieldManager: 'kubelet' });
  const faults: string[] = [];
  const onFault = (error: unknown) => void faults.push(String(error));
  const parts: { stop(): Promise<void> }[] = [];
  const stop = async () => {
    for (const part of parts.toReversed()) await part.stop();
    await client.close();
    await plane.stop();
  };
  try {
    await plane.kubectl('create', 'namespace', NAMESPACE);
    // A pod is Ready, and gone, when its program says so.
    for (const as of ['NotReady', 'Terminating'] as const) await plane.pods.hold({ namespace: NAMESPACE }, { as });
    const hasProgram = (pod: ProgramPod) => !isPlugin(pod);
    const pods = runPods({
      client,
      namespace: NAMESPACE,
      hasProgram,
      onFault,
      start: (pod) => run(pod, { plane, client, fluid, home, logs }),
    });
    const plugins = playPluginPods(client, NAMESPACE, onFault);
    parts.push(pods, plugins);
    await answerFluid(plane.exec);
    // The hooks, which apply the CRDs again at an upgrade, need an image.
    const where = { kubeconfig: plane.kubeconfig, home };
    await installChart(fluid, where, ['--no-hooks', ...ENABLED]);
    return { plane, client, pods, plugins, faults, helm: (...argv) => helm(fluid, where, argv), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const ENABLED = ['alluxio', 'cache', 'efc', 'jindo', 'juicefs', 'thin', 'vineyard'].flatMap((name) => [
  '--set',
  `runtime.${name}.enabled=true`,
]);

interface Place {
  readonly plane: ControlPlane;
  readonly client: KubeClient;
  readonly fluid: FluidBuild;
  /** Settings, keys and temporary files of the programs; ends with the control plane. */
  readonly home: string;
  readonly logs: string;
}

/** Runs the program of a pod, on the pod's address. */
async function run(pod: ProgramPod, { plane, client, fluid, home, logs }: Place): Promise<Program> {
  const { name } = pod.metadata;
  const [container] = pod.spec.containers;
  const { command = [], args = [] } = container;
  const [program] = command;
  const host = pod.status?.podIP ?? '';
  const [port = 0] = await freePorts(1);
  const isWebhook = program === 'fluid-webhook' || args[0] === 'webhook';
  const kubeconfig = await accountKubeconfig(plane, accountOf(pod));
  const env = { ...variablesBelow(home, fluid), ...variablesOf(pod), HOSTNAME: name, KUBECONFIG: kubeconfig };
  const common = { env, log: join(logs, `${name}.log`), ...(isWebhook && { forward: { host, from: WEBHOOK_PORT, to: port } }) };
  const metrics = [`--metrics-addr=${host}:8080`];
  if (program === undefined) {
    const flags = [...metrics, ...(isWebhook ? [`--port=${port}`] : []), `--kubeconfig=${kubeconfig}`];
    return startProgram({ ...common, command: process.execPath, args: [MAIN, ...args, ...flags] });
  }
  if (isWebhook) await writeProfile(client);
  const flags = isWebhook ? [`--webhook-port=${port}`, `--webhook-cert-dir=${join(home, name)}`] : [];
  const own = [...command.slice(1), ...args, ...metrics, `--pprof-addr=${host}:6060`, ...flags];
  return startProgram({ ...common, command: join(fluid.bin, program), args: own });
}

/** The file that the pod of Fluid's webhook mounts: /etc is this program's alone (own-network.ts). */
async function writeProfile(client: KubeClient): Promise<void> {
  const { data } = (await client.get(ownedKinds.ConfigMap, { namespace: NAMESPACE, name: webhookNames.profile })) as KubeObject & {
    readonly data: Readonly<Record<string, string>>;
  };
  mkdirSync('/etc/fluid', { recursive: true });
  writeFileSync('/etc/fluid/plugins.profile', data['pluginsProfile'] ?? '');
}
