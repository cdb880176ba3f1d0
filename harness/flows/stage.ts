/** A cluster for Fluid's flows: a real API server, simulated nodes, and Sluice with the defaults of `sluice install` and no more rights than it grants. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { webhookNames } from '../../src/api/webhook-names.ts';
import { type Child, startChild } from '../../src/cli/playground/children.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { podLog } from '../control-plane/pod-logs.ts';
import { freePorts } from '../control-plane/ports.ts';
import { until } from '../control-plane/until.ts';
import { PLUGIN_CONTAINER, PLUGIN_POD, SLUICE_NAMESPACE as NAMESPACE } from './node-plugin.ts';

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
    const deployments = await install(plane, port);
    const start = async (name: string, flags: readonly string[], message: string) => {
      const child = await startAs(plane, `sluice-${name}`, deployments, { flags, log: join(logs, `${name}.log`) });
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

interface Deployment extends KubeObject {
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly [Container] } } };
}
interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}

/** Applies the manifests; returns the Deployments, by name. A Service has no address here, so that the webhook is asked at this port of ours. */
async function install(plane: ControlPlane, port: number): Promise<Readonly<Record<string, Deployment>>> {
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
  // The cast: what the manifests have under this kind.
  const deployments = items.filter((object): object is Deployment => object.kind === 'Deployment');
  return Object.fromEntries(deployments.map((each) => [each.metadata.name, each]));
}

/** Runs a Deployment's container as a process: its arguments, its variables, and the token of its ServiceAccount, which has the Deployment's name. */
async function startAs(
  plane: ControlPlane,
  name: string,
  deployments: Readonly<Record<string, Deployment>>,
  { flags, log }: { readonly flags: readonly string[]; readonly log: string },
): Promise<Child> {
  const container = deployments[name]?.spec.template.spec.containers[0];
  if (!container) throw new Error(`sluice install has no Deployment ${name}`);
  const label = `app.kubernetes.io/component=${name.replace('sluice-', '')}`;
  const pod = await until(`a pod of ${name}`, 60, async () => {
    const names = await plane.kubectl('get', 'pods', '-n', NAMESPACE, '-l', label, '-o', 'jsonpath={.items[*].metadata.name}');
    return names.split(' ')[0] || undefined;
  });
  // Those of the process's memory are meant for the container's limit.
  const variables = container.env.flatMap(({ name: key, value }) =>
    value === undefined || /^(NODE_|MALLOC_)/.test(key) ? [] : [[key, value]],
  );
  const { PATH } = process.env;
  const env = {
    PATH,
    HOME: plane.dir,
    ...Object.fromEntries(variables),
    MY_POD_NAME: pod,
    MY_POD_NAMESPACE: NAMESPACE,
  } as NodeJS.ProcessEnv;
  const kubeconfig = await kubeconfigOf(plane, name);
  return startChild({ args: [...container.args, ...flags, '--kubeconfig', kubeconfig], env, main: MAIN, log });
}

async function kubeconfigOf(plane: ControlPlane, account: string): Promise<string> {
  const token = (await plane.kubectl('create', 'token', account, '-n', NAMESPACE, '--duration=3h')).trim();
  const config = JSON.parse(await plane.kubectl('config', 'view', '--raw', '--flatten', '-o', 'json')) as {
    readonly users: readonly object[];
  };
  const file = join(plane.dir, `${account}.kubeconfig`);
  writeFileSync(file, JSON.stringify({ ...config, users: config.users.map((user) => ({ ...user, user: { token } })) }), { mode: 0o600 });
  return file;
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
