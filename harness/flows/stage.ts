/** A cluster for Fluid's flows: a real API server, simulated nodes, and Sluice with the defaults of `sluice install` and no more rights than it grants. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { webhookNames } from '../../src/api/webhook-names.ts';
import { type Child, startChild } from '../../src/cli/playground/children.ts';
import { DEFAULT_NAMESPACE as NAMESPACE } from '../../src/install/fluid.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { podLog } from '../control-plane/pod-logs.ts';
import { freePorts } from '../control-plane/ports.ts';
import { until } from '../control-plane/until.ts';
import { accountKubeconfig } from '../pods/account-kubeconfig.ts';
import { accountOf, type ProgramPod, variablesOf } from '../pods/pod-shape.ts';
import { PLUGIN_CONTAINER, PLUGIN_POD } from './node-plugin.ts';

export interface Stage {
  readonly kubeconfig: string;
  /** Path of the kubectl that fits. */
  readonly kubectl: string;
  /** File that the API server shows as the log of the node plugin. */
  readonly pluginLog: string;
  stop(): Promise<void>;
}

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');

/** @param logs folder for what controller and webhook log */
export async function startStage(logs: string): Promise<Stage> {
  const plane = await startControlPlane({ nodes: 3 });
  const children: Child[] = [];
  const stop = async () => {
    for (const child of children) await child.stop('SIGTERM');
    await plane.stop();
  };
  try {
    const [port = 0] = await freePorts(1);
    await install(plane, port);
    const start = async (component: 'controller' | 'webhook', flags: readonly string[], message: string) => {
      const child = await startProgramOf(plane, component, { flags, log: join(logs, `${component}.log`) });
      children.push(child);
      await child.logged(message);
    };
    await start('controller', ['--metrics-addr', '0'], 'leading');
    await start('webhook', ['--metrics-addr', '0', '--port', String(port)], 'serving admissions');
    await answerReaders(plane);
    // A flow expects keys of a bucket, as its text says.
    const keys = ['fs.oss.accessKeyId', 'fs.oss.accessKeySecret'].map((key) => `--from-literal=${key}=simulated`);
    await plane.kubectl('create', 'secret', 'generic', 'access-key', ...keys);
    const pluginLog = podLog(plane.dir, { namespace: NAMESPACE, pod: PLUGIN_POD, container: PLUGIN_CONTAINER });
    return { kubeconfig: plane.kubeconfig, kubectl: plane.kubectlPath, pluginLog, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Applies the manifests. A Service has no address here, so that the webhook is asked at this port of ours. */
async function install(plane: ControlPlane, port: number): Promise<void> {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, 'install', '--image', 'sluice:flows', '-o', 'json'], {
    maxBuffer: 64 << 20,
  });
  const { items } = JSON.parse(stdout) as { readonly items: readonly KubeObject[] };
  const url = `https://localhost:${port}${webhookNames.path}`;
  const reached = items.map((object) =>
    object.kind === 'MutatingWebhookConfiguration'
      ? { ...object, webhooks: (object['webhooks'] as readonly object[]).map((each) => ({ ...each, clientConfig: { url } })) }
      : object,
  );
  const file = join(plane.dir, 'install.json');
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: reached }));
  await plane.kubectl('apply', '--server-side', '-f', file);
  await plane.kubectl('wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s');
}

/** Runs the program of one of the component's pods as a process, with the token of the pod's account. */
async function startProgramOf(
  plane: ControlPlane,
  component: 'controller' | 'webhook',
  { flags, log }: { readonly flags: readonly string[]; readonly log: string },
): Promise<Child> {
  const path = `/api/v1/namespaces/${NAMESPACE}/pods?labelSelector=app.kubernetes.io/component=${component}`;
  const pod = await until(`a pod of sluice-${component}`, 60, async () => {
    // The cast: what the API server stores.
    const { items } = (await plane.get(path)) as { readonly items: readonly ProgramPod[] };
    return items[0];
  });
  const kubeconfig = await accountKubeconfig(plane, accountOf(pod));
  const { args = [] } = pod.spec.containers[0];
  const env = { PATH: process.env['PATH'], HOME: plane.dir, ...variablesOf(pod) };
  return startChild({ args: [...args, ...flags, '--kubeconfig', kubeconfig], env, main: MAIN, log });
}

/** Answers commands of the flows in pods: the volume has data, and all of the data is in the cache. */
async function answerReaders({ exec }: ControlPlane): Promise<void> {
  await exec.answer({ pod: 'nginx-test', argv: /\bls\b.*\/data\b/, stdout: 'zookeeper\n' });
  // The stand-ins of the engines say that so many bytes are cached.
  await exec.answer({
    pod: /-master-/,
    argv: /\balluxio fs count\b/,
    stdout: `File Count  Folder Count  Folder Size\n1152  4  ${1 << 30}\n`,
  });
  await exec.answer({ pod: /-master-/, argv: /\b(jindo|hadoop) fs -count\b/, stdout: `4 1152 ${1 << 30} /\n` });
}
